# SPDX-License-Identifier: Apache-2.0
"""out_modes: modes that mean something elsewhere, attributes, a time that is none."""

import contextlib
import os

for name, mode in (
    ("suid", 0o4755),
    ("sgid", 0o2755),
    ("sticky", 0o1777),
    ("none", 0o000),
    ("world", 0o666),
    ("exec", 0o755),
):
    with open(name, "w") as f:
        f.write("#!/bin/sh\n")
    os.chmod(name, mode)
os.mkdir("closed")
with open("closed/in.txt", "w") as f:
    f.write("in\n")
os.chmod("closed", 0)
os.mkdir("sticky-folder")
os.chmod("sticky-folder", 0o3777)
for attribute in "user.x", "security.capability", "system.posix_acl_access":
    with contextlib.suppress(OSError):
        os.setxattr("exec", attribute, b"\x01\x00\x00\x02" + b"\xff" * 16)
os.utime("exec", (1, 1 << 33))
