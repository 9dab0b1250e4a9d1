# SPDX-License-Identifier: Apache-2.0
#: title a child that is left behind does not hold the end, and is ended
#: out left
#: options -t 30s
import subprocess

subprocess.Popen(["sleep", "1000"])
subprocess.Popen(
    ["sh", "-c", "trap '' TERM HUP INT; sleep 1000"], start_new_session=True
)
print("left")
