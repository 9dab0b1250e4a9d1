# SPDX-License-Identifier: Apache-2.0
#: title of processes only init and the program's own are in view, and init is safe
#: out True
#: out kill EPERM
#: out kill EPERM
#: out /proc/1/environ False
#: out /proc/1/mem False
#: out /proc/1/root False
#: out alive
import errno
import os
import signal

pids = sorted(int(name) for name in os.listdir("/proc") if name.isdigit())
print([pid for pid in pids if pid != 1] == [os.getpid()])
for number in (signal.SIGKILL, 0):
    try:
        os.kill(1, number)
        print("kill DONE")
    except OSError as e:
        print("kill", errno.errorcode[e.errno])
for path in ("/proc/1/environ", "/proc/1/mem"):
    try:
        with open(path, "rb") as f:
            print(path, bool(f.read(1)))
    except OSError:
        print(path, False)
try:
    print("/proc/1/root", bool(os.readlink("/proc/1/root")))
except OSError:
    print("/proc/1/root", False)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
try:
    os.kill(-1, signal.SIGTERM)
except ProcessLookupError:
    pass  # there is nobody else
print("alive")
