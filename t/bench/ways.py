# SPDX-License-Identifier: Apache-2.0
"""The ways to run a program: without a sandbox, in others, in ours.

All start the image's /usr/bin/python3 with one environment, in /workspace if
the program has files there. What differs, because it is what each way gives
by itself: pai-exec and bare run it as uid 1000, `runsc run` as uid 0 without
capabilities; only pai-exec holds it to one CPU (its default)."""

import itertools
import json
import os
import shutil
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from tree import USER, link_fonts

PYTHON = "/usr/bin/python3"
# add_environment() of lib/guest/program.c
ENV = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": "/home/user",
    "USER": "user",
    "LOGNAME": "user",
    "SHELL": "/bin/bash",
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHON_CPU_COUNT": "1",
}


class Wrong(Exception):
    """A program did not do what it should have done: no figure is worth anything."""


@dataclass(frozen=True)
class Program:
    """What is run: CODE, or FILE with its inputs; what it prints and makes."""

    code: str = ""
    file: Path | None = None
    inputs: tuple[Path, ...] = ()
    stdout: bytes | None = None  # None: any
    made: dict[str, bytes] = field(default_factory=dict)  # name: how it begins
    keep: bool = False  # pai-exec: -o
    options: tuple[str, ...] = ()  # pai-exec: others

    def words(self):
        return [PYTHON, self.file.name] if self.file else [PYTHON, "-c", self.code]

    def check(self, name, done, work):
        if done.returncode != 0:
            raise Wrong(f"{name}: exit status {done.returncode}: {done.stderr[-2000:]}")
        if self.stdout is not None and done.stdout != self.stdout:
            raise Wrong(f"{name}: printed {done.stdout[:500]}")
        for made, begin in self.made.items():
            with open(work / made, "rb") as f:
                if f.read(len(begin)) != begin:
                    raise Wrong(f"{name}: {made} is not what it should be")


class Way:
    """One of them. WORK is where its program's files are afterwards."""

    name = ""

    def __init__(self, scratch):
        self.work = scratch / self.name.replace(" ", "_")
        self.work.mkdir()

    def lay(self, program):
        """Before the clock starts: an empty work folder with the inputs in it."""
        for entry in os.scandir(self.work):
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry)
            else:
                os.unlink(entry)
        for path in self.copied(program):
            shutil.copy(path, self.work)

    def copied(self, program):
        return [*program.inputs, *([program.file] if program.file else [])]

    def command(self, program):
        """The keywords of subprocess.Popen."""
        raise NotImplementedError


class Bare(Way):
    """chroot(2) into the image's files. The fork for it costs about a millisecond
    more than the other ways' start."""

    name = "bare"

    def __init__(self, scratch, tree):
        self.tree = tree
        self.work = tree / "workspace"

    def command(self, program):
        def enter():
            os.chroot(self.tree)
            os.chdir("/workspace")
            os.setgroups([])
            os.setresgid(USER, USER, USER)
            os.setresuid(USER, USER, USER)

        return {"args": program.words(), "env": ENV, "preexec_fn": enter}


class Bwrap(Way):
    """The same files in bubblewrap's namespaces."""

    name = "bwrap"

    def __init__(self, scratch, tree):
        super().__init__(scratch)
        home = scratch / "bwrap-home"
        link_fonts(home, tree)
        self.words = ["bwrap", "--unshare-all", "--die-with-parent", "--ro-bind", tree]
        self.words += ["/", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]
        self.words += ["--bind", self.work, "/workspace", "--bind", home, ENV["HOME"]]
        self.words += ["--chdir", "/workspace", "--"]

    def command(self, program):
        return {"args": [*self.words, *program.words()], "env": ENV}


