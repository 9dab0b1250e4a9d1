# SPDX-License-Identifier: Apache-2.0
#: title folders are kept, empty ones too, however deep
#: options -o kept
#: kept 755 - a
#: kept 755 - a/b
#: kept 755 - a/b/c
#: kept 644 ca978112 a/b/c/file
#: kept 755 - empty
#: kept 755 - empty/below
import os
from pathlib import Path

os.makedirs("a/b/c")
os.makedirs("empty/below")
Path("a/b/c/file").write_text("a")
