# SPDX-License-Identifier: Apache-2.0
"""devices: makes device nodes, and lists those that are there."""

import os
import stat

NODES = [
    ("disk", stat.S_IFBLK, 8, 0),
    ("virtio disk", stat.S_IFBLK, 254, 0),
    ("nvme", stat.S_IFBLK, 259, 0),
    ("mem", stat.S_IFCHR, 1, 1),
    ("kmem", stat.S_IFCHR, 1, 2),
    ("port", stat.S_IFCHR, 1, 4),
    ("kmsg", stat.S_IFCHR, 1, 11),
    ("kvm", stat.S_IFCHR, 10, 232),
    ("tun", stat.S_IFCHR, 10, 200),
    ("fuse", stat.S_IFCHR, 10, 229),
    ("vsock", stat.S_IFCHR, 10, 121),
]
for name, kind, major, minor in NODES:
    path = f"/tmp/node-{major}-{minor}"
    try:
        os.mknod(path, 0o666 | kind, os.makedev(major, minor))
        print("MADE", name)
        os.close(os.open(path, os.O_RDWR | os.O_NONBLOCK))
        print("OPENED", name)
    except OSError as e:
        print("refused", name, e.errno)
for folder, _, files in os.walk("/dev"):
    for path in sorted(os.path.join(folder, f) for f in files):
        st = os.lstat(path)
        if stat.S_ISCHR(st.st_mode) or stat.S_ISBLK(st.st_mode):
            print("node", path, os.major(st.st_rdev), os.minor(st.st_rdev))
