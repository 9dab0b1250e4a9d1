# SPDX-License-Identifier: Apache-2.0
#: title the folders of a program: owner, mode, /mnt/data, an empty /workspace
#: out /home/user 700 1000 1000
#: out /tmp 1777 0 0
#: out /workspace 755 1000 1000
#: out /dev/shm 1777 0 0
#: out /workspace ['files-places.py'] []
import os

for path in ("/home/user", "/tmp", "/workspace", "/dev/shm"):
    st = os.stat(path)
    print(path, f"{st.st_mode & 0o7777:o}", st.st_uid, st.st_gid)
print(os.path.realpath("/mnt/data"), os.listdir("/workspace"), os.listdir("/tmp"))
