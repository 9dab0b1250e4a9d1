# SPDX-License-Identifier: Apache-2.0
#: title at the time limit the program is interrupted: 124, with all before it
#: options -t 1s -k 30s -o kept
#: exit 124
#: status timeout
#: signal 2
#: error KeyboardInterrupt
#: out before
#: err Traceback (most recent call last):
#: err   File "limit-time.py", line 20, in <module>
#: err     time.sleep(100)
#: err     ~~~~~~~~~~^^^^^
#: err KeyboardInterrupt
#: kept 644 a11ae064 half.txt
import time

with open("half.txt", "w") as f:
    f.write("half")
print("before")
time.sleep(100)
