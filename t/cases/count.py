# SPDX-License-Identifier: Apache-2.0
import sys

print(len(sys.stdin.buffer.read()))
