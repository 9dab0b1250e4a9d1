# SPDX-License-Identifier: Apache-2.0
#: title a sparse file and one of 5 MB are kept whole, an empty one too
#: options -o kept
#: kept 644 e3b0c442 empty
#: kept 644 b857c52b five
#: kept 644 1661ad00 sparse
with open("empty", "wb"):
    pass
with open("five", "wb") as f:
    for n in range(50):
        f.write(b"%099999d\n" % n)
with open("sparse", "wb") as f:
    f.seek(4 << 20)
    f.write(b"end")
