# SPDX-License-Identifier: Apache-2.0
"""The start hook: makes python3 run the program exactly as `python3 FILE` would.

pai-guest starts `python3 -P /run/pai/main`. While the interpreter imports its
site, before it opens that file, this hook compiles the program under the name
that the user gave it and writes the code to /run/pai/main in .pyc form, which
CPython runs from C. So there is no frame of ours under the program: tracebacks,
sys.exit(), atexit, threads and signals are the interpreter's own. `-P` keeps
/run/pai out of sys.path; /workspace is put first instead.

Every other python3 in the sandbox imports this file too and leaves at once.
"""

import os
import sys

RUN = "/run/pai/"
ONLY_AST = 0x400  # ast.PyCF_ONLY_AST, without the cost of importing ast


def read_go():
    with open(RUN + "go", "rb") as f:
        kind, path, shown, print_last, report = f.read().split(b"\0")[:5]
    return (
        kind.decode(),
        os.fsdecode(path),
        os.fsdecode(shown),
        bool(print_last),
        bool(report),
    )


def report_exceptions():
    """Leaves name, value and traceback of an uncaught exception for pai-guest."""

    def excepthook(kind, value, tb):
        import traceback

        try:
            text = str(value)
        except Exception:
            text = "<no text>"
        lines = "".join(traceback.format_exception(kind, value, tb))
        for which, part in enumerate((kind.__name__, text, lines)):
            try:
                with open(f"{RUN}note.{which}", "wb") as f:
                    f.write(part.encode("utf-8", "backslashreplace"))
            except OSError:
                pass  # the disk is full: the text is on stderr all the same
        sys.__excepthook__(kind, value, tb)

    sys.excepthook = excepthook


def show_last(tree):
    """Makes the last statement, if it is an expression, print its value."""
    import _ast

    if not tree.body or not isinstance(tree.body[-1], _ast.Expr):
        return
    last = tree.body[-1]
    at = {
        "lineno": last.lineno,
        "col_offset": last.col_offset,
        "end_lineno": last.end_lineno,
        "end_col_offset": last.end_col_offset,
    }
    load = _ast.Load()
    imported = _ast.Call(
        func=_ast.Name(id="__import__", ctx=load, **at),
        args=[_ast.Constant(value="sys", **at)],
        keywords=[],
        **at,
    )
    hook = _ast.Attribute(value=imported, attr="displayhook", ctx=load, **at)
    last.value = _ast.Call(func=hook, args=[last.value], keywords=[], **at)


def keep_source(shown, path, source):
    """Lets tracebacks and inspect find the text of a name that is no path here."""
    import linecache

    try:
        lines = source.decode("utf-8-sig").splitlines(keepends=True)
    except UnicodeDecodeError:
        import tokenize

        with tokenize.open(path) as f:
            lines = f.readlines()
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    linecache.cache[shown] = (len(source), None, lines, path)


def prepare(path, shown, print_last):
    main = sys.modules["__main__"]
    main.__file__ = path
    main.__cached__ = None
    sys.path.insert(0, "/workspace")
    # as python3 names a program that is no file
    sys.argv[0] = {"<string>": "-c", "<stdin>": "-"}.get(shown, shown)
    sys.orig_argv[:] = ["python3", *sys.argv]
    with open(path, "rb") as f:
        source = f.read()
    if shown != os.path.basename(path):
        keep_source(shown, path, source)
    flags = ONLY_AST if print_last else 0
    code = compile(source, shown, "exec", flags, dont_inherit=True)
    if print_last:
        show_last(code)
        code = compile(code, shown, "exec", dont_inherit=True)
    import marshal
    from _frozen_importlib_external import MAGIC_NUMBER

    with open(RUN + "main", "wb") as f:
        f.write(MAGIC_NUMBER + bytes(12) + marshal.dumps(code))


def start():
    kind, path, shown, print_last, report = read_go()
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True)
    if report:
        report_exceptions()
    if kind == "module":
        return
    try:
        prepare(path, shown, print_last)
    except (SyntaxError, ValueError, MemoryError, RecursionError, OverflowError):
        kind, value, _ = sys.exc_info()
        sys.excepthook(kind, value.with_traceback(None), None)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(1)


if os.environ.pop("PAI_START", None):
    start()
