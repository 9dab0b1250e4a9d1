# SPDX-License-Identifier: Apache-2.0
import sys

sys.stdout.buffer.write(bytes(range(256)))
sys.stdout.buffer.flush()
for i in range(3):
    print(f"\rstep {i}", end="", file=sys.stderr)
