# SPDX-License-Identifier: Apache-2.0
"""out_special: what is neither file nor folder: a FIFO, a socket, devices as far as they can be made."""

import contextlib
import os
import socket
import stat

os.mkfifo("fifo")
socket.socket(socket.AF_UNIX).bind("socket")
for name, mode, device in (
    ("null", stat.S_IFCHR, (1, 3)),
    ("disk", stat.S_IFBLK, (254, 0)),
    ("whiteout", stat.S_IFCHR, (0, 0)),
):
    with contextlib.suppress(OSError):
        os.mknod(name, 0o666 | mode, os.makedev(*device))
        print("made", name)
with open("data.txt", "w") as f:
    f.write("kept\n")
