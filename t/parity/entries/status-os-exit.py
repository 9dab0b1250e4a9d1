# SPDX-License-Identifier: Apache-2.0
#: title os._exit() ends at once, with what was printed
#: exit 99
#: out before
import atexit
import os

atexit.register(print, "never")
print("before")
os._exit(99)
