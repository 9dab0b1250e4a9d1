# SPDX-License-Identifier: Apache-2.0
"""sideways NAME: looks for another run beside this one, by all that two share."""

import fcntl
import glob
import os
import socket
import sys
import time

me = sys.argv[1]
bell = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
bell.bind(f"\0pai-{me}")
port = socket.socket()
port.bind(("127.0.0.1", 4711))
port.listen()
with open(f"/dev/shm/pai-{me}", "w") as f:
    f.write(me)
with open("/usr/bin/python3", "rb") as shared:
    fcntl.flock(shared, fcntl.LOCK_EX | fcntl.LOCK_NB)
    print("up", flush=True)
    time.sleep(1)
    mine = [p for p in glob.glob("/proc/[0-9]*") if os.stat(p).st_uid == os.getuid()]
    print("processes", len(mine))
    print("shm", *sorted(os.path.basename(p) for p in glob.glob("/dev/shm/pai-*")))
    other = {"a": "b", "b": "a"}[me]
    try:
        bell.sendto(b"x", f"\0pai-{other}")
        print("REACHED", other)
    except OSError:
        print("alone")
