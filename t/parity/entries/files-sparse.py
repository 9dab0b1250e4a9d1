# SPDX-License-Identifier: Apache-2.0
#: title a file's blocks are those that were written, not its length
#: out 1048576 True
import os

with open("sparse", "wb") as f:
    f.truncate(1 << 20)
st = os.stat("sparse")
print(st.st_size, st.st_blocks * 512 < st.st_size)
