# SPDX-License-Identifier: Apache-2.0
#: title two names of one file are two files outside
#: options -o kept
#: kept 644 ca978112 one
#: kept 644 ca978112 two
#: out 2
import os
from pathlib import Path

Path("one").write_text("a")
os.link("one", "two")
print(os.stat("one").st_nlink)
