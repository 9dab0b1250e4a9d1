# SPDX-License-Identifier: Apache-2.0
#: title no capability, in no set; no_new_privs; a system call filter
#: out CapAmb 0
#: out CapBnd 0
#: out CapEff 0
#: out CapInh 0
#: out CapPrm 0
#: out NoNewPrivs 1
#: out Seccomp 2
with open("/proc/self/status") as f:
    status = dict(line.rstrip("\n").split(":\t", 1) for line in f if ":\t" in line)
for name in ("CapAmb", "CapBnd", "CapEff", "CapInh", "CapPrm", "NoNewPrivs", "Seccomp"):
    print(name, int(status[name], 16))
