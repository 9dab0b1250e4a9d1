# SPDX-License-Identifier: Apache-2.0
#: title an orphan gets PID 1 as its parent, which reaps it
#: out parent 1
#: out gone
import os
import time

r, w = os.pipe()
child = os.fork()
if child == 0:
    middle = os.getpid()
    if os.fork() == 0:
        while os.getppid() == middle:
            time.sleep(0.01)
        os.write(w, f"{os.getppid()} {os.getpid()}".encode())
    os._exit(0)
os.waitpid(child, 0)
parent, orphan = os.read(r, 100).decode().split()
print("parent", parent)
while os.path.exists(f"/proc/{orphan}"):
    time.sleep(0.01)
print("gone")
