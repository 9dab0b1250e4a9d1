# SPDX-License-Identifier: Apache-2.0
#: title each turn keeps what it made or changed, and all files go on
#: options --output-dir=kept
#: turns 0 0 0
#: kept 644 ca978112 a
#: kept 644 3b64db95 b
#: kept 755 - d
#: kept 644 2e7d2c03 d/c
#: out ['b', 'd', 'session-files.py'] bb
import os

open("a", "w").write("a")
open("b", "w").write("b")
# %%
os.mkdir("d")
open("d/c", "w").write("c")
open("b", "a").write("b")
# %%
os.remove("a")
print(sorted(os.listdir()), open("b").read())
