# SPDX-License-Identifier: Apache-2.0
#: title a program starts in /workspace, umask 022, its own session, 3 descriptors
#: out /workspace 22
#: out True True
#: out [0, 1, 2]
import os

mask = os.umask(0o22)
print(os.getcwd(), f"{mask:o}")
print(os.getsid(0) == os.getpid(), os.getpgrp() == os.getpid())
fds = []
for fd in range(1024):
    try:
        os.fstat(fd)
        fds.append(fd)
    except OSError:
        pass
print(fds)
