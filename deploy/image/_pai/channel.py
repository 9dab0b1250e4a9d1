# SPDX-License-Identifier: Apache-2.0
"""The way to pai-guest: one datagram for each part of a result or of an error.

A datagram is the run's token, the kind of frame, its body; lib/wire/msg.h has
the kinds and bodies. The socket is made and closed for each result, so that the
program never finds a descriptor that it has not opened. Only the process that
pai-guest started has something to say: what a child of it shows is text.
"""

import _socket
import os
import resource
import sys
import traceback
from _thread import RLock
from io import StringIO
from struct import pack
from time import sleep

from _pai import __builtins__, run  # noqa: F401

ADDRESS = b"\0pai-results"
FRAME_ENDED, FRAME_NOTE, FRAME_RESULT = b"\x44", b"\x46", b"\x4a"
BEGIN, END = 0, 14
CODES = {
    "text": 1,
    "html": 2,
    "markdown": 3,
    "svg": 4,
    "png": 5,
    "jpeg": 6,
    "pdf": 7,
    "latex": 8,
    "json": 9,
    "javascript": 10,
    "data": 11,
    "chart": 12,
    "extra": 13,
}
RAW = ("png", "jpeg", "pdf")
VALUES = ("json", "data", "chart", "extra")
CHUNK = 32 << 10  # bytes in one datagram
VALUE_MAX = 16 << 20  # bytes of one key
NOTE_MAX = 256 << 10
SPARE = 16  # descriptors
DEPTH_MAX = 64  # lists in lists
COUNT_MAX = 1_000_000  # values in one key
CUT_MAX = 64  # bytes of the words where something was cut
SENTENCE_MAX = 1000  # bytes that the names of what is left out need

PAUSE_MIN, PAUSE_MAX = 0.0005, 0.02  # seconds between two tries to send

sending = RLock()


def is_ours():
    """True if what is shown goes to pai-guest, and not to the streams."""
    told = run()
    return bool(told and told.report and told.pid == os.getpid())


def utf8(text):
    return text.encode("utf-8", "backslashreplace")


class Encoder:
    """The tokens of one value: parts, the number of values, the bytes."""

    def __init__(self):
        self.parts, self.count, self.size = [], 0, 0

    def put(self, part):
        self.parts.append(part)
        self.size += len(part)
        if self.size > VALUE_MAX:
            raise ValueError("it has more than 16 MiB")

    def text(self, text):
        body = utf8(text)
        self.put(b"s" + pack("<I", len(body)) + body)

    def number(self, value):
        if isinstance(value, int) and -(2**63) <= value < 2**63:
            self.put(b"i" + pack("<q", value))
            return
        try:
            value = float(value)
        except OverflowError:
            self.text(str(value))
            return
        finite = value - value == 0
        self.put(b"d" + pack("<d", value) if finite else b"n")

    def simple(self, value):
        """What is no list and no dict; objects of other kinds by their text."""
        if value is None:
            self.put(b"n")
        elif value is True or value is False:
            self.put(b"t" if value else b"f")
        elif isinstance(value, str):
            self.text(value)
        elif isinstance(value, (int, float)):
            self.number(value)
        elif isinstance(value, (bytes, bytearray)):
            self.text(bytes(value).decode("utf-8", "backslashreplace"))
        elif value != value:  # pandas.NaT and numpy's
            self.put(b"n")
        else:
            # dates; a duration's would be another language
            iso = hasattr(value, "isoformat") and not hasattr(value, "total_seconds")
            self.text(value.isoformat() if iso else str(value))

    def value(self, value, depth=0):
        self.count += 1
        if depth > DEPTH_MAX or self.count > COUNT_MAX:
            raise ValueError("it is too deep or has too many values")
        if hasattr(value, "tolist") and hasattr(value, "dtype"):
            value = value.tolist()  # numpy's arrays and numbers
        if isinstance(value, dict):
            self.put(b"{")
            for key, item in value.items():
                self.text(key if isinstance(key, str) else str(key))
                self.value(item, depth + 1)
            self.put(b"}")
        elif isinstance(value, (list, tuple, set, frozenset)):
            self.put(b"[")
            for item in value:
                self.value(item, depth + 1)
            self.put(b"]")
        else:
            self.simple(value)


