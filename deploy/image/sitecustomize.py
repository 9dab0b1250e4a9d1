# SPDX-License-Identifier: Apache-2.0
"""The start hook: makes python3 run the program exactly as `python3 FILE` would.

pai-guest starts `python3 -P /run/pai/main`. While the interpreter imports its
site, before it opens that file, this hook waits for the program, compiles it
under the name that the user gave it and writes the code to /run/pai/main in .pyc
form, which CPython runs from C. So there is no frame of ours under the program:
tracebacks, sys.exit(), atexit, threads and signals are the interpreter's own.
`-P` keeps /run/pai out of sys.path; /workspace is put first instead.

PAI_START names modules to import before it waits: what a template is made of.
A snapshot is taken while it waits, and what must differ between clones is set
after that. Every other python3 in the sandbox leaves at once.
"""

import os
import sys

RUN = "/run/pai/"
GO_FD = 3
ONLY_AST = 0x400  # ast.PyCF_ONLY_AST, without the cost of importing ast
# modules that no file of the program's can replace: python3's own, and ours
PYTHONS = {*sys.modules, "sitecustomize", "_pai"}


def read_all(fd):
    """All bytes to the end; FD is closed. Fewer calls than an open file makes."""
    parts = []
    while part := os.read(fd, 1 << 16):
        parts.append(part)
    os.close(fd)
    return b"".join(parts)


class Go:
    """What pai-guest says of this run; see kernel_go() in lib/guest/kernel.c."""

    def __init__(self, fd=GO_FD):
        words = [os.fsdecode(w) for w in read_all(fd).split(b"\0")[:-1]]
        self.kind, self.path, self.shown, last, self.token = words[:5]
        self.print_last = bool(last)
        self.report, self.figures, self.one_stream, self.session = map(bool, words[5:9])
        count = int(words[9])
        self.args, self.env = words[10 : 10 + count], words[10 + count :]
        self.pid = os.getpid()

    def arguments(self):
        """sys.argv, as python3 has it of a program that is no file."""
        name = {"<string>": "-c", "<stdin>": "-"}.get(self.shown, self.shown)
        return [name, *self.args]


this_run = None  # the Go of the process that pai-guest started, for _pai


def report_exceptions():
    """Tells pai-guest name, value and traceback of an uncaught exception."""

    from _pai import channel  # now: later there may be no descriptor or memory for it

    def excepthook(kind, value, tb):
        try:
            if channel.is_ours():
                channel.send_error(kind, value, channel.text_of(kind, value, tb))
        except BaseException:
            pass  # out of memory, say: the text is on stderr all the same
        sys.__excepthook__(kind, value, tb)

    sys.excepthook = excepthook


def offer_display():
    """What a notebook has without an import; IPython costs who uses it."""
    import builtins

    def display(*objects, **options):
        from IPython.display import display as show

        return show(*objects, **options)

    builtins.display = display


def add_line(error):
    """The compiler has looked for the line of a late error in a file of that name."""
    linecache = sys.modules.get("linecache")
    if linecache and not error.text and error.lineno:
        error.text = linecache.getline(error.filename, error.lineno) or None


class Showers:
    """Finds the modules that show things, and has _pai.hooks put our ways to show
    in the place of theirs. Of all others it knows nothing."""

    HOOKS = {
        "IPython.core.display_functions": "ipython",
        "IPython.terminal": "terminal",
        "matplotlib": "matplotlib",
        "matplotlib.pyplot": "pyplot",
        "multiprocessing.spawn": "spawn",
        "pandas.core.config_init": "pandas",
        "plotly.io._renderers": "plotly",
    }

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name not in cls.HOOKS:
            return None
        from _frozen_importlib_external import PathFinder

        spec = PathFinder.find_spec(name, path, target)
        if spec:
            cls.follow(spec.loader, cls.HOOKS[name])
        return spec

    @staticmethod
    def follow(loader, hook):
        exec_module = loader.exec_module

        def exec_and_hook(module):
            exec_module(module)
            try:
                from _pai import hooks

                getattr(hooks, hook)(module)
            except Exception:
                pass  # another version, of the program's own: it shows as it does

        loader.exec_module = exec_and_hook


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


def encoding_error(shown, source):
    """What python3 says of a file that is not UTF-8 and names no encoding: of bytes
    that it is given to compile it takes more. None if there is nothing to say."""
    try:
        source.decode()
        return None
    except UnicodeDecodeError as e:
        at = e.start
    from tokenize import blank_re, cookie_re

    heads = (source.splitlines() + [b""])[:2]
    if not blank_re.match(heads[0]):
        del heads[1:]
    named = any(cookie_re.match(head.decode("latin-1")) for head in heads)
    if named or source.startswith(b"\xef\xbb\xbf"):
        return None
    line = len(source[: at + 1].splitlines())
    return SyntaxError(
        f"Non-UTF-8 code starting with '\\x{source[at]:02x}' in file {shown} on line"
        f" {line}, but no encoding declared; see https://peps.python.org/pep-0263/ for"
        " details"
    )


def keep_source(shown, path, source):
    """Lets tracebacks and inspect find the text, wherever the program goes."""
    import io
    import linecache

    try:
        text = source.decode("utf-8-sig")
        lines = io.StringIO(text, newline=None).readlines()  # as python3 parts them
    except UnicodeDecodeError:
        import tokenize

        try:
            with tokenize.open(path) as f:
                lines = f.readlines()
        except (SyntaxError, UnicodeDecodeError):
            return  # the compiler says what is wrong with it
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    linecache.cache[shown] = (len(source), None, lines, path)


def compile_cell():
    """The code that runs the cell: it is text until IPython has read it."""
    return compile("__import__('_pai.cell').cell.main()", "<cell>", "exec")


