# SPDX-License-Identifier: Apache-2.0
"""killall: signals to all processes, to the first one and to those around it."""

import os
import signal
import sys

for target in sorted({1, 2, 3, os.getppid()} - {os.getpid()}):
    for number in (signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM):
        try:
            os.kill(target, number)
            print("KILLED", target, number.name)
        except OSError as e:
            print("refused", target, number.name, e.errno)
print("last words", flush=True)
if os.fork() == 0:
    signal.pause()
for number in (signal.SIGSTOP, signal.SIGKILL):
    try:
        os.kill(-1, number)
    except OSError as e:
        print("refused", -1, number.name, e.errno)
sys.exit(7)
