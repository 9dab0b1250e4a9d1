# SPDX-License-Identifier: Apache-2.0
#: title zip, tar, gzip and what is in them
#: out ['a.txt', 'ü/b.txt'] b'bbb' 644
#: out ['a.txt'] b'gz'
import gzip
import tarfile
import zipfile
from pathlib import Path

with zipfile.ZipFile("x.zip", "w", zipfile.ZIP_DEFLATED) as z:
    z.writestr("a.txt", "aaa")
    z.writestr("ü/b.txt", "bbb")
Path("a.txt").write_text("aaa")
with tarfile.open("x.tar.xz", "w:xz") as t:
    t.add("a.txt")
with gzip.open("x.gz", "wb") as g:
    g.write(b"gz")
with zipfile.ZipFile("x.zip") as z, tarfile.open("x.tar.xz") as t:
    mode = f"{t.getmember('a.txt').mode:o}"
    print(z.namelist(), z.read("ü/b.txt"), mode)
    with gzip.open("x.gz") as g:
        print(t.getnames(), g.read())
