# SPDX-License-Identifier: Apache-2.0
#: title a file of 2 MB comes in whole
#: setup head -c 2000000 /dev/zero | tr '\0' z >large
#: options -i large
#: out 2000000 1c6c93a8
import hashlib

with open("large", "rb") as f:
    data = f.read()
print(len(data), hashlib.sha256(data).hexdigest()[:8])
