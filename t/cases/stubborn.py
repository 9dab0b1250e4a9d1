# SPDX-License-Identifier: Apache-2.0
import signal
import time

for s in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGALRM, signal.SIGXCPU):
    signal.signal(s, signal.SIG_IGN)
print("running")
while True:
    try:
        time.sleep(0.5)
    except BaseException:
        pass
