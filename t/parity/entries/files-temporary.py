# SPDX-License-Identifier: Apache-2.0
#: title tempfile uses /tmp, and its files are private
#: out /tmp 600 700
import os
import tempfile

with tempfile.NamedTemporaryFile() as f, tempfile.TemporaryDirectory() as d:
    modes = [f"{os.stat(p).st_mode & 0o7777:o}" for p in (f.name, d)]
    print(os.path.dirname(f.name), *modes)
