# SPDX-License-Identifier: Apache-2.0
#: title uid and gid 1000, `user`, no groups, no way to others
#: out (1000, 1000, 1000) (1000, 1000, 1000) []
#: out user /home/user /bin/bash user
#: out setuid EPERM
#: out setgid EPERM
#: out setgroups EPERM
#: out chown EPERM
#: out chroot EPERM
#: out mknod EPERM
import errno
import grp
import os
import pwd
import stat

print(os.getresuid(), os.getresgid(), os.getgroups())
me = pwd.getpwuid(1000)
print(me.pw_name, me.pw_dir, me.pw_shell, grp.getgrgid(1000).gr_name)
for name, args in (
    ("setuid", (0,)),
    ("setgid", (0,)),
    ("setgroups", ([0],)),
    ("chown", (".", 0, 0)),
    ("chroot", ("/",)),
    ("mknod", ("null", stat.S_IFCHR | 0o666, os.makedev(1, 3))),
):
    try:
        getattr(os, name)(*args)
        print(name, "DONE")
    except OSError as e:
        print(name, errno.errorcode[e.errno])
