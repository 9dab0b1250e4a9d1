# SPDX-License-Identifier: Apache-2.0
#: title what tells of the machine is hidden: /sys, kernel memory, logs, identity
#: out /sys []
#: out /proc/kcore nothing
#: out /proc/keys nothing
#: out /proc/kmsg nothing
#: out /proc/timer_list nothing
#: out /proc/sysrq-trigger no write
#: out /etc/machine-id False
#: out /etc/resolv.conf False
#: out /boot []
#: out /modules False
import os

print("/sys", os.listdir("/sys"))
for name in ("kcore", "keys", "kmsg", "timer_list"):
    try:
        with open(f"/proc/{name}", "rb", buffering=0) as f:
            print(f"/proc/{name}", "SOMETHING" if f.read(64) else "nothing")
    except OSError:
        print(f"/proc/{name} nothing")
try:
    with open("/proc/sysrq-trigger", "w") as f:
        f.write("h")
    with open("/proc/sysrq-trigger") as f:
        print("/proc/sysrq-trigger", "no write" if f.read() == "" else "WRITTEN")
except OSError:
    print("/proc/sysrq-trigger no write")
for path in ("/etc/machine-id", "/etc/resolv.conf"):
    print(path, os.path.exists(path))
print("/boot", os.listdir("/boot") if os.path.exists("/boot") else [])
print("/modules", os.path.exists("/modules"))
