# SPDX-License-Identifier: Apache-2.0
#: title setuid bits have no effect
#: out 6755 1000 1000
import os
import shutil
import subprocess

shutil.copy("/usr/bin/id", "id")
os.chmod("id", 0o6755)
uid = subprocess.run(["./id", "-u"], capture_output=True, text=True).stdout.strip()
gid = subprocess.run(["./id", "-g"], capture_output=True, text=True).stdout.strip()
print(f"{os.stat('id').st_mode & 0o7777:o}", uid, gid)
# and where the image has one of root's, it makes nobody root
for path in ("/usr/bin/su", "/usr/bin/mount", "/usr/bin/passwd", "/usr/bin/newgrp"):
    if os.path.exists(path) and os.stat(path).st_mode & 0o4000:
        child = os.posix_spawn(path, [path, "--help"], os.environ)
        if os.stat(f"/proc/{child}").st_uid != 1000:
            print(path, "IS ROOT")
        os.waitpid(child, 0)
