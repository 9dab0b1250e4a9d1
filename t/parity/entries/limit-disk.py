# SPDX-License-Identifier: Apache-2.0
#: title beyond --disk a write fails with ENOSPC, wherever, and room comes back
#: options --disk=8M
#: out ENOSPC in 7 to 8 MiB
#: out ENOSPC in /tmp
#: out room again
import errno
import os

block = b"x" * 65536
size = 0
try:
    with open("big", "wb", buffering=0) as f:
        while size < 1 << 26:
            size += f.write(block)
except OSError as e:
    some = 7 << 20 < size <= 8 << 20
    print(errno.errorcode[e.errno], "in", "7 to 8 MiB" if some else size)
try:
    with open("/tmp/more", "wb", buffering=0) as f:
        for _ in range(4):
            f.write(block)
except OSError as e:
    print(errno.errorcode[e.errno], "in /tmp")
os.unlink("big")
with open("/tmp/more", "wb", buffering=0) as f:
    for _ in range(20):
        f.write(block)
print("room again")
