# SPDX-License-Identifier: Apache-2.0
#: title os.abort() is 134
#: exit 134
#: status signal
#: signal 6
#: out before
import os

print("before")
os.abort()
