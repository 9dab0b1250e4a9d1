# SPDX-License-Identifier: Apache-2.0
#: title the resource limits, soft and hard
#: options --pids=99
#: out AS -1 -1
#: out CORE 0 0
#: out CPU -1 -1
#: out DATA -1 -1
#: out FSIZE -1 -1
#: out MEMLOCK 8388608 8388608
#: out NOFILE 1024 4096
#: out NPROC 99 99
#: out RSS -1 -1
#: out STACK 8388608 -1
import resource

names = "AS CORE CPU DATA FSIZE MEMLOCK NOFILE NPROC RSS STACK"
for name in names.split():
    print(name, *resource.getrlimit(getattr(resource, "RLIMIT_" + name)))
