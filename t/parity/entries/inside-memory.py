# SPDX-License-Identifier: Apache-2.0
#: title /proc/meminfo can be read, and tells of no less than the limit
#: out True True
with open("/proc/meminfo") as f:
    kib = {line.split(":")[0]: int(line.split()[1]) for line in f}
print(kib["MemTotal"] >= 256 << 10, 0 < kib["MemAvailable"] <= kib["MemTotal"])
