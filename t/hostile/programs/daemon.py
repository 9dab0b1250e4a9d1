# SPDX-License-Identifier: Apache-2.0
"""daemon: ends, and leaves behind a process of its own session that goes on."""

import os
import time

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.closerange(0, 64)
        for i in range(600):
            open(f"late-{i}", "w").close()
            time.sleep(0.1)
    os._exit(0)
print("main ends")
