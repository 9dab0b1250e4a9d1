# SPDX-License-Identifier: Apache-2.0
#: title who answers the interrupt may clean up, and it is a time limit all the same
#: options -t 1s -k 30s -o kept
#: exit 124
#: status timeout
#: out saved
#: kept 644 4ba69735 state.txt
import signal
import sys
import time


def save(number, frame):
    with open("state.txt", "w") as f:
        f.write("state")
    print("saved")
    sys.exit(0)


signal.signal(signal.SIGINT, save)
time.sleep(100)
