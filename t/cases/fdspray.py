# SPDX-License-Identifier: Apache-2.0
import os

for fd in range(3, 256):
    try:
        os.write(fd, b'\x00\x00\x00\x10{"exit_code": 0}\n')
    except OSError:
        pass
print("still here")
raise SystemExit(6)
