# SPDX-License-Identifier: Apache-2.0
"""out_swap: processes that outlive the program: one swaps a file and a link, one swaps a folder
and a link, one makes a file grow and shrink. The program ends in the midst of it."""

import os
import signal
import time

BIG = 1 << 20
os.mkdir("folder")
for path in "file", "folder/inner":
    with open(path, "w") as f:
        f.write("mine\n")
os.symlink("/etc/passwd", "link")
os.symlink("/etc", "folder-link")


def swap(a, b):
    os.rename(a, "x-" + a)
    os.rename(b, a)
    os.rename("x-" + a, b)


def grow():
    with open("grows", "wb") as f:
        f.write(b"a" * BIG)
        f.flush()
        f.truncate(4096)
        f.seek(4096)


for work in (
    lambda: swap("file", "link"),
    lambda: swap("folder", "folder-link"),
    grow,
):
    if os.fork() == 0:
        os.setsid()
        signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32))
        while True:
            work()
time.sleep(0.1)
os._exit(3)
