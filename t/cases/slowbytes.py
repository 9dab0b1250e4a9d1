# SPDX-License-Identifier: Apache-2.0
import sys
import time

for b in "\u2264\U0001f4c8\n".encode():
    sys.stdout.buffer.write(bytes([b]))
    sys.stdout.buffer.flush()
    time.sleep(0.02)
