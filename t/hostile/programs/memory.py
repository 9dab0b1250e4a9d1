# SPDX-License-Identifier: Apache-2.0
"""memory KIND: takes all that it can get of heap, mmap, shm, pipes or children."""

import fcntl
import itertools
import mmap
import os
import sys
import time

FILL = b"\xa5"


def heap():
    return [bytearray(FILL) * (8 << 20) for _ in itertools.count()]


def mapped():
    keep = []
    while True:
        keep.append(mmap.mmap(-1, 64 << 20))
        for at in range(0, 64 << 20, mmap.PAGESIZE):
            keep[-1][at] = 1


def shm():
    with open("/dev/shm/x", "wb", buffering=0) as f:
        while True:
            f.write(FILL * (1 << 20))


def pipes():
    keep = []
    while True:
        ends = os.pipe()
        os.set_blocking(ends[1], False)
        try:
            fcntl.fcntl(ends[1], fcntl.F_SETPIPE_SZ, 1 << 20)
        except OSError:
            pass
        try:
            while True:
                os.write(ends[1], FILL * 65536)
        except BlockingIOError:
            keep.append(ends)


def children():
    for _ in range(200):
        if os.fork() == 0:
            keep = bytearray(FILL) * (16 << 20)
            time.sleep(60)
            os._exit(len(keep) & 1)
    os.wait()


with open("before", "w") as f:
    f.write("kept")
print("taking", flush=True)
try:
    {"heap": heap, "mmap": mapped, "shm": shm, "pipes": pipes, "children": children}[
        sys.argv[1]
    ]()
except OSError as e:
    print("refused", e.errno)
