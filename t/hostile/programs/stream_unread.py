# SPDX-License-Identifier: Apache-2.0
"""stream_unread: reads ten bytes of its standard input and no more."""

import sys

print(sys.stdin.buffer.raw.read(10))
