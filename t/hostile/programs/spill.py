# SPDX-License-Identifier: Apache-2.0
"""spill: all that a program can learn about where it runs."""

import glob
import os
import platform
import socket

PATTERNS = [
    "/proc/*/environ",
    "/proc/*/cmdline",
    "/proc/cmdline",
    "/proc/self/mountinfo",
    "/proc/self/cgroup",
    "/proc/version",
    "/proc/keys",
    "/proc/net/*",
    "/proc/partitions",
    "/proc/sysvipc/*",
    "/proc/cpuinfo",
    "/proc/sys/kernel/random/*id",
    "/etc/machine-id",
    "/etc/host*",
    "/etc/resolv.conf",
    "/sys/class/dmi/id/*",
    "/sys/class/net/*/address",
    "/sys/hypervisor/uuid",
    "/sys/firmware/**",
    "/dev/shm/*",
    "/run/**",
]
print("environment", *sorted(os.environ))
print(dict(os.environ), os.getcwd(), platform.uname(), socket.gethostname())
for path in (p for pattern in PATTERNS for p in glob.glob(pattern, recursive=True)):
    if os.path.isfile(path):
        try:
            with open(path, "rb") as f:
                print(path, f.read(1 << 16))
        except OSError:
            pass
