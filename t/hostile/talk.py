# SPDX-License-Identifier: Apache-2.0
"""The words of a conversation with pai-exec: a guest's messages in our own wire (lib/wire),
as steps for t/fake-guest.c, and what is right of them."""

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
