# SPDX-License-Identifier: Apache-2.0
#: title links, FIFOs and sockets are named, not kept
#: options -o kept
#: kept 644 ca978112 file
#: skipped symlink: link
#: skipped symlink: dangling
#: skipped special: fifo
#: skipped special: socket
import os
import socket
from pathlib import Path

Path("file").write_text("a")
os.symlink("file", "link")
os.symlink("/nowhere", "dangling")
os.mkfifo("fifo")
socket.socket(socket.AF_UNIX).bind("socket")
