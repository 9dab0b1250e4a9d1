# SPDX-License-Identifier: Apache-2.0
"""The conversations of hostile guests, for converse.py: each a row of steps for
t/fake-guest.c in our own wire (lib/wire), and what is right of it."""

import os
import struct

RSS_MAX = 16 << 20  # bytes; what a guest may cost
WITHIN = 1.0  # seconds from the bad message on
SENT = "the sandbox sent what it must not: "
DIED = "the sandbox died before the program's end"

FILE, DATA, END = 4, 5, 6
(
    HELLO, CREDIT, READY, STARTED, ENDED, SKIPPED, NOTE, DONE, SPENT, FAIL, RESULT, GONE
) = range(64, 76)  # fmt: skip
BEGIN, TEXT, HTML, JSON, DATA_KEY, RESULT_END = 0, 1, 2, 9, 11, 14  # of a result
UNCOUNTED = (1 << 64) - 1
PLANTED = b"/tmp/pai-planted"


def step(letter, data=b""):
    return letter.encode() + struct.pack("<I", len(data)) + data


def say(*frames):
    return step("w", b"".join(frames))


def frame(kind, body=b"", length=None):
    return struct.pack("<BI", kind, len(body) if length is None else length) + body


def text(s):
    return struct.pack("<I", len(s)) + s


def file(path, size=1, mode=0o644, kind=0, place=0, target=b"", mtime=0):
    head = struct.pack("<BBHQQ", kind, place, mode, size, mtime)
    return frame(FILE, head + text(path) + text(target))


def whole(path, data=b"x"):
    return file(path, len(data)) + frame(DATA, data) + frame(END)


def skipped(path, reason=0):
    return frame(SKIPPED, struct.pack("<B", reason) + text(path))


def ended(code=0, signaled=0, by=0, user=1000, system=1000, peak=1 << 20, count=0):
    head = struct.pack("<BBII", signaled, by, code, count)
    return frame(ENDED, head + struct.pack("<QQQ", user, system, peak))


def done(out=UNCOUNTED, err=UNCOUNTED):
    return frame(DONE, struct.pack("<QQ", out, err))


def result(what, data=b""):
    return frame(RESULT, struct.pack("<B", what) + data)


def credit(n):
    return frame(CREDIT, struct.pack("<I", n))


HI = frame(HELLO, struct.pack("<I", int(os.environ.get("PAI_MSG_VERSION", "5"))))
UP = say(HI) + step("s")  # until the host has sent all and START
RAN = UP + say(frame(STARTED))
OVER = RAN + say(ended(7))  # the program has ended with 7
STAY = step("p")


class Talk:
    """One conversation, and what is right: STATUS, the LINE (a pattern) on
    standard error; KEPT: the files that DIR then holds, by name."""

    def __init__(
        self,
        steps,
        line=SENT + ".+",
        status=125,
        kept=None,
        options=(),
        within=WITHIN,
        stay=True,
        rss=RSS_MAX,
    ):
        self.steps = steps + (STAY if stay else b"")
        self.line, self.status, self.kept = line, status, kept
        self.options, self.within, self.rss = list(options), within, rss
        self.ended = OVER in steps


def bad(steps, line=".+", **more):
    return Talk(steps, SENT + line, **more)


def gone(steps, line=DIED, **more):
    return Talk(steps, line, stay=False, **more)


def good(steps, kept=None, line="", status=7, **more):
    return Talk(steps + say(done()), line, status, kept, **more)


