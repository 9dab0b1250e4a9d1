# SPDX-License-Identifier: Apache-2.0
#: title -i brings a folder whole: names, empty folders, links as links
#: setup mkdir -p in/empty 'in/sub dir'; printf 1 >in/ü.txt; printf 22 >'in/sub dir/日本'
#: setup ln -s ü.txt in/link; ln -s /etc/passwd in/outside; ln -s nowhere in/dangling
#: options -i in
#: out in/dangling -> nowhere
#: out in/empty/
#: out in/link -> ü.txt
#: out in/outside -> /etc/passwd
#: out in/sub dir/
#: out in/sub dir/日本 22
#: out in/ü.txt 1
from pathlib import Path

for path in sorted(Path("in").rglob("*")):
    if path.is_symlink():
        print(path, "->", path.readlink())
    elif path.is_dir():
        print(f"{path}/")
    else:
        print(path, path.read_text())
