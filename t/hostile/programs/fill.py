# SPDX-License-Identifier: Apache-2.0
"""fill FILES: fills every place that can be written, with bytes, then with FILES
empty files, and lives to tell."""

import errno
import os
import sys

chunk = os.urandom(1 << 20)
most = int(sys.argv[1])


def word(e):
    return errno.errorcode.get(e.errno, e.errno)


for place in (os.getcwd(), "/tmp", os.path.expanduser("~"), "/dev/shm"):
    written = 0
    try:
        with open(os.path.join(place, "fill"), "wb", buffering=0) as f:
            while True:
                written += f.write(chunk)
    except OSError as e:
        print("bytes", place, word(e), written >> 20)
    made = 0
    try:
        for made in range(most):
            os.close(os.open(f"{place}/i{made}", os.O_CREAT | os.O_WRONLY))
        print("files", place, "all", most)
    except OSError as e:
        print("files", place, word(e), made)
print("alive")
