# SPDX-License-Identifier: Apache-2.0
#: title two megabytes arrive whole
#: sha256-out fa7135c2cde94262c989eef00c1ad6c16b53952b40976a3abf92cd1dcba05956
import sys

for n in range(20):
    sys.stdout.buffer.write(b"%099999d\n" % n)
