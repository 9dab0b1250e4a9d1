# SPDX-License-Identifier: Apache-2.0
"""spin: ignores every signal that can be, and never ends."""

import signal

for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
print("spinning", flush=True)
while True:
    try:
        while True:
            pass
    except BaseException:
        pass
