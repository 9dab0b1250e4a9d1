# SPDX-License-Identifier: Apache-2.0
#: title a child dies of SIGPIPE as on any system
#: out y -13
import subprocess

with subprocess.Popen(["yes"], stdout=subprocess.PIPE) as yes:
    line = yes.stdout.readline().decode().strip()
    yes.stdout.close()
    print(line, yes.wait())
