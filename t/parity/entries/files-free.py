# SPDX-License-Identifier: Apache-2.0
#: title the free space of /workspace is --disk, that of /dev/shm half of the memory
#: options --disk=64M
#: out /workspace 64 True
#: out /tmp 64 True
#: out /home/user 64 True
#: out /dev/shm 128 True
import os

for path in ("/workspace", "/tmp", "/home/user", "/dev/shm"):
    v = os.statvfs(path)
    size, free = v.f_blocks * v.f_frsize, v.f_bavail * v.f_frsize
    print(path, size >> 20, size - free < 1 << 16)
