# SPDX-License-Identifier: Apache-2.0
"""families: the socket families that open, whatever the type."""

import contextlib
import socket

found = set()
for family in range(64):
    for kind in (1, 2, 3, 5):
        with contextlib.suppress(OSError):
            socket.socket(family, kind, 0).close()
            found.add(family)
print(*sorted(found))
