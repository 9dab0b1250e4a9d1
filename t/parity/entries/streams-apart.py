# SPDX-License-Identifier: Apache-2.0
#: title standard output and error are two streams
#: out to stdout
#: err to stderr
import sys

print("to stdout")
print("to stderr", file=sys.stderr)
