# SPDX-License-Identifier: Apache-2.0
#: title at the memory limit all is killed: 137 and `memory`, with all before it
#: options --memory=64M -o kept
#: exit 137
#: status memory
#: signal 9
#: out before
#: kept 644 a11ae064 half.txt
with open("half.txt", "w") as f:
    f.write("half")
print("before")
hoard = []
while True:
    hoard.append(b"x" * (1 << 20))
