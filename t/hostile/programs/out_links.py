# SPDX-License-Identifier: Apache-2.0
"""out_links: links of every kind, chains of them, and two names of one file."""

import contextlib
import os

for target, name in (
    ("/etc/shadow", "abs"),
    ("../../../../../../etc/passwd", "rel"),
    ("/proc/self/root/etc/passwd", "magic"),
    (".", "loop"),
    ("itself", "itself"),
    ("nowhere", "dangling"),
):
    os.symlink(target, name)
os.mkdir("d")
os.symlink("/", "d/root")
os.symlink("d/root", "hop1")
os.symlink("hop1/etc", "hop2")
with open("ok.txt", "w") as f:
    f.write("ok\n")
os.link("ok.txt", "hard.txt")
for target in "/etc/passwd", "/proc/self/exe", "/proc/1/environ":
    with contextlib.suppress(OSError):
        os.link(target, "stolen" + target.replace("/", "-"))
        print("linked", target)
