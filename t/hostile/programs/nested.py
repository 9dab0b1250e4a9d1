# SPDX-License-Identifier: Apache-2.0
"""nested: what a virtual machine in the sandbox would need."""

import os

print("/dev/kvm", os.path.exists("/dev/kvm"))
with open("/proc/cpuinfo") as f:
    flags = {w for line in f if line.startswith("flags") for w in line.split()}
print("flags", *sorted(flags & {"vmx", "svm"}))
