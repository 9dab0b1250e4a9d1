# SPDX-License-Identifier: Apache-2.0
"""stream_flood MIB: mIB mebibytes of numbered lines."""

import os
import sys

block = b"".join(b"%015d\n" % i for i in range(65536))
for _ in range(int(sys.argv[1])):
    view = memoryview(block)
    while view:
        view = view[os.write(1, view) :]
