# SPDX-License-Identifier: Apache-2.0
#: title standard input has every byte
#: stdin for n in {0..255}; do printf "\\x$(printf %x "$n")"; done
#: out 256 True
import sys

data = sys.stdin.buffer.read()
print(len(data), data == bytes(range(256)))