def frames():
    """Frames that are none, or come at the wrong time."""
    yield "nothing", gone(b"", "the sandbox did not start: exit status 0")
    yield (
        "half-header-first",
        gone(say(b"\x40\x00"), "the sandbox did not start: exit status 0"),
    )
    # as a sentry that has found a fault in itself: that is no limit of memory
    yield "exits-2", gone(RAN + step("x", b"\x02"))
    yield "half-header", gone(OVER + say(b"\x47\x00"))
    yield "length-plus-one", gone(OVER + say(frame(SKIPPED, b"abc", 4)))
    for name, length in (
        ("huge-length", 0xFFFFFFFF),
        ("negative", 0x80000000),
        ("beyond", (1 << 20) + 1),
    ):
        for where, before in ("first", b""), ("run", RAN), ("collect", OVER):
            yield (
                f"{name}-{where}",
                bad(
                    before + say(frame(SKIPPED, b"", length)),
                    r"a frame of \d+ bytes \(at most 1048576\)",
                ),
            )
    for kind in 0, 1, 3, 7, 12, 13, 63, 76, 0xEE, 0xFF:
        yield (
            f"kind-{kind}",
            bad(OVER + say(frame(kind, b"x")), rf"message {kind} at the wrong time"),
        )
        yield (
            f"kind-{kind}-first",
            bad(say(frame(kind, b"x")), rf"message {kind} at the wrong time"),
        )
    for kind in (
        FILE, DATA, END, STARTED, ENDED, SKIPPED, NOTE, DONE, READY, CREDIT, RESULT, GONE
    ):  # fmt: skip
        yield (
            f"first-{kind}",
            bad(say(frame(kind)), rf"message {kind} at the wrong time"),
        )
        if kind not in (ENDED, CREDIT, NOTE, RESULT):
            yield (
                f"early-{kind}",
                bad(RAN + say(frame(kind)), rf"message {kind} at the wrong time"),
            )
    yield "hello-twice", bad(say(HI, HI), "message 64 at the wrong time")
    yield "hello-late", bad(OVER + say(HI), "message 64 at the wrong time")
    yield (
        "hello-short",
        bad(say(frame(HELLO, b"\2")), "a hello message of the wrong size"),
    )
    yield (
        "hello-long",
        bad(say(frame(HELLO, b"\2\0\0\0\0")), "a hello message of the wrong size"),
    )
    yield (
        "wrong-version",
        Talk(
            say(frame(HELLO, b"\xff" * 4)), r"the image speaks protocol 4294967295, .*"
        ),
    )
    yield (
        "started-twice",
        bad(RAN + say(frame(STARTED)), "message 67 at the wrong time"),
    )
    yield (
        "started-long",
        bad(UP + say(frame(STARTED, b"x")), "a started message of the wrong size"),
    )
    yield "ended-twice", bad(OVER + say(ended()), "message 68 at the wrong time")
    yield "done-twice", bad(OVER + say(done(), done()), "message 71 at the wrong time")
    yield (
        "file-after-done",
        bad(OVER + say(done(), file(b"late")), "message 4 at the wrong time"),
    )
    yield "done-short", bad(OVER + say(frame(DONE)), "a done message of the wrong size")
    yield "reset", gone(step("c"), "the sandbox did not start.*")
    yield "reset-late", gone(RAN + step("c") + STAY)
    yield "eof-no-done", gone(OVER)
    yield "eof-no-end", gone(RAN)


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


