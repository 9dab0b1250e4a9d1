# SPDX-License-Identifier: Apache-2.0
"""knobs: files that change a kernel, and addresses that tell where it is."""

import glob
import os

PATTERNS = [
    "/proc/sys/**",
    "/proc/sysrq-trigger",
    "/proc/1/oom_score_adj",
    "/proc/kcore",
    "/proc/kmem",
    "/proc/mtrr",
    "/proc/acpi/**",
    "/proc/scsi/**",
    "/proc/bus/**",
    "/proc/irq/**",
    "/sys/fs/cgroup/**",
    "/sys/kernel/**",
    "/sys/firmware/**",
    "/sys/module/**",
    "/sys/power/**",
    "/dev/kmsg",
    "/dev/mem",
]
seen = 0
for path in (p for pattern in PATTERNS for p in glob.glob(pattern, recursive=True)):
    if os.path.isdir(path):
        continue
    seen += 1
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
        if not os.path.samefile(path, "/dev/null"):  # which hides some
            print("WRITABLE", path)
    except OSError:
        pass
try:
    with open("/proc/kallsyms") as f:
        known = sum(int(line.split()[0], 16) != 0 for line in f)
except OSError:
    known = 0
print("addresses", known)
print("looked at", seen)
