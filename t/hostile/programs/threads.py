# SPDX-License-Identifier: Apache-2.0
"""threads: as many as there can be."""

import threading
import time

n = 0
try:
    while True:
        threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()
        n += 1
except RuntimeError as e:
    print("threads", n, e)
