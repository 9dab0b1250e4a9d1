# SPDX-License-Identifier: Apache-2.0
"""hunt ROOT PATH...: reads each host PATH, by several ways up, and looks for files
of their name in all folders beneath ROOT."""

import os
import sys

WAYS = ["", "/proc/1/root", "/proc/self/cwd" + "/.." * 8, "/proc/self/root"]
root, *paths = sys.argv[1:]
for path in paths:
    for way in WAYS:
        try:
            with open(way + path, "rb") as f:
                print("READ", way + path, f.read(200))
        except OSError as e:
            print("refused", way + path, e.errno)
names = {os.path.basename(path) for path in paths}
seen = 0
for folder, folders, files in os.walk(root):
    folders[:] = [
        f for f in folders if os.path.join(folder, f) not in ("/proc", "/sys")
    ]
    seen += len(files)
    for name in names.intersection(files + folders):
        print("FOUND", os.path.join(folder, name))
print("looked at", seen)
