# SPDX-License-Identifier: Apache-2.0
#: title with -n standard input is empty
#: options -n
#: stdin echo text
#: out b''
import sys

print(sys.stdin.buffer.read())
