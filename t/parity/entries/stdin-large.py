# SPDX-License-Identifier: Apache-2.0
#: title two megabytes of standard input arrive whole
#: stdin head -c 2000000 /dev/zero | tr '\0' z
#: out 2000000 1c6c93a8
import hashlib
import sys

data = sys.stdin.buffer.read()
print(len(data), hashlib.sha256(data).hexdigest()[:8])
