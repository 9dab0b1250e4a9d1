# SPDX-License-Identifier: Apache-2.0
import os

os.symlink("/etc/passwd", "passwd.txt")
os.symlink("/", "rootdir")
os.symlink("../../../../../../../../tmp", "up")
os.makedirs("real")
with open("real/ok.txt", "w") as f:
    f.write("ok\n")
os.symlink("real/ok.txt", "inner.txt")
os.link("real/ok.txt", "hard.txt")
