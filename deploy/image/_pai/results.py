# SPDX-License-Identifier: Apache-2.0
"""One thing that is shown: what it has by MIME type, and where that goes."""

import os
import sys
from select import select

import _pai
from _pai import __builtins__, channel, is_cell, run  # noqa: F401

KEYS = {
    "text/plain": "text",
    "text/html": "html",
    "text/markdown": "markdown",
    "image/svg+xml": "svg",
    "image/png": "png",
    "image/jpeg": "jpeg",
    "application/pdf": "pdf",
    "text/latex": "latex",
    "application/json": "json",
    "application/javascript": "javascript",
    "text/javascript": "javascript",
    "e2b/data": "data",
    "e2b/chart": "chart",
}
FILES_MAX = 10_000  # figure-N: the last N that is tried

kept = {}  # suffix: the last N that was tried
main_result = False  # the next one that is sent is the value of the cell


def raw_bytes(value):
    """A picture as IPython has it: bytes, or base64 of them."""
    if isinstance(value, str):
        import binascii

        return binascii.a2b_base64(value)
    return value


def by_key(bundle):
    """{MIME type: value} as {key of a result: value}."""
    values, extra = {}, {}
    for mime, value in bundle.items():
        key = KEYS.get(mime)
        if value is None:
            continue
        if key is None:
            extra[str(mime)] = value
            continue
        try:
            values[key] = raw_bytes(value) if key in channel.RAW else value
        except ValueError:
            pass  # said to be base64 and is not: there is no picture
    if extra:
        values["extra"] = extra
    return values


def flush():
    """What was printed before comes before."""
    for stream in (sys.stdout, sys.stderr, sys.__stdout__):
        try:
            stream.flush()
        except (Exception, SystemExit):
            pass  # it is closed, or the program's own


def say(text):
    """On the run's standard output: sys.stdout may be the program's own by now, and
    closed, or hold what it has caught. A result is not printed, but shown."""
    flush()
    data = memoryview(f"{text}\n".encode("utf-8", "backslashreplace"))
    while data:
        try:
            data = data[os.write(1, data) :]
        except BlockingIOError:  # the program has made it so
            select([], [1], [])


def show(values, main=False):
    """VALUES, {key: value}: to pai-guest; without it a cell prints the text."""
    global main_result
    main, main_result = main or main_result, False
    if channel.is_ours():
        flush()
        channel.send_result(values, main)
    elif is_cell() and "text" in values:
        say(values["text"])


def show_bundle(bundle, main=False):
    if bundle:
        show(by_key(bundle), main)


def publish(bundle):
    """As display() does, so that %%capture hears it."""
    if _pai.shell:
        _pai.shell.display_pub.publish(bundle)
    else:
        show_bundle(bundle)


def keep(data, suffix):
    """Writes DATA as the next free /workspace/figure-N.SUFFIX, if this run keeps
    what it shows. Returns the name, or None: a full disk is no error here."""
    told = run()
    if not (told and told.figures):
        return None
    for n in range(kept.get(suffix, 0) + 1, FILES_MAX + 1):
        kept[suffix] = n
        name = f"figure-{n}.{suffix}"
        path = f"/workspace/{name}"
        try:
            with open(path, "xb") as f:
                f.write(data)
            return name
        except FileExistsError:
            continue
        except OSError:
            try:
                os.unlink(path)
            except OSError:
                pass
            return None
    return None
