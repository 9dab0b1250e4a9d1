# SPDX-License-Identifier: Apache-2.0
"""rights ROOT: what this process may, and files beneath ROOT that would give more."""

import os
import stat
import sys

KEYS = ("Uid", "Gid", "Groups", "Cap", "NoNewPrivs", "Seccomp")
with open("/proc/self/status") as f:
    for line in f:
        key, value = line.split(":", 1)
        if key.startswith(KEYS) and key != "Seccomp_filters":
            print(key, *value.split())


def gives_more(path):
    st = os.lstat(path)
    return stat.S_ISREG(st.st_mode) and (
        st.st_mode & 0o6000
        or "security.capability" in os.listxattr(path, follow_symlinks=False)
    )


seen = 0
for folder, folders, files in os.walk(sys.argv[1]):
    folders[:] = [
        f for f in folders if os.path.join(folder, f) not in ("/proc", "/sys")
    ]
    for path in (os.path.join(folder, f) for f in files):
        seen += 1
        try:
            if gives_more(path):
                print("MORE", path)
        except OSError:
            pass
print("looked at", seen)
