# SPDX-License-Identifier: Apache-2.0
#: title a file of 16 MB in /workspace, written and read back
#: out 16777216 True
block = bytes(range(256)) * 4096
with open("large", "wb") as f:
    for _ in range(16):
        f.write(block)
with open("large", "rb") as f:
    same = all(f.read(len(block)) == block for _ in range(16))
    print(f.tell(), same)
