# SPDX-License-Identifier: Apache-2.0
"""Conversations of hostile guests about files and their names: rows for talks.py."""

import os
import struct

from talk import *


def files():
    """Files that are not what they were said to be."""
    o = ["-o", "out"]
    yield (
        "data-without-file",
        bad(
            OVER + say(frame(DATA, b"x")),
            "more bytes of a file than it said",
            options=o,
        ),
    )
    yield (
        "end-without-file",
        bad(OVER + say(frame(END)), "the end of a file that is not whole", options=o),
    )
    yield (
        "file-in-file",
        bad(
            OVER + say(file(b"a"), file(b"b")),
            "a file before the end of another",
            options=o,
        ),
    )
    yield (
        "done-in-file",
        bad(
            OVER + say(file(b"a"), done()), "an end in the middle of a file", options=o
        ),
    )
    yield "eof-in-file", gone(OVER + say(file(b"a", 9), frame(DATA, b"x")), options=o)
    yield (
        "more",
        bad(
            OVER + say(file(b"a"), frame(DATA, b"xx")),
            "more bytes of a file than it said",
            options=o,
        ),
    )
    yield (
        "less",
        bad(
            OVER + say(file(b"a", 2), frame(DATA, b"x"), frame(END)),
            "the end of a file that is not whole",
            options=o,
        ),
    )
    yield (
        "kept-before",
        bad(OVER + say(whole(b"ok"), frame(END)), kept={"ok": b"x"}, options=o),
    )
    for size in 1 << 60, (1 << 63) - 1, 1 << 63, (1 << 64) - 1:
        yield f"size-{size:x}", bad(OVER + say(file(b"a", size)), options=o)
    yield (
        "sum",
        bad(
            OVER + say(whole(b"a", b"x" * 60), file(b"b", 41)),
            "more files than it may",
            options=[*o, "--max-output=100"],
            kept={"a": b"x" * 60},
        ),
    )
    yield (
        "many",
        bad(
            OVER + say(whole(b"a"), file(b"d", 0, kind=1), whole(b"b"), file(b"c")),
            "more files than it may",
            options=[*o, "--max-files=3"],
        ),
    )
    yield (
        "folder-storm",
        bad(
            OVER + step("r", struct.pack("<I", 1 << 20) + file(b"d", 0, kind=1)),
            "more files than it may",
            options=o,
        ),
    )
    yield (
        "empty-data-storm",
        bad(
            OVER
            + say(file(b"a", 9))
            + step("r", struct.pack("<I", 1 << 20) + frame(DATA)),
            options=o,
        ),
    )
    yield (
        "link",
        bad(OVER + say(file(b"l", 0, 0o777, 2, target=b"/etc/passwd")), options=o),
    )
    yield "link-no-target", bad(OVER + say(file(b"l", 0, 0o777, 2)), options=o)
    yield (
        "target-no-link",
        bad(OVER + say(file(b"l", target=b"/etc/passwd")), options=o),
    )
    yield "as-program", bad(OVER + say(file(b"p", place=1)), options=o)
    yield "kind-9", bad(OVER + say(file(b"p", kind=9)), options=o)
    for mode in 0o4755, 0o2755, 0o1777, 0o100644, 0xFFFF:
        yield f"mode-{mode:o}", bad(OVER + say(file(b"m", mode=mode)), options=o)
    yield "not-asked", bad(OVER + say(file(b"f")), "files that were not asked for")
    yield (
        "not-asked-skip",
        bad(OVER + say(skipped(b"f")), "files that were not asked for"),
    )
    yield (
        "drip",
        good(
            RAN + step("d", ended(7) + whole(b"a", b"drip" * 50)),
            {"a": b"drip" * 50},
            options=o,
        ),
    )
    yield (
        "link-in-dir",
        good(
            OVER + say(whole(b"plant/x")),
            line="'plant/x' not kept: .*",
            status=125,
            options=["-o", "planted"],
        ),
    )
    yield (
        "deep",
        bad(
            OVER + say(file(b"d/" * 66 + b"f")),
            "a file more than 64 folders deep",
            options=o,
        ),
    )


def paths():
    """Names, each as a file that is whole and as one that was left out."""
    wrong = {
        "up": b"../x", "up-inside": b"a/../../x", "absolute": PLANTED, "proc": b"/proc/self/fd/1", "double": b"a//b", "dot-first": b"./x",
        "dot": b"a/./b", "empty": b"", "only-dot": b".", "only-up": b"..", "slash": b"a/", "link-slash": b"lnk/", "nul": b"a\0b", "256": b"x" * 256,
        "6000": b"y/" * 3000 + b"z", "4097": b"y/" * 2048 + b"z", "only-slash": b"/",
    }  # fmt: skip
    right = {
        "latin": b"\xff\xfe", "backslash": b"..\\x", "newline": b"a\nb", "escape": b"\x1b]0;x\x07", "c1": b"\x9b31m", "folder-of-ours": b".pai-exec/manifest",
        "utf-8": b"caf\xc3\xa9", "three-dots": b"...", "255": b"x" * 255, "blank": b" ", "quote": b'"},{"path":"x', "percent": b"%s%n", "option": b"-rf",
    }  # fmt: skip
    o = ["-o", "out"]
    for name, path in wrong.items():
        yield f"path-{name}", bad(OVER + say(whole(path)), options=o)
        yield f"folder-{name}", bad(OVER + say(file(path, 0, kind=1)), options=o)
        yield f"skip-{name}", bad(OVER + say(skipped(path)), options=o)
    for name, path in right.items():
        yield (
            f"path-{name}",
            good(OVER + say(whole(path)), {os.fsdecode(path): b"x"}, options=o),
        )
        yield (
            f"skip-{name}",
            good(
                OVER + say(skipped(path)), {}, line="'.+' not kept: symlink", options=o
            ),
        )
    ours = b".pai-exec.0123456789abcdef"
    yield (
        "path-ours",
        good(
            OVER + say(whole(ours)),
            {},
            line=".* not kept: names with .pai-exec. are our own",
            status=125,
            options=o,
        ),
    )
    twins = {b"dup": b"1", b"DUP": b"2", b"caf\xc3\xa9": b"3", b"cafe\xcc\x81": b"4"}
    yield (
        "twins",
        good(
            OVER + say(*(whole(p, d) for p, d in twins.items())),
            {os.fsdecode(p): d for p, d in twins.items()},
            options=o,
        ),
    )
    yield (
        "twice",
        good(
            OVER + say(whole(b"a", b"1"), whole(b"a", b"22")), {"a": b"22"}, options=o
        ),
    )
    yield (
        "file-as-folder",
        good(
            OVER + say(whole(b"a"), whole(b"a/b")),
            {"a": b"x"},
            line="'a/b' not kept: .*",
            status=125,
            options=o,
        ),
    )
