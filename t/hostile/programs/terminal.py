# SPDX-License-Identifier: Apache-2.0
"""terminal: puts a command into the input of whatever terminal is in reach."""

import fcntl
import os
import sys
import termios

COMMAND = "echo PAI-INJECTED\n"
for fd in (0, 1, 2):
    print("terminal", fd, os.isatty(fd), file=sys.stderr)
for target in (
    0,
    1,
    2,
    "/dev/tty",
    "/dev/console",
    "/dev/ttyS0",
    "/dev/pts/0",
    "/dev/pts/1",
):
    try:
        fd = (
            target
            if isinstance(target, int)
            else os.open(target, os.O_RDWR | os.O_NOCTTY)
        )
        for letter in COMMAND:
            fcntl.ioctl(fd, termios.TIOCSTI, letter.encode())
        print("INJECTED", target, file=sys.stderr)
    except OSError as e:
        print("refused", target, e.errno, file=sys.stderr)
