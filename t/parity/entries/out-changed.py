# SPDX-License-Identifier: Apache-2.0
#: title kept are new and changed files, not inputs that are as they came
#: setup printf same >same.txt; printf old >changed.txt; printf gone >gone.txt
#: options -i same.txt -i changed.txt -i gone.txt -o kept
#: kept 644 11507a0e new.txt
#: kept 644 d9298a10 changed.txt
import os
from pathlib import Path

Path("new.txt").write_text("new")
Path("changed.txt").write_text("other")
os.unlink("gone.txt")
Path("/tmp/elsewhere.txt").write_text("not kept")
