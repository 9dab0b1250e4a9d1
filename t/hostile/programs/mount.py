# SPDX-License-Identifier: Apache-2.0
"""mount: the calls that change what a process sees as its files."""

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
D = b"/tmp/at"
UMOUNT2, PIVOT_ROOT, CHROOT, MOUNT = 166, 155, 161, 165
REMOUNT_BIND, RECURSIVE_PRIVATE = 0x1020, 0x44000
CALLS = {
    "tmpfs": (MOUNT, b"none", D, b"tmpfs", 0, None),
    "proc": (MOUNT, b"none", D, b"proc", 0, None),
    "sysfs": (MOUNT, b"none", D, b"sysfs", 0, None),
    "cgroup": (MOUNT, b"none", D, b"cgroup", 0, None),
    "image": (MOUNT, b"/dev/vda", D, b"erofs", 1, None),
    "overlay": (
        MOUNT,
        b"x",
        D,
        b"overlay",
        0,
        b"lowerdir=/,upperdir=/tmp,workdir=/tmp",
    ),
    "remount": (MOUNT, b"none", b"/", None, REMOUNT_BIND, None),
    "private": (MOUNT, b"none", b"/", None, RECURSIVE_PRIVATE, None),
    "umount": (UMOUNT2, b"/proc", 2),
    "umount workspace": (UMOUNT2, b"/workspace", 2),
    "chroot": (CHROOT, b"/tmp"),
    "pivot_root": (PIVOT_ROOT, D, D),
    "open_tree": (428, -100, D, 1),
    "move_mount": (429, -100, D, -100, D, 0),
    "fsopen": (430, b"tmpfs", 0),
    "fsconfig": (431, 0, 0, None, None, 0),
    "fsmount": (432, 3, 0, 0),
    "fspick": (433, -100, b"/", 0),
    "mount_setattr": (442, -100, D, 0, None, 0),
}
os.makedirs(D, exist_ok=True)
for name, (number, *args) in CALLS.items():
    if libc.syscall(number, *args) >= 0:
        print("DONE", name)
    else:
        print("refused", name, ctypes.get_errno())