def numbers():
    """Outcomes, counts and texts that cannot be."""
    for name, body in {
        "code-256": {"code": 256}, "code-huge": {"code": 0xFFFFFFFF}, "signal-0": {"signaled": 1}, "signal-65": {"signaled": 1, "code": 65},
        "signaled-2": {"signaled": 2, "code": 9}, "by-3": {"by": 3}, "by-255": {"by": 255}, "user": {"user": UNCOUNTED}, "sys": {"system": 1 << 63},
        "peak": {"peak": 1 << 60},
    }.items():  # fmt: skip
        yield f"ended-{name}", bad(RAN + say(ended(**body)), "a status message .*")
    yield "ended-short", bad(RAN + say(frame(ENDED, b"\0")), "a status message .*")
    # what only a session's guest may say
    yield "rests", bad(RAN + say(ended(count=1)), "a kernel that rests, of no session")
    yield (
        "rests-killed",
        bad(RAN + say(ended(9, signaled=1, count=1)), "a status message .*"),
    )
    yield "gone", bad(OVER + say(frame(GONE, text(b"a"))), ".*")
    yield "as-input", bad(OVER + say(file(b"a", place=3)), ".*")
    yield (
        "credit-nothing-owed",
        bad(RAN + say(credit(2)), "credit for more than was sent"),
    )
    yield (
        "credit-huge",
        bad(RAN + say(credit(0xFFFFFFFF)), "credit for more than was sent"),
    )
    yield (
        "credit-storm",
        bad(
            RAN + step("r", struct.pack("<I", 1 << 20) + credit(0)),
            "credit for less than was sent",
        ),
    )
    yield (
        "note-not-asked",
        bad(
            RAN + say(frame(NOTE, b"\0x")),
            "a note that was not asked for",
        ),
    )
    yield (
        "result-not-asked",
        bad(
            RAN + say(result(BEGIN, b"\0")),
            "a result that was not asked for",
        ),
    )
    yield "skip-reason", bad(OVER + say(skipped(b"a", 200)), options=["-o", "out"])
    yield (
        "skip-storm",
        bad(
            OVER
            + step("r", struct.pack("<I", 1 << 20) + skipped(b"d/" * 60 + b"x" * 255)),
            "too many left-out files",
            options=["-o", "out"],
        ),
    )
    yield (
        "fail-huge",
        Talk(
            UP + say(frame(FAIL, b"\0" + b"\x1b[2J\n\xff" * 100000)),
            r"the sandbox could not go on: \\x1b\[2J\\x0a\\xff.*",
        ),
    )
    # what comes behind it is no part of it
    yield (
        "fail-long",
        Talk(
            UP + say(frame(FAIL, b"\0" + b"a" * 299), frame(ord("Z"))),
            "the sandbox could not go on: a{299}",
        ),
    )
    yield (
        "fail-empty",
        Talk(UP + say(frame(FAIL, b"\0")), "the sandbox could not go on: "),
    )
    yield (
        "fail-collect",
        Talk(OVER + say(frame(FAIL, b"\0" + b"no")), "the sandbox could not go on: no"),
    )


def streams():
    """Raw bytes that lie about themselves; a guest that never stops."""
    forged = whole(b"forged") + done()
    yield (
        "forged",
        good(
            UP
            + say(frame(STARTED))
            + step("o", forged)
            + step("e", b"")
            + say(ended(7)),
            {},
            options=["-o", "out"],
        ),
    )
    yield "few", Talk(RAN + step("o", b"hello\n") + say(ended(7), done(0, 0)), "", 7)
    yield (
        "lie",
        Talk(
            RAN + step("o", b"hello\n") + say(ended(7), done(1 << 50, 0)),
            "the sandbox fell silent before all output had come",
            within=31,
        ),
    )
    yield (
        "lie-eof",
        Talk(
            RAN + step("o", b"hello\n") + say(ended(7), done(1 << 50, 0)),
            ".*",
            None,
            stay=False,
        ),
    )
    yield (
        "flood-before-hello",
        good(step("f", b"\1") + OVER, rss=32 << 20),
    )  # JSON holds 10M of it
    yield "flood-after-done", good(RAN + step("f", b"\1") + say(ended(7)))


def stalls():
    """A guest that says no more: the deadline of each phase."""
    late = {"within": 31}
    start = "the sandbox did not start within 30 s"
    yield "boot", Talk(b"", start, **late)
    yield "start", Talk(UP, start, **late)
    yield "collect", Talk(OVER, "the sandbox fell silent while it sent files", **late)
    yield (
        "load",
        Talk(
            say(HI),
            start,
            options=["-i", "/usr/bin/bash:big"],
            **late,
        ),
    )