def compile_program(go):
    """The program's code, as it will be run."""
    main = sys.modules["__main__"]
    main.__file__ = go.path
    main.__cached__ = None
    source = read_all(os.open(go.path, os.O_RDONLY | os.O_CLOEXEC))
    error = encoding_error(go.shown, source)
    if error:
        raise error
    keep_source(go.shown, go.path, source)
    flags = ONLY_AST if go.print_last else 0
    code = compile(source, go.shown, "exec", flags, dont_inherit=True)
    if go.print_last:
        show_last(code)
        code = compile(code, go.shown, "exec", dont_inherit=True)
    return code


def write_main(code):
    """What python3 runs next."""
    import marshal
    from _frozen_importlib_external import MAGIC_NUMBER

    data = MAGIC_NUMBER + bytes(12) + marshal.dumps(code)
    fd = os.open(RUN + "main", os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
    while data:
        data = data[os.write(fd, data) :]
    os.close(fd)


def give_way(folder):
    """A module in FOLDER comes before one of the same name that is here without the
    program having asked for it: that one was never imported, then."""
    from _frozen_importlib_external import PathFinder

    ours = {entry.partition(".")[0] for entry in os.listdir(folder)}
    for name in ours & sys.modules.keys() - PYTHONS:
        spec = PathFinder.find_spec(name, [folder])
        if not spec or not spec.loader:
            continue  # a folder of data, or no module at all
        for known in list(sys.modules):
            if known == name or known.startswith(name + "."):
                del sys.modules[known]


def set_arguments(go):
    sys.path.insert(0, "/workspace")
    sys.argv[:] = go.arguments()
    sys.orig_argv[:] = ["python3", *sys.argv]


def preload(names):
    """Imports what a template holds, and makes it cheap to keep and to leave."""
    import gc

    # an uncaught exception needs it, and may be that no file can be opened
    import _pai.channel  # noqa: F401

    leave_at_exit()
    import ast  # noqa: F401  tracebacks need it
    import linecache  # noqa: F401  keep_source() needs it

    for name in names:
        try:
            __import__(name)
        except Exception:
            pass  # the image has less, or others: the program will see that itself
    if "_pai.cell" in sys.modules:
        import _pai.session  # noqa: F401  a cell may be a session's
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    gc.collect()
    gc.freeze()
    for name in sys.modules.keys() - {"__main__", "sys", "builtins"}:
        KEPT_NAMES.append(name)
        KEPT.append(sys.modules[name])


KEPT_NAMES, KEPT = [], []


def leave_at_exit():
    """Freeing what the template holds would touch (and so copy) all of its memory: it
    leaves sys.modules, and KEPT, which holds this module too, is frozen. What the
    program made is freed as ever. All is done from C: whatever the program traces, or
    has put in the place of builtins, has no part in it."""
    import atexit
    from collections import deque
    from itertools import compress
    from operator import is_

    still_there = map(is_, map(sys.modules.get, KEPT_NAMES), KEPT)
    leaving = map(sys.modules.__delitem__, compress(KEPT_NAMES, still_there))
    # the first to be registered is the last to be called
    atexit.register(deque(maxlen=0).extend, leaving)


def new_main():
    """The program's module: the template's is frozen, and so would be what it holds."""
    old = sys.modules["__main__"]
    main = sys.modules["__main__"] = type(sys)("__main__")
    vars(main).update(vars(old))


def differ():
    """What was seeded or noted at import must not be the same in every clone."""
    found = sys.modules.get
    if "random" in sys.modules:
        found("random").seed()
    if "numpy.random" in sys.modules:
        found("numpy.random").seed()
    if "tempfile" in sys.modules:
        found("tempfile")._name_sequence = None
    if "uuid" in sys.modules:
        found("uuid")._node = found("uuid")._last_timestamp = None
    if "multiprocessing.process" in sys.modules:
        process = found("multiprocessing.process")
        process.current_process().authkey = os.urandom(32)


def become_program():
    """From the word to go on, the program's time passes."""
    global this_run
    go = this_run = Go()
    if go.session:
        from _pai import session

        session.quiet.begin()
    if go.one_stream:
        os.dup2(1, 2)
    os.chdir("/workspace")
    for variable in go.env:
        name, _, value = variable.partition("=")
        os.environ[name] = value
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True)
    if go.report:
        report_exceptions()
    if go.report and go.kind != "cell":
        offer_display()
    if go.kind == "module":
        return
    write_main(compile_cell() if go.kind == "cell" else compile_program(go))
    give_way("/workspace")
    set_arguments(go)


def start(names):
    os.environ.setdefault("MPLBACKEND", "module://_pai.figures")
    sys.meta_path.insert(0, Showers)
    warm = bool(names)
    if warm:
        preload([n for n in names.split(",") if n != "-"])
    elif os.environ.pop("PAI_CELL", None):
        __import__("_pai.cell")  # before the program's time begins
    os.write(GO_FD, b"R")
    if warm:
        os.read(GO_FD, 1)
        try:
            new_main()
            differ()
        except BaseException:
            os.write(GO_FD, b"F")  # rather no run than one like another
            os._exit(1)
        os.write(GO_FD, b"D")
    # site asks for usercustomize next: one among the inputs is not meant
    sys.modules["site"].ENABLE_USER_SITE = False
    try:
        become_program()
    except (
        SyntaxError,
        ValueError,
        MemoryError,
        RecursionError,
        OverflowError,
        KeyboardInterrupt,  # its limit is shorter than our own work
    ):
        kind, value, _ = sys.exc_info()
        if kind is SyntaxError:
            add_line(value)
        sys.excepthook(kind, value.with_traceback(None), None)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(1)


if "PAI_START" in os.environ:
    start(os.environ.pop("PAI_START"))