class Runsc(Way):
    """Plain `runsc run` of the EROFS image. A program with files has its folder and
    a home bound into the sandbox; others have nothing but /proc."""

    name = "runsc run"

    def __init__(self, scratch, tree, rootfs):
        super().__init__(scratch)
        self.scratch, self.rootfs = scratch, os.path.realpath(rootfs)
        self.home = scratch / "runsc-home"
        link_fonts(self.home, tree)
        (scratch / "empty").mkdir()
        self.runsc = ["runsc", f"--root={scratch}/runsc-state", "--platform=systrap"]
        self.runsc += ["--network=none", "--ignore-cgroups"]
        self.ids = itertools.count()
        self.bundles = {}

    def command(self, program):
        key = (program.code, program.file)
        if key not in self.bundles:
            self.bundles[key] = self._bundle(program)
        name = f"bench{next(self.ids)}"
        return {"args": [*self.runsc, "run", "-bundle", self.bundles[key], name]}

    def _bundle(self, program):
        folder = self.scratch / f"bundle{len(self.bundles)}"
        folder.mkdir()
        mounts = [{"destination": "/proc", "type": "proc", "source": "proc"}]
        if program.file:
            for to, source in ("/workspace", self.work), (ENV["HOME"], self.home):
                mounts.append(
                    {"destination": to, "type": "bind", "source": str(source)}
                )
        kinds = ("pid", "network", "ipc", "uts", "mount")
        spec = {
            "ociVersion": "1.0.2",
            "process": {
                "user": {"uid": 0, "gid": 0},
                "args": program.words(),
                "cwd": "/workspace" if program.file else "/",
                "env": [f"{name}={value}" for name, value in ENV.items()],
            },
            "root": {"path": str(self.scratch / "empty"), "readonly": True},
            "mounts": mounts,
            "linux": {"namespaces": [{"type": kind} for kind in kinds]},
            "annotations": {
                "dev.gvisor.spec.rootfs.source": self.rootfs,
                "dev.gvisor.spec.rootfs.type": "erofs",
            },
        }
        (folder / "config.json").write_text(json.dumps(spec))
        return folder

    def clean(self):
        """Ends what a run that was broken off has left."""
        listed = subprocess.run([*self.runsc, "list", "-quiet"], capture_output=True)
        for name in listed.stdout.split():
            delete = [*self.runsc, "delete", "-force", name]
            subprocess.run(delete, capture_output=True)


class Podman(Way):
    """The same files as a container of podman whose runtime is runsc: what one has
    without a program of ours. What it keeps on disk is in the scratch folder."""

    name = "podman+runsc"

    def __init__(self, scratch, tree):
        super().__init__(scratch)
        os.chown(self.work, USER, USER)
        home = scratch / "podman-home"
        link_fonts(home, tree)
        runtime = scratch / "runsc-for-podman"
        runtime.write_text(
            "#!/bin/sh\n"
            f"exec runsc --root={scratch}/podman-runsc --platform=systrap"
            ' --network=none --ignore-cgroups "$@"\n'
        )
        runtime.chmod(0o755)
        at = scratch / "podman"
        self.words = ["podman", f"--root={at}/root", f"--runroot={at}/run"]
        self.words += [f"--tmpdir={at}/tmp", "--events-backend=none"]
        self.words += ["--cgroup-manager=cgroupfs", f"--runtime={runtime}"]
        self.words += ["run", "--rm", "--network=none", "--read-only", "--ulimit=host"]
        self.words += ["--log-driver=none", f"--user={USER}:{USER}"]
        self.words += ["--workdir=/workspace"]
        self.words += ["-v", f"{self.work}:/workspace", "-v", f"{home}:{ENV['HOME']}"]
        self.words += [f"--env={name}={value}" for name, value in ENV.items()]
        self.words += ["--rootfs", f"{tree}:O"]

    def command(self, program):
        return {"args": [*self.words, *program.words()]}

    def trial(self):
        """A run of nothing: podman is not made for every host that runsc works on."""
        words = [*self.words, "/bin/true"]
        return subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True)


class Pai(Way):
    """pai-exec, as a clone of a template or with --fresh."""

    def __init__(self, scratch, name, build, image, cache, options=()):
        self.name = name
        super().__init__(scratch)
        self.words = [build / "pai-exec", f"--image={image}", *options]
        self.env = {**os.environ, "XDG_CACHE_HOME": str(cache)}

    def copied(self, program):
        return []  # -i brings them

    def command(self, program, *options):
        words = [*self.words, *options, *program.options]
        for path in program.inputs:
            words += ["-i", path]
        if program.keep:
            words += ["-o", self.work]
        words += [program.file] if program.file else ["-c", program.code]
        return {"args": words, "env": self.env}

    def start_of(self, program):
        """ "warm" or "cold": how it starts PROGRAM now."""
        self.lay(program)
        command = self.command(program, "--json", "--script")
        done = subprocess.run(**command, stdin=subprocess.DEVNULL, capture_output=True)
        return json.loads(done.stdout)["backend"]["start"]


def run(way, program):
    """One whole run, from the start to the end of its last process that we can
    see: (milliseconds, what it printed)."""
    way.lay(program)
    command = way.command(program)
    begin = time.perf_counter()
    done = subprocess.run(**command, stdin=subprocess.DEVNULL, capture_output=True)
    ms = 1000 * (time.perf_counter() - begin)
    program.check(way.name, done, way.work)
    return ms, done.stdout
