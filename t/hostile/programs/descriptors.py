# SPDX-License-Identifier: Apache-2.0
"""descriptors: opens all that there are, and holds them."""

import os

n = 0
try:
    while True:
        os.open("/dev/null", os.O_RDONLY)
        n += 1
except OSError as e:
    os.write(1, f"descriptors {n} {e.errno}\n".encode())
while True:
    try:
        while True:
            pass
    except KeyboardInterrupt:
        pass
