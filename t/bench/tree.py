# SPDX-License-Identifier: Apache-2.0
"""The image's files as a plain folder, for the ways that have no gVisor.

What a run may write is mounted over it as pai-guest does (lib/guest/world.c).
All mounts lie in a mount namespace of our own: they go with the last process,
however that ends."""

import contextlib
import ctypes
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

CLONE_NEWNS = 0x20000
USER = 1000
FONT_CACHE = "/usr/lib/pai/matplotlib"
DEVICES = {"null": (1, 3), "zero": (1, 5), "full": (1, 7), "random": (1, 8)}
DEVICES["urandom"] = (1, 9)


def leave_mounts():
    """From here on nobody else sees our mounts."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNS) < 0:
        code = ctypes.get_errno()
        raise OSError(code, "unshare: " + os.strerror(code))
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)


@contextlib.contextmanager
def scratch_folder():
    """A folder that is gone afterwards, with the mounts that were left in it
    (runsc mounts an empty network namespace in its state folder)."""
    with tempfile.TemporaryDirectory(prefix="pai-bench-") as name:
        name = os.path.realpath(name)
        try:
            yield Path(name)
        finally:
            with open("/proc/self/mounts") as f:
                points = [line.split()[1] for line in f]
            for point in points:
                # octal escapes stand for blanks
                point = point.encode().decode("unicode_escape")
                if point.startswith(name + "/"):
                    subprocess.run(["umount", "--lazy", point])


def link_fonts(home, tree):
    """Makes a home with the image's font list, as link_font_cache() does."""
    cache = home / ".cache/matplotlib"
    for folder in (cache, home / ".config/matplotlib"):
        folder.mkdir(parents=True)
    for name in os.listdir(f"{tree}{FONT_CACHE}"):
        if not name.startswith("."):
            os.symlink(f"{FONT_CACHE}/{name}", cache / name)


def extracted(rootfs, digest):
    """The folder with the files of the image, made where it is missing."""
    parent = Path(os.environ.get("TMPDIR", "/var/tmp"))
    final = parent / f"pai-bench-tree-{digest.removeprefix('sha256:')[:16]}"
    if not final.is_dir():
        fresh = tempfile.mkdtemp(prefix=final.name + ".", dir=parent)
        try:
            extract = ["fsck.erofs", "--extract=" + fresh, "--force", rootfs]
            subprocess.run(extract, check=True, stdout=subprocess.DEVNULL)
            os.rename(fresh, final)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)
    return final


class Tree:
    """`with Tree(...) as tree`: tree.path is the folder, tree.how says what it is."""

    def __init__(self, rootfs, digest):
        self.rootfs, self.digest = str(rootfs), digest
        self.path = Path(tempfile.mkdtemp(prefix="pai-bench-root-"))
        self.how = ""

    def __enter__(self):
        try:
            self._mount_image()
            self._mount_writable()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        # rmdir, never a removal of what is beneath: a mount may still be there
        subprocess.run(
            ["umount", "--recursive", "--lazy", self.path], stderr=subprocess.DEVNULL
        )
        os.rmdir(self.path)

    def _mount_image(self):
        mount = ["mount", "-t", "erofs", "-o", "ro", self.rootfs, self.path]
        if subprocess.run(mount, stderr=subprocess.DEVNULL).returncode == 0:
            self.how = "mount -t erofs"
            return
        folder = extracted(self.rootfs, self.digest)
        subprocess.run(["mount", "--bind", folder, self.path], check=True)
        self.how = f"extracted to {folder}"

    def _mount_writable(self):
        for at in ("workspace", "home/user", "tmp", "dev"):
            subprocess.run(
                ["mount", "-t", "tmpfs", "tmpfs", self.path / at], check=True
            )
        subprocess.run(["mount", "-t", "proc", "proc", self.path / "proc"], check=True)
        for name, (major, minor) in DEVICES.items():
            os.mknod(self.path / "dev" / name, 0o20666, os.makedev(major, minor))
            os.chmod(self.path / "dev" / name, 0o666)
        home = self.path / "home/user"
        link_fonts(home, self.path)
        for folder, _, _ in os.walk(home):
            os.chown(folder, USER, USER)
        os.chown(self.path / "workspace", USER, USER)
        os.chmod(self.path / "tmp", 0o1777)
