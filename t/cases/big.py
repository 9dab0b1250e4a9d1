# SPDX-License-Identifier: Apache-2.0
import hashlib
import random
import sys

random.seed(7)
data = random.randbytes(64 * 1024 * 1024)
with open("blob.bin", "wb") as f:
    f.write(data)
print(hashlib.sha256(data).hexdigest(), file=sys.stderr)
sys.stdout.buffer.write(data)
