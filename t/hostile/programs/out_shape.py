# SPDX-License-Identifier: Apache-2.0
"""out_shape SHAPE: a tree of an awkward SHAPE."""

import contextlib
import os
import sys

shape = sys.argv[1]
if shape == "deep":
    with open("top", "w") as f:
        f.write("top")
    for _ in range(3000):
        os.mkdir("d")
        os.chdir("d")
elif shape == "many":
    # 200,000, or as many as there may be
    with contextlib.suppress(OSError):
        for i in range(200_000):
            os.close(os.open(f"f{i}", os.O_CREAT | os.O_WRONLY))
elif shape == "links":
    with contextlib.suppress(OSError):
        for i in range(200_000):
            os.symlink("x", f"l{i}")
elif shape == "sparse":
    for name, size in ("t", 1 << 40), ("small", 1 << 20):
        with open(name, "wb") as f:
            f.truncate(size)
elif shape == "big":
    for name in "abcdefgh":
        with open(name, "wb") as f:
            f.write(name.encode() * (4 << 20))
sys.exit(7)
