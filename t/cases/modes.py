# SPDX-License-Identifier: Apache-2.0
import os


def put(name, text, mode):
    with open(name, "w") as f:
        f.write(text)
    os.chmod(name, mode)


put("locked.txt", "in\n", 0o000)
put("tool.sh", "#!/bin/sh\necho hi\n", 0o6755)
os.mkdir("shut")
put("shut/in.txt", "1\n", 0o600)
os.chmod("shut", 0o000)
