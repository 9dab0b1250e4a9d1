# SPDX-License-Identifier: Apache-2.0
#: title /dev holds what programs need and no more, and it works
#: out fd -> /proc/self/fd
#: out full crw-rw-rw- 1:7
#: out null crw-rw-rw- 1:3
#: out ptmx -> pts/ptmx
#: out pts r-x
#: out random crw-rw-rw- 1:8
#: out shm rwx
#: out stderr -> /proc/self/fd/2
#: out stdin -> /proc/self/fd/0
#: out stdout -> /proc/self/fd/1
#: out tty crw-rw-rw- 5:0
#: out urandom crw-rw-rw- 1:9
#: out zero crw-rw-rw- 1:5
#: out b'\x00\x00' b'' 8 8 ENOSPC
import errno
import os
import stat

for name in sorted(os.listdir("/dev")):
    path = f"/dev/{name}"
    st = os.lstat(path)
    mode = stat.filemode(st.st_mode)
    if name == "char":
        continue  # gVisor's, empty but for links
    if stat.S_ISLNK(st.st_mode):
        print(name, "->", os.readlink(path))
    elif stat.S_ISCHR(st.st_mode):
        print(name, mode, f"{os.major(st.st_rdev)}:{os.minor(st.st_rdev)}")
    else:
        rights = zip("rwx", (os.R_OK, os.W_OK, os.X_OK), strict=True)
        print(name, "".join(c if os.access(path, bit) else "-" for c, bit in rights))


def read(name, n):
    with open(f"/dev/{name}", "rb", buffering=0) as f:
        return f.read(n)


with open("/dev/full", "wb", buffering=0) as full, open("/dev/null", "wb") as null:
    null.write(b"x")
    try:
        full.write(b"x")
    except OSError as e:
        word = errno.errorcode[e.errno]
print(
    read("zero", 2),
    read("null", 2),
    len(read("random", 8)),
    len(read("urandom", 8)),
    word,
)
