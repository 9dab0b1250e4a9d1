# SPDX-License-Identifier: Apache-2.0
#: title what programs do with files: rename, lock, map, append, truncate, reserve
#: out new False
#: out BlockingIOError
#: out b'MM' 1048576
#: out abXY 2
#: out 65536
import fcntl
import mmap
import os
from pathlib import Path

Path("old").write_text("old")
Path("new").write_text("new")
os.replace("new", "old")
print(Path("old").read_text(), os.path.exists("new"))

with open("old") as first, open("old") as second:
    fcntl.flock(first, fcntl.LOCK_EX)
    try:
        fcntl.flock(second, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as e:
        print(type(e).__name__)

with open("map", "w+b") as f:
    f.truncate(1 << 20)
    with mmap.mmap(f.fileno(), 0) as m:
        m[:2] = b"MM"
    print(f.read(2), os.path.getsize("map"))

fd = os.open("app", os.O_RDWR | os.O_CREAT | os.O_APPEND)
os.write(fd, b"ab")
os.pwrite(fd, b"XY", 0)  # appends, as Linux does
os.lseek(fd, 0, 0)
text = os.read(fd, 10).decode()
os.ftruncate(fd, 2)
print(text, os.fstat(fd).st_size)
os.posix_fallocate(fd, 0, 65536)
print(os.fstat(fd).st_size)
