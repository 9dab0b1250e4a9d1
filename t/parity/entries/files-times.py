# SPDX-License-Identifier: Apache-2.0
#: title times of files: set to the nanosecond, and now for new ones
#: out 1234567890123456789
#: out True
import os
import time
from pathlib import Path

Path("file").write_text("a")
os.utime("file", ns=(0, 1234567890123456789))
print(os.stat("file").st_mtime_ns)
Path("new").write_text("a")
print(abs(os.stat("new").st_mtime - time.time()) < 5)
