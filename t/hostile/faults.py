#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""faults [--errors=EIO,...] [--every=N] [--first=N] -- PAI-EXEC [OPTION]... : one
system call fails.

Runs the command under strace, once for each of the first N (300) system calls of
the command and of the keeper, up to the backend's own exec, which it leaves alone:
that call fails with the error. Right is a run that is unharmed, or 125 with one line
of ours, soon, and nothing left. --every=N takes every Nth only. Says what was wrong,
a line each, and fails.
"""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from host import all_gone, kill_children, subreap, temporary

LATE = 45  # seconds: a boot that is not answered has 30 s
GONE = 2  # seconds that the last processes of a run may take
PROGRAM = 'open("f", "w").write("kept"); print("ran")'
# The kernel does these whatever happens, or does not return from them.
NEVER = {
    "brk",
    "close",
    "exit_group",
    "exit",
    "execve",
    "rt_sigreturn",
    "munmap",
    "futex",
    "set_robust_list",
    "rseq",
    "set_tid_address",
    "getpid",
    "geteuid",
    "getegid",
    "umask",
}
# Errors that only some calls have.
ONLY = {
    "ENOMEM": {
        "mmap",
        "brk",
        "clone",
        "openat",
        "socketpair",
        "poll",
        "mount",
        "pipe2",
        "sendmsg",
        "recvmsg",
        "mkdir",
    },
    "EMFILE": {
        "openat",
        "pipe2",
        "socketpair",
        "signalfd4",
        "dup2",
        "fcntl",
        "recvmsg",
    },
    "ENOSPC": {
        "write",
        "mkdir",
        "mkdirat",
        "linkat",
        "openat",
        "pwrite64",
        "mount",
        "flock",
        "renameat",
    },
    "EINTR": {
        "poll",
        "read",
        "write",
        "wait4",
        "recvmsg",
        "sendmsg",
        "sendto",
        "openat",
        "flock",
        "splice",
        "getrandom",
    },
}
CALL = re.compile(r"(\d+) +(\w+)\(")


class Host:
    def __init__(self, command):
        at = next(i for i, w in enumerate(command) if os.path.basename(w) == "pai-exec")
        self.before, self.after = command[:at], command[at:]
        self.trace = os.path.abspath("trace")

    def run(self, options):
        """Status (None: it hung), output, error."""
        shutil.rmtree("out", ignore_errors=True)
        words = [
            *self.before,
            "strace",
            "-f",
            "-b",
            "execve",
            "-o",
            self.trace,
            *options,
        ]
        words += [*self.after, "-n", "-o", "out", "-c", PROGRAM]
        with contextlib.suppress(OSError):
            os.remove(self.trace)
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            p = subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
            try:
                status = p.wait(LATE)
            except subprocess.TimeoutExpired:
                status = None
                os.killpg(p.pid, signal.SIGKILL)
                p.wait()
            out.seek(0)
            err.seek(0)
            return (
                status,
                out.read(1 << 16).decode(errors="replace"),
                err.read(1 << 16).decode(errors="replace"),
            )

    def calls(self):
        """Each call of a run without a fault: name and its count among those of
        that name in that process, from main() on."""
        counts, seen, begun, loader = {}, [], False, set()
        with open(self.trace, errors="replace") as f:
            for line in f:
                m = CALL.match(line)
                if not m:
                    continue
                pid, name = m.groups()
                counts[pid, name] = counts.get((pid, name), 0) + 1
                begun = begun or "fcntl(0, F_GETFD" in line
                n = counts[pid, name]
                if not begun:
                    loader.add((name, n))
                elif name not in NEVER and (name, n) not in loader:
                    seen.append((name, n, pid))
        return seen


def faults(calls, first):
    """The first calls of each process, each pair of name and count once."""
    of, done = {}, set()
    for name, n, pid in calls:
        of[pid] = of.get(pid, 0) + 1
        if of[pid] <= first and (name, n) not in done:
            done.add((name, n))
            yield name, n


def judge(status, out, err):
    lines = err.splitlines()
    if status is None:
        return "it hung"
    if any(not line.startswith("pai-exec: ") for line in lines):
        return f"said {err[:300]!r}"
    if status == 0:
        kept = ""
        with contextlib.suppress(OSError), open("out/f") as f:
            kept = f.read()
        right = out == "ran\n" and kept == "kept"
        return None if right else f"status 0, output {out!r}, kept {kept!r}"
    if status != 125:
        return f"status {status}: {err[:300]!r}"
    return None


def left():
    wrong = temporary("out")
    if not all_gone(GONE):
        wrong.append("processes")
        kill_children()
    return wrong


def main():
    cut = sys.argv.index("--")
    given = dict(w[2:].split("=", 1) for w in sys.argv[1:cut])
    host = Host(sys.argv[cut + 1 :])
    every, first = int(given.get("every", 1)), int(given.get("first", 300))
    subreap()
    status, out, err = host.run([])
    if (status, out, err) != (0, "ran\n", ""):
        print(f"without a fault: status {status}: {out!r} {err!r}")
        return 1
    calls = host.calls()
    failed = done = unharmed = 0
    worst = 0.0
    for error in given.get("errors", "EIO").split(","):
        wanted = [c for c in faults(calls, first) if c[0] in ONLY.get(error, {c[0]})]
        for name, n in wanted[::every]:
            begin = time.monotonic()
            ran = host.run(["-e", f"inject={name}:error={error}:when={n}"])
            worst = max(worst, time.monotonic() - begin)
            why, rest = judge(*ran), left()
            done += 1
            unharmed += ran[0] == 0
            if why or rest:
                failed += 1
                print(
                    f"{name} {n} {error}: {why or ran[2]!r}{f', left {rest}' if rest else ''}",
                    flush=True,
                )
    print(
        f"# {len(calls)} calls, {done} faults: {unharmed} runs unharmed, {done - unharmed} ended, at most {worst:.1f} s"
    )
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