def notes():
    """Notes of an exception: asked for with --json only."""
    yield from {
        "which-3": bad(RAN + say(frame(NOTE, b"\3x"))),
        "empty": bad(RAN + say(frame(NOTE))),
        "no-bytes-storm": bad(
            RAN + step("r", struct.pack("<I", 1 << 20) + frame(NOTE, b"\0"))
        ),
        "long": bad(
            RAN + say(*[frame(NOTE, b"\2" + b"x" * 32000)] * 9),
            "a note that is too long",
        ),
        "long-part": bad(
            RAN + say(frame(NOTE, b"\2" + b"x" * 40000)), "a note that is too long"
        ),
        "again": bad(
            RAN + say(*(frame(NOTE, w + b"x") for w in (b"\0", b"\1", b"\0"))),
            "a second note of one kind",
        ),
        "late": bad(OVER + say(frame(NOTE, b"\0x")), "message 70 at the wrong time"),
        "control": good(
            RAN
            + say(
                frame(NOTE, b"\0E\x1b\n\0\xff"),
                frame(NOTE, b'\1"\\'),
                frame(NOTE, b"\2\xed\xa0\x80"),
                ended(7),
            )
        ),
    }.items()


def results():
    """Results: asked for with --json only."""
    begin, end = result(BEGIN, b"\0"), result(RESULT_END)
    chunk = b"\0" * (32 << 10)
    large = say(begin) + step("r", struct.pack("<I", 512) + result(TEXT, chunk))  # 16M
    yield from {
        "no-begin": bad(RAN + say(result(TEXT, b"x")), ".* without its begin"),
        "no-begin-end": bad(RAN + say(end), ".* without its begin"),
        "begin-twice": good(
            RAN
            + say(begin, result(TEXT, b"x"), begin, result(HTML, b"x"), end, ended(7))
        ),
        "begin-2": bad(RAN + say(result(BEGIN, b"\2"))),
        "begin-empty": bad(RAN + say(result(BEGIN))),
        "empty": bad(RAN + say(frame(RESULT))),
        "end-long": bad(RAN + say(begin, result(RESULT_END, b"x"))),
        "key-15": bad(RAN + say(begin, result(15, b"x"))),
        "key-255": bad(RAN + say(begin, result(255, b"x"))),
        "order": bad(
            RAN + say(begin, result(HTML, b"x"), result(TEXT, b"x")),
            "the parts of a result in the wrong order",
        ),
        "no-bytes-storm": bad(
            RAN + say(begin) + step("r", struct.pack("<I", 1 << 20) + result(TEXT)),
            "an empty part of a result",
        ),
        "part-long": bad(
            RAN + say(begin, result(TEXT, chunk + b"x")),
            r"a part of a result of 32769 bytes \(at most 32768\)",
        ),
        "value-long": bad(
            RAN + large + say(result(TEXT, b"x")),
            "a value of a result of more than 16777216 bytes",
            rss=64 << 20,
        ),
        "late": bad(OVER + say(begin), "message 74 at the wrong time"),
        "open": good(RAN + say(begin, result(TEXT, b"x"), ended(7))),
        "malformed": good(
            RAN
            + say(begin, result(JSON, b"[" * 30000), result(DATA_KEY, b"{n}"), end)
            + say(begin, result(JSON, b"s\xff\xff\xff\xff"), end, ended(7))
        ),
        "control": good(
            RAN + say(begin, result(TEXT, b"\x1b[2J\0\xff\xc2\x9b"), end, ended(7))
        ),
        "storm": good(
            RAN
            + step("r", struct.pack("<I", 1 << 17) + begin + result(HTML, b"x") + end)
            + say(ended(7))
        ),
        # six bytes of JSON for each of theirs: left out
        "large-storm": good(
            RAN + (large + say(end)) * 4 + say(ended(7)),
            rss=96 << 20,
            within=3,
        ),
    }.items()


GROUPS = {
    f.__name__: f
    for f in (frames, files, paths, numbers, streams, stalls, notes, results)
}
