# SPDX-License-Identifier: Apache-2.0
#: title around --pids a fork fails with EAGAIN, and the program goes on
#: options --pids=20
#: out EAGAIN True
# gVisor charges one of its seven cgroup hierarchies, and not always that of the
# limit: some more get through. No less than asked for, and not without an end.
import errno
import os
import signal

children = []
try:
    while len(children) < 200:
        child = os.fork()
        if child == 0:
            signal.pause()
        children.append(child)
except OSError as e:
    print(errno.errorcode[e.errno], len(children) >= 19)
for child in children:
    os.kill(child, signal.SIGKILL)
