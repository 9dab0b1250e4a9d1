# SPDX-License-Identifier: Apache-2.0
#: title /dev/stdout and /dev/stderr can be opened, for writing and appending
#: out first
#: out second
#: out third
#: err fourth
print("first")
with open("/dev/stdout", "w") as f:
    f.write("second\n")
with open("/dev/stdout", "a") as f:
    f.write("third\n")
with open("/dev/stderr", "w") as f:
    f.write("fourth\n")
