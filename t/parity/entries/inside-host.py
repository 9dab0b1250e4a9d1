# SPDX-License-Identifier: Apache-2.0
#: title host name, kernel and processor: no word of the host
#: out True True
#: out Linux x86_64
import os
import re
import socket

uname = os.uname()
name = socket.gethostname()
with open("/proc/sys/kernel/hostname") as f:
    same = f.read().strip() == name == uname.nodename
print(bool(re.fullmatch("pai-[0-9a-f]{8}", name)), same)
print(uname.sysname, uname.machine)
