# SPDX-License-Identifier: Apache-2.0
"""stream_terminal: sequences that make a terminal answer, change or lie, on both streams."""

import sys

for text in (
    "\x1b]52;c;ZWNobyBwYWk=\x07",
    "\x1b]0;title\x07",
    "\x1b[6n",
    "\x1bP$qm\x1b\\",
    "\x1b[2J\x1b[H$ prompt",
    "\x9b31m",
    "\x1b]8;;http://x\x07l\x1b]8;;\x07",
    "\x1b[?1049h",
    "\x0e",
    "\x1b[21t",
    "\x1b[>c",
    "\x05",
):
    sys.stdout.write(text + "\n")
    sys.stderr.write(text + "\n")
raise ValueError("\x1b]0;in-the-error\x07")
