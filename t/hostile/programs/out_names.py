# SPDX-License-Identifier: Apache-2.0
"""out_names: names that a shell, a terminal, a parser or another system could stumble over: one
file each, which holds its own name. Prints how many there are."""

NAMES = [
    *(b"-rf", b"--help", b"a\nb", b"a\rb", b"\x1b]0;title\x07", b"\x1b[2J", b"\x9b31m"),
    *(b"a\\b", b"C:evil", b"con", b" lead", b"trail ", b".hidden", b"...", b"~root"),
    *(b"$(id)", b"`id`", b"*", b"\xff\xfe", b"\xe2\x80\xaegnp.exe", b"caf\xc3\xa9"),
    *(b"cafe\xcc\x81", b"README", b"readme", b"x" * 255, b".git", b"%s%n", b"<img>"),
    *(b'"},{"path":"x"', b".pai-exec", b"manifest.json", b"\xed\xa0\x80", b"\x7f"),
]
for name in NAMES:
    with open(name, "wb") as f:
        f.write(name)
print(len(NAMES))
