# SPDX-License-Identifier: Apache-2.0
#: title a child's memory counts: the limit ends the whole program
#: options --memory=64M
#: exit 137
#: status memory
#: signal 9
#: out before
import os
import time

print("before")
if os.fork() == 0:
    hoard = []
    while True:
        hoard.append(b"x" * (1 << 20))
time.sleep(100)
print("never")
