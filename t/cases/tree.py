# SPDX-License-Identifier: Apache-2.0
import subprocess

subprocess.Popen(
    ["sh", "-c", "trap '' TERM HUP INT; while :; do sleep 1; done"],
    start_new_session=True,
)
subprocess.run(["sleep", "600"])
