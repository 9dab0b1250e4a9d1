# SPDX-License-Identifier: Apache-2.0
#: title one interpreter, with the same flags
#: out 3.13 cpython linux
#: out /usr/bin/python3
#: out True 1 0 0 0 0
import sys

print(
    f"{sys.version_info[0]}.{sys.version_info[1]}",
    sys.implementation.name,
    sys.platform,
)
print(sys.executable)
flags = sys.flags
print(
    flags.safe_path,
    flags.dont_write_bytecode,
    flags.optimize,
    flags.no_site,
    flags.hash_randomization,
    flags.isolated,
)
