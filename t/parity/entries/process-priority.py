# SPDX-License-Identifier: Apache-2.0
#: title a program may lower its priority and not raise it
#: out 0 5
#: out PermissionError
import os

print(os.nice(0), os.nice(5))
try:
    os.nice(-5)
except PermissionError as e:
    print(type(e).__name__)
