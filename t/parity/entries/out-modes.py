# SPDX-License-Identifier: Apache-2.0
#: title plain modes are kept under the caller's umask, readable; no setuid, no sticky
#: options -o kept
#: kept 600 ca978112 private
#: kept 755 ca978112 run.sh
#: kept 644 ca978112 fixed
#: kept 755 ca978112 setuid
#: kept 700 - locked
#: kept 755 - open
import os
from pathlib import Path

for name, mode in (
    ("private", 0o600),
    ("run.sh", 0o755),
    ("fixed", 0o444),
    ("setuid", 0o6755),
):
    Path(name).write_text("a")
    os.chmod(name, mode)
for name, mode in (("locked", 0o700), ("open", 0o1777)):
    os.mkdir(name)
    os.chmod(name, mode)
