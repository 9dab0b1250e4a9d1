# SPDX-License-Identifier: Apache-2.0
#: title names with blanks, quotes, newlines, any script and 255 bytes are kept
#: options -o kept
#: kept 644 ca978112 ü 日本 🎉.txt
#: kept 644 ca978112 a 'b' "c" \d
#: kept 755 - -rf
#: kept 644 ca978112 -rf/--help
#: kept 644 ca978112 .hidden
#: kept 644 ca978112 n255nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn
#: out ENAMETOOLONG
import errno
import os
from pathlib import Path

os.mkdir("-rf")
for name in ("ü 日本 🎉.txt", "a 'b' \"c\" \\d", "-rf/--help", ".hidden"):
    Path(name).write_text("a")
Path("n255".ljust(255, "n")).write_text("a")
try:
    Path("n" * 256).write_text("a")
except OSError as e:
    print(errno.errorcode[e.errno])
