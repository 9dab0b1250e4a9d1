# SPDX-License-Identifier: Apache-2.0
"""The conversations of hostile guests, for converse.py: each a row of steps and what is
right of it (talk.py)."""

import struct

from talk import *
from talks_files import files, paths


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
