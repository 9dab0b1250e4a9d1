# SPDX-License-Identifier: Apache-2.0
#: title where both streams are one file, the order is the program's
#: mode one
#: out out 0
#: out err 0
#: out out 1
#: out err 1
#: out child
#: out out 2
#: out err 2
import subprocess
import sys

for n in range(3):
    if n == 2:
        subprocess.run(["/bin/sh", "-c", "echo child >&2"], check=True)
    print("out", n)
    print("err", n, file=sys.stderr)
