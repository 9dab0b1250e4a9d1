# SPDX-License-Identifier: Apache-2.0
"""burn PROCESSES SECONDS: that many at once, all the time."""

import os
import sys
import time

processes, seconds = int(sys.argv[1]), float(sys.argv[2])
end = time.monotonic() + seconds
for _ in range(processes):
    if os.fork() == 0:
        while time.monotonic() < end:
            pass
        os._exit(0)
for _ in range(processes):
    os.wait()
print("burnt")
