# SPDX-License-Identifier: Apache-2.0
#: title what --max-files leaves out is a failure, and the rest is kept
#: options -o kept --max-files=2
#: exit 125
#: status failed
#: error pai-exec
#: kept 644 ca978112 1
#: kept 644 ca978112 2
#: skipped too_many: 3
from pathlib import Path

for n in (1, 2, 3):
    Path(str(n)).write_text("a")