def encode(key, value):
    """The bytes of VALUE as they cross. Raises ValueError if there are too many."""
    if key in VALUES:
        encoder = Encoder()
        encoder.value(value)
        return b"".join(encoder.parts)
    body = bytes(value) if key in RAW else utf8(str(value))
    if len(body) > VALUE_MAX:
        raise ValueError("it has more than 16 MiB")
    return body


def cut(body, limit):
    """BODY, or its begin and end with a word between them."""
    if len(body) <= limit:
        return body
    half = limit // 2 - CUT_MAX
    # bytes, not characters: no half ones at the border
    begin = body[:half].decode("utf-8", "ignore").encode()
    end = body[-half:].decode("utf-8", "ignore").encode()
    return begin + b"\n[... cut here: it has %d bytes ...]\n" % len(body) + end


def encode_all(values):
    """What is sent of VALUES, {key: value}: a row of (code, bytes). What does not
    cross is left out, and the text says so."""
    bodies, sentences = {}, []
    for key in CODES:
        if values.get(key) is None or key == "text":
            continue
        try:
            bodies[key] = encode(key, values[key])
        except Exception as error:  # the objects are the program's, so anything
            sentences.append(f"[{key} is left out: {error}]")
    text = values.get("text")
    if text is not None or sentences:
        body = cut(utf8(text or ""), VALUE_MAX - SENTENCE_MAX)
        said = utf8("\n".join(sentences))[:SENTENCE_MAX]
        bodies["text"] = body + (b"\n" if body and said else b"") + said
    return [(CODES[key], bodies[key]) for key in CODES if key in bodies]


def head(kind):
    return utf8(run().token) + kind


def send_one(socket, datagram, rights=()):
    """Waits while the queue is full, as long as it takes: so a reader of the run
    that stops reading stops the program. gVisor never wakes who blocks in send()
    on a datagram socket, so this asks again and again."""
    pause = PAUSE_MIN
    while True:
        try:
            socket.sendmsg([datagram], rights)
            return
        except BlockingIOError:
            pass
        sleep(pause)
        pause = min(2 * pause, PAUSE_MAX)


class SpareDescriptors:
    """What we open is no matter of the program's limit, which it may have reached."""

    def __enter__(self):
        self.soft, self.hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        more = min(self.soft + SPARE, self.hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (more, self.hard))

    def __exit__(self, *_):
        resource.setrlimit(resource.RLIMIT_NOFILE, (self.soft, self.hard))


def new_socket():
    with SpareDescriptors():
        return _socket.socket(
            _socket.AF_UNIX, _socket.SOCK_DGRAM | _socket.SOCK_CLOEXEC
        )


def send(kind, parts):
    """Sends PARTS, a row of (code, bytes), each in as many datagrams as it needs.
    pai-guest may be gone or refuse: that is no error of the program."""
    with sending:
        try:
            socket = new_socket()
        except OSError:
            return
        try:
            socket.setblocking(False)
            socket.connect(ADDRESS)
            begin = head(kind)  # now: a session's thread may have waited for a turn
            for code, body in parts:
                for at in range(0, len(body) or 1, CHUNK):
                    send_one(socket, begin + bytes((code,)) + body[at : at + CHUNK])
        except OSError:
            pass
        finally:
            socket.close()


def send_result(values, main=False):
    """One result: VALUES is {key: value}, keys as in the result's JSON."""
    begin = (BEGIN, b"\1" if main else b"\0")
    send(FRAME_RESULT, [begin, *encode_all(values), (END, b"")])


def text_of(kind, value, tb):
    """An uncaught exception as python3 has it, which where the program has broken
    what that needs (traceback, open(), …) makes it in C."""
    with SpareDescriptors():  # of source files, say
        try:
            return "".join(traceback.format_exception(kind, value, tb))
        except Exception:
            pass
        stderr, sys.stderr = sys.stderr, StringIO()
        whole = value.__traceback__
        try:
            sys.__excepthook__(kind, value.with_traceback(tb), tb)
            return sys.stderr.getvalue()
        finally:
            value.__traceback__ = whole
            sys.stderr = stderr


def send_error(kind, value, lines):
    """An uncaught exception: its name, value and traceback."""
    try:
        text = str(value)
    except BaseException:  # SystemExit would become the program's end
        text = "<exception str() failed>"
    name = type.__dict__["__name__"].__get__(kind)  # its metaclass may say otherwise
    bodies = [cut(utf8(t), NOTE_MAX) for t in (name, text, lines)]
    send(FRAME_NOTE, enumerate(bodies))
