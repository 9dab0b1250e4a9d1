# SPDX-License-Identifier: Apache-2.0
#: title a file that was never closed is whole
#: options -o kept
#: exit 3
#: kept 644 982d9e3e text
import sys

f = open("text", "w")  # noqa: SIM115
f.write("text")
sys.exit(3)
