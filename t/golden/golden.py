# SPDX-License-Identifier: Apache-2.0
"""The golden set of cells: where it lies, and the one shape in which a notebook's
outcome and pai-exec's are held against each other.

A cell of `cells` stands for itself. A file of `sessions` has several, between lines
"# %%": one notebook's, or one session's turns. The Nth of NAME is the cell NAME.N.

    {"stdout", "stderr", "exit",
     "error": null | {"name", "value"},
     "shown": [text, ...]    errors that did not end the cell
     "results": [{"main": true | false, KEY: value, ...}]}

Keys are pai-exec's. What changes from run to run is masked, a picture is its kind
and size, and what is long its digest."""

import base64
import hashlib
import re
import struct
from pathlib import Path

HERE = Path(__file__).resolve().parent
CELLS, EXPECTED, SESSIONS = HERE / "cells", HERE / "expected", HERE / "sessions"
CUT = "# %%\n"

LONG = 16384  # characters; what is longer is kept by digest
TEXTS = ("text", "html", "markdown", "svg", "latex", "javascript")
PICTURES = ("png", "jpeg", "pdf")
VALUES = ("json", "extra")
OWN = ("data", "chart")  # E2B's; no notebook has them

ADDRESS = re.compile(r"\b0x[0-9a-f]{6,16}\b")
UUID = re.compile(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
STYLER = re.compile(r"\bT_[0-9a-f]{5}")
# The name of a cell: a notebook's, and pai-exec's for -c and standard input.
NAME = (
    r"(?:/tmp/ipykernel_\d+/\d+\.py|<ipython-input-[^>]*>|<string>|<stdin>|<cell \d+>)"
)
CELL_LINE = re.compile(rf"^{NAME}:(\d+): ", re.M)
CELL_ERROR = re.compile(rf"\((?:\d+\.py|{NAME}), line (\d+)\)$")
REPEATED = re.compile(r"repeated \d+ more times")
# A whole library of plotly's, or the address of one.
SCRIPT = re.compile(
    r"<script\b[^>]*>.{9999,}?</script>|<script src=[^>]*></script>", re.S
)
TRACEBACK = re.compile(r"^(?:Traceback \(most|  \+ Exception Group|  File \")", re.M)


def turns(session):
    """The names of the cells of a file of sessions."""
    text = (SESSIONS / f"{session}.py").read_text("utf-8")
    return [f"{session}.{n}" for n in range(1, text.count(CUT) + 2)]


def units(wanted=()):
    """What is run by itself, a list of the names of its cells each: all, or those of
    the cells and the sessions that are WANTED."""
    known = {path.stem: [path.stem] for path in CELLS.glob("*.py")}
    known |= {path.stem: turns(path.stem) for path in SESSIONS.glob("*.py")}
    for name in wanted:
        if name not in known:
            raise ValueError(f"'{name}' is no cell and no session")
    return [known[name] for name in sorted(known) if not wanted or name in wanted]


def names(wanted=()):
    return [name for unit in units(wanted) for name in unit]


def turn_of(name):
    """(session, turn) of a cell; (None, 1) of one that stands for itself."""
    session, _, turn = name.partition(".")
    return (session, int(turn)) if turn else (None, 1)


def source(name):
    session, turn = turn_of(name)
    if not session:
        return (CELLS / f"{name}.py").read_text("utf-8")
    return (SESSIONS / f"{session}.py").read_text("utf-8").split(CUT)[turn - 1]


def table(path, split):
    """The lines of the file PATH in words, by cell."""
    rows = {}
    for line in path.read_text("utf-8").splitlines():
        if line and line[0] != "#":
            cell, *words = line.split(None, split)
            rows.setdefault(cell, []).append(words)
    return rows


def mask(text):
    """TEXT without what changes from run to run."""
    text = ADDRESS.sub("0x...", text)
    text = UUID.sub("uuid", text)
    text = STYLER.sub("T_uuid", text)
    text = CELL_LINE.sub(r"<cell>:\1: ", text)
    text = CELL_ERROR.sub(r"(<cell>, line \1)", text)
    text = REPEATED.sub("repeated N more times", text)
    text = SCRIPT.sub("<script>a library</script>", text)
    # a lone surrogate cannot stand in UTF-8: spelled out, as pai-exec does it
    text = text.encode("utf-8", "backslashreplace").decode()
    if len(text) > LONG:
        digest = hashlib.sha256(text.encode()).hexdigest()
        return f"{len(text)} characters, sha256 {digest}"
    return text


def masked(value):
    """VALUE, of JSON, with its texts masked; no number is not finite."""
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, list):
        return [masked(part) for part in value]
    if isinstance(value, dict):
        return {mask(key): masked(part) for key, part in value.items()}
    if isinstance(value, float) and (value != value or value in (1e999, -1e999)):
        return None
    return value


def jpeg_size(data):
    """Width and height: they stand in the first marker SOFn."""
    at = 2
    while at + 9 <= len(data):
        marker, length = data[at + 1], struct.unpack(">H", data[at + 2 : at + 4])[0]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            return struct.unpack(">HH", data[at + 5 : at + 9])[::-1]
        at += 2 + length
    raise ValueError("a JPEG without a size")


def picture(text):
    """What base64 TEXT holds: the kind of picture and its size."""
    data = base64.b64decode(text.replace("\n", ""), validate=True)
    if data.startswith(b"\x89PNG\r\n\x1a\n") and data.endswith(b"IEND\xaeB`\x82"):
        width, height = struct.unpack(">II", data[16:24])
        return f"PNG {width}x{height}"
    if data.startswith(b"\xff\xd8\xff"):
        width, height = jpeg_size(data)
        return f"JPEG {width}x{height}"
    if data.startswith(b"%PDF-"):
        return f"PDF {len(data)} bytes"
    return f"{len(data)} bytes of no kind"


def one_result(given, main):
    """GIVEN, a result by pai-exec's keys, in the shape that is compared."""
    result = {"main": main}
    for key in TEXTS:
        if key in given:
            result[key] = mask(given[key])
    for key in PICTURES:
        if key in given:
            result[key] = picture(given[key])
    for key in VALUES:
        if key in given:
            result[key] = masked(given[key])
    return result


def traceback_of(text):
    """What python3 says of an uncaught exception, at the end of its stderr TEXT."""
    found = TRACEBACK.search(text)
    return text[found.start() :] if found else ""
