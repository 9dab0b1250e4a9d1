# SPDX-License-Identifier: Apache-2.0
#: title children: pipes, statuses, signals, a shell
#: out b'HELLO' 0
#: out 3 -9 127
#: out /workspace
#: out FileNotFoundError
import subprocess

done = subprocess.run(["tr", "a-z", "A-Z"], input=b"hello", capture_output=True)
print(done.stdout, done.returncode)
print(
    subprocess.call("exit 3", shell=True),
    subprocess.call("kill -9 $$", shell=True),
    subprocess.call("nosuchcommand 2>/dev/null", shell=True),
)
print(
    subprocess.check_output(
        "cd / && cd - >/dev/null; pwd", shell=True, text=True
    ).strip()
)
try:
    subprocess.run(["/nosuchcommand"])
except FileNotFoundError as e:
    print(type(e).__name__)
