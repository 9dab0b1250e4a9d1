# SPDX-License-Identifier: Apache-2.0
#: title who ignores the interrupt is killed, children too, and files are kept
#: options -t 1s -k 200ms -o kept
#: exit 124
#: status timeout
#: signal 9
#: out ignoring
#: kept 644 a11ae064 half.txt
import os
import signal
import time

signal.signal(signal.SIGINT, signal.SIG_IGN)
with open("half.txt", "w") as f:
    f.write("half")
print("ignoring")
os.fork()
while True:
    time.sleep(100)
