# SPDX-License-Identifier: Apache-2.0
import os

for name in [
    "\u043e\u0442\u0447\u0451\u0442 2024.csv",
    "\u58f2\u4e0a.csv",
    "-rf",
    "a\nb.txt",
    " lead.txt",
    "q'uote\".txt",
    "%s.txt",
    "*.txt",
    "$(id).txt",
    ".hidden",
]:
    with open(name, "w") as f:
        f.write(name)
os.makedirs("dir \u00e9/x")
with open("dir \u00e9/x/in.txt", "w") as f:
    f.write("in.txt")
with open(b"caf\xe9.bin", "wb") as f:
    f.write(b"latin")
