# SPDX-License-Identifier: Apache-2.0
import os
import socket

os.mkfifo("pipe")
s = socket.socket(socket.AF_UNIX)
s.bind("sock")
try:
    os.mknod("null", 0o666 | 0o020000, os.makedev(1, 3))
except OSError:
    pass
with open("data.txt", "w") as f:
    f.write("kept\n")
