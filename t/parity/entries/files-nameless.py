# SPDX-License-Identifier: Apache-2.0
#: title a file without a name can be made (O_TMPFILE)
#: out b'text'
import os

try:
    fd = os.open("/tmp", os.O_TMPFILE | os.O_RDWR, 0o600)
    os.write(fd, b"text")
    print(os.pread(fd, 10, 0))
except OSError as e:
    print(e)
