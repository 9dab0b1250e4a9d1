# SPDX-License-Identifier: Apache-2.0
#: title SIGTERM by itself is 143
#: exit 143
#: status signal
#: signal 15
#: out before
import os
import signal

print("before")
os.kill(os.getpid(), signal.SIGTERM)
