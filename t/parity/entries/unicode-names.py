# SPDX-License-Identifier: Apache-2.0
#: title file names are bytes: UTF-8, decomposed, no UTF-8 at all
#: out ['A', 'a', 'u\u0308', '\xfc', '\udcff']
import os

for name in (b"u\xcc\x88", b"\xc3\xbc", b"\xff", b"a", b"A"):
    with open(os.path.join(b"/home/user", name), "w"):
        pass
print(ascii(sorted(n for n in os.listdir("/home/user") if n[0] != ".")))
