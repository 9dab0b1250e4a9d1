# SPDX-License-Identifier: Apache-2.0
"""stream_both: numbered lines to both streams in turn, one write each."""

import os

for i in range(20_000):
    os.write(1 + i % 2, b"%d:%d\n" % (1 + i % 2, i))
