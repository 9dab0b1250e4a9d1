# SPDX-License-Identifier: Apache-2.0
#: title a child reads on where its parent stopped, and /dev/stdin can be opened
#: stdin printf 'one\ntwo\nthree\n'
#: out b'one\n'
#: out two
#: out b'' b'three\n'
import os
import subprocess

print(os.read(0, 4))
subprocess.run(["/bin/sh", "-c", 'read -r line && echo "$line"'], check=True)
with open("/dev/stdin", "rb") as f:
    rest = f.read()
print(os.read(0, 10), rest)
