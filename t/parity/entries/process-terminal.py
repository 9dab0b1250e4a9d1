# SPDX-License-Identifier: Apache-2.0
#: title a pseudo-terminal can be made; there is no controlling one
#: out True b'typed\r\n'
#: out ENXIO
import errno
import os

ours, theirs = os.openpty()
os.write(theirs, b"typed\n")
print(os.isatty(theirs), os.read(ours, 100))
try:
    os.open("/dev/tty", os.O_RDWR)
except OSError as e:
    print(errno.errorcode[e.errno])
