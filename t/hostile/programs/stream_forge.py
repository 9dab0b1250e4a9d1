# SPDX-License-Identifier: Apache-2.0
"""stream_forge: frames of the control channel where only output belongs: FILE, DATA, END, ENDED and
DONE of a run that went well; then the program fails."""

import os
import struct
import sys


def frame(kind, body=b""):
    return struct.pack("<BI", kind, len(body)) + body


path = struct.pack("<BBHQQI", 0, 0, 0o644, 1, 0, 6) + b"forged" + bytes(4)
forged = b"".join(
    (
        frame(68, bytes(30)),
        frame(4, path),
        frame(5, b"x"),
        frame(6),
        frame(71, b"\xff" * 16),
    )
)
for fd in range(10):
    try:
        os.write(fd, forged)
    except OSError:
        print(fd, "refused", file=sys.stderr)
sys.exit(3)
