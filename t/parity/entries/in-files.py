# SPDX-License-Identifier: Apache-2.0
#: title -i brings a file, also under another name, with its bits, owned by the user
#: setup printf 'a,b\n1,2\n' >data.csv; printf '#!/bin/sh\necho ran\n' >tool
#: setup chmod 640 data.csv; chmod 755 tool
#: options -i data.csv -i data.csv:'other name.csv' -i tool
#: out data.csv 640 1000 1000 a,b|1,2|
#: out in-files.py 644 1000 1000
#: out other name.csv 640 1000 1000 a,b|1,2|
#: out tool 755 1000 1000
#: out ran
import os
import subprocess

for name in sorted(os.listdir()):
    st = os.stat(name)
    words = [name, f"{st.st_mode & 0o7777:o}", st.st_uid, st.st_gid]
    if name.endswith(".csv"):
        with open(name) as f:
            words.append(f.read().replace("\n", "|"))
    print(*words)
print(subprocess.run(["./tool"], capture_output=True, text=True).stdout, end="")
