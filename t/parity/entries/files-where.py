# SPDX-License-Identifier: Apache-2.0
#: title the root is read-only; /workspace, /tmp, /dev/shm, HOME can be written
#: out / EROFS or EACCES
#: out /dev EROFS or EACCES
#: out /etc EROFS or EACCES
#: out /home EROFS or EACCES
#: out /mnt EROFS or EACCES
#: out /opt EROFS or EACCES
#: out /proc ENOENT or EACCES
#: out /root EROFS or EACCES
#: out /run EROFS or EACCES
#: out /sys EROFS or EACCES
#: out /usr/bin EROFS or EACCES
#: out /usr/lib/pai EROFS or EACCES
#: out /var EROFS or EACCES
#: out /dev/shm written
#: out /home/user written
#: out /mnt/data written
#: out /tmp written
#: out /var/tmp written
#: out /workspace written
import errno
import os

closed = "/ /dev /etc /home /mnt /opt /proc /root /run /sys /usr/bin /usr/lib/pai /var"
for folder in (
    closed + " /dev/shm /home/user /mnt/data /tmp /var/tmp /workspace"
).split():
    path = os.path.join(folder, "parity")
    try:
        with open(path, "w") as f:
            f.write("x")
        print(folder, "written")
    except OSError as e:
        name = errno.errorcode[e.errno]
        usual = ("ENOENT", "EACCES") if folder == "/proc" else ("EROFS", "EACCES")
        print(folder, " or ".join(usual) if name in usual else name)
