# SPDX-License-Identifier: Apache-2.0
#: title SIGKILL by itself is `signal`, not the memory limit
#: exit 137
#: status signal
#: signal 9
#: out before
import os
import signal

print("before")
os.kill(os.getpid(), signal.SIGKILL)
