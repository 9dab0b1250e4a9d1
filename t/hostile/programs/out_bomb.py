# SPDX-License-Identifier: Apache-2.0
"""out_bomb: archives that would do harm to whoever unpacks them; prints their digests."""

import hashlib
import io
import tarfile
import zipfile

with zipfile.ZipFile("bomb.zip", "w", zipfile.ZIP_DEFLATED) as z:
    z.writestr("zeros", b"\0" * (32 << 20))
    z.writestr("../../../../tmp/pai-planted-zip", "x")
with tarfile.open("evil.tar", "w") as t:
    for name, kind, link in (
        ("l", tarfile.SYMTYPE, "/tmp"),
        ("l/pai-planted-tar", tarfile.REGTYPE, ""),
        ("../up", tarfile.REGTYPE, ""),
        ("h", tarfile.LNKTYPE, "/etc/passwd"),
        ("dev", tarfile.CHRTYPE, ""),
    ):
        info = tarfile.TarInfo(name)
        info.type, info.linkname = kind, link
        t.addfile(info, io.BytesIO(b""))
for name in "bomb.zip", "evil.tar":
    with open(name, "rb") as f:
        print(hashlib.sha256(f.read()).hexdigest(), "", name)
