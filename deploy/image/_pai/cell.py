# SPDX-License-Identifier: Apache-2.0
"""A program as a cell of a notebook, on IPython's InteractiveShell in this process.

The shell is made when this module is imported, which is in a template, and gets
the program's __main__ only when a cell runs. What a notebook has beside the shell
(a server, a history on disk, a completer) is not there.
"""

import asyncio
import atexit
import codeop
import io
import linecache
import os
import signal
import sys
import threading
import tokenize
import types
import warnings

import _pai
from _pai import __builtins__, channel, results, run  # noqa: F401


def import_shell():
    """IPython's shell without its terminal: that would be most of its size. A
    program that wants it finds it all the same."""
    name = "IPython.terminal.embed"
    stub = types.ModuleType(name)
    stub.embed = None
    sys.modules[name] = stub
    try:
        import IPython
        from IPython.core import interactiveshell
    finally:
        del sys.modules[name]
    if getattr(IPython, "embed", stub) is None:
        del IPython.embed

        def find(attribute):
            if attribute != "embed":
                raise AttributeError(f"module 'IPython' has no attribute {attribute!r}")
            from IPython.terminal.embed import embed

            return embed

        IPython.__getattr__ = find
    return interactiveshell


interactiveshell = import_shell()

from IPython.core import async_helpers, error, profiledir  # noqa: E402
from IPython.core.compilerop import CachingCompiler  # noqa: E402
from IPython.core.displayhook import DisplayHook  # noqa: E402
from IPython.core.displaypub import DisplayPublisher  # noqa: E402
from IPython.core.history import HistoryManager  # noqa: E402
from traitlets.config import Config  # noqa: E402

from _pai import formats, hooks, loop, magics  # noqa: E402

OURS = os.path.dirname(__file__) + "/"
# whose frames stand between the interpreter and a cell
UNDER = tuple(
    os.path.dirname(module.__file__) + "/" for module in (interactiveshell, asyncio)
) + (OURS, codeop.__file__)
HURRY = 0.7  # seconds for what an interrupted cell has drawn
AWAITS = 0x2000 | 0x400  # ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, ast.PyCF_ONLY_AST


class Compiler(CachingCompiler):
    """Knows the cell by the name that the user gave it."""

    shown = None

    def __init__(self):
        super().__init__()
        self.flags = 0  # codeop's are for somebody who types line by line

    def get_code_name(self, raw_code, transformed_code, number):
        name, self.shown = self.shown, None  # later ones are the program's own
        return name or super().get_code_name(raw_code, transformed_code, number)

    def cache(self, transformed_code, number=0, raw_code=None):
        name = super().cache(transformed_code, number, raw_code)
        same_lines = raw_code and raw_code.count("\n") == transformed_code.count("\n")
        if same_lines:
            lines = [line + "\n" for line in raw_code.split("\n")]
            linecache.cache[name] = (len(raw_code), None, lines, name)
        return name


class Hook(DisplayHook):
    """The value of the last expression."""

    def write_output_prompt(self):
        pass

    def finish_displayhook(self):
        pass

    def compute_format_data(self, result):
        if formats.is_figure(result):
            figures = sys.modules.get("_pai.figures")
            if figures and figures.is_shown(result):
                return {"text/plain": repr(result)}, {}
        results.main_result = True  # an object may show itself
        try:
            return super().compute_format_data(result)
        finally:
            results.main_result = False

    def write_format_data(self, format_dict, md_dict=None):
        results.show_bundle(format_dict, True)


class Publisher(DisplayPublisher):
    """What display() is given."""

    def publish(self, data, metadata=None, source=None, **other):
        results.show_bundle(data)

    def clear_output(self, wait=False):
        pass  # what was shown was shown


def bare(tb, name):
    """TB without the frames under the cell, which is called NAME, and ours."""
    first = tb
    while first and first.tb_frame.f_code.co_filename != name:
        first = first.tb_next
    if not first:
        first = tb
        while first and first.tb_frame.f_code.co_filename.startswith(UNDER):
            first = first.tb_next
    here = first
    while here:
        while here.tb_next and is_ours(here.tb_next):
            here.tb_next = here.tb_next.tb_next
        here = here.tb_next
    return first


def is_ours(tb):
    return tb.tb_frame.f_code.co_filename.startswith(OURS)


class Shell(interactiveshell.InteractiveShell):
    name = ""  # of the cell
    failure = None  # the last exception that was shown
    interrupted = False

    # What the base class makes on disk, or for somebody who types.
    def init_ipython_dir(self, ipython_dir):
        pass

    def init_profile_dir(self, profile_dir):
        self.profile_dir = profiledir.ProfileDir(parent=self)

    def init_virtualenv(self):
        pass

    def init_history(self):
        self.history_manager = HistoryManager(shell=self, parent=self)
        self.configurables.append(self.history_manager)

    def init_completer(self):
        self.Completer = None

    # What would change the interpreter of a script in the same template.
    def init_sys_modules(self):
        pass

    def init_prompts(self):
        pass

    def init_builtins(self):
        self.builtin_trap = interactiveshell.BuiltinTrap(shell=self)
        self.builtin_trap.auto_builtins = {"get_ipython": self.get_ipython}

    def init_display_formatter(self):
        self.display_formatter = formats.Formatter(parent=self)
        self.configurables.append(self.display_formatter)

    def init_magics(self):
        super().init_magics()
        self.inline_backend = magics.InlineBackend(parent=self)
        self.configurables.append(self.inline_backend)
        magics.add(self)

    def init_user_ns(self):
        """exit() and open() are the interpreter's."""
        super().init_user_ns()
        for name in ("exit", "quit", "open"):
            self.user_ns.pop(name, None)

    def take(self, main):
        """Makes MAIN the module that cells run in."""
        import builtins

        _pai.shell = self
        self.init_create_namespaces(main)
        self.init_user_ns()
        self.user_ns.update({"_": "", "__": "", "___": ""})
        self.user_ns["_dh"][:] = [os.getcwd()]
        for cls in type(self)._walk_mro():
            cls._instance = self
        super().init_prompts()
        builtins.display = interactiveshell.display
        builtins.__IPYTHON__ = True
        pandas = sys.modules.get("pandas.core.config_init")
        if pandas:
            hooks.pandas(pandas)

    # Commands and magics.
    def system(self, cmd):
        if sys.stdout is not sys.__stdout__:  # it is caught, and so is this
            done = magics.run_command(["bash", "-c", self.var_expand(cmd, depth=1)])
            sys.stdout.write(done.stdout)
            sys.stderr.write(done.stderr)
            self.user_ns["_exit_code"] = done.returncode
            return
        sys.stdout.flush()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that tell of %pip
            self.system_raw(cmd)

    def enable_gui(self, gui=None):
        pass

    def enable_matplotlib(self, gui=None):
        return gui, "inline"

    def enable_pylab(self, gui=None, import_all=True, welcome_message=False):
        from IPython.core.pylabtools import import_pylab

        names = {}
        import_pylab(names, import_all)
        both = set(names) & set(self.user_ns) - {"__builtins__"}
        clobbered = {n for n in both if self.user_ns[n] is not names[n]}
        self.user_ns.update(names)
        return gui, "inline", clobbered

    # Running.
    def transform_cell(self, raw_cell):
        """Lines keep their numbers; what is plain Python stays as it is, but a copied
        prompt, which would be an annotation of In."""
        body = raw_cell.lstrip("\n")
        above = "\n" * (len(raw_cell) - len(body))
        if "\n" in body.strip() and not body.startswith("In ["):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    compile(body, "<cell>", "exec", AWAITS, True)
                return raw_cell
            except (SyntaxError, ValueError, OverflowError):
                pass
        try:
            return above + super().transform_cell(body)
        except SyntaxError:
            return raw_cell  # the compiler's words are better

    def should_run_async(self, raw_cell, **other):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the compiler will warn
            awaits = super().should_run_async(raw_cell, **other)
        return awaits or loop.is_wanted(other.get("transformed_cell") or raw_cell)

    def _update_code_co_name(self, code):
        return code

    async def run_code(self, code_obj, result=None, *, async_=False):
        """True if it ended by an exception. All kinds are told apart later."""
        try:
            if async_:
                await eval(code_obj, self.user_global_ns, self.user_ns)
            else:
                exec(code_obj, self.user_global_ns, self.user_ns)
        except BaseException as e:
            if self.interrupted and isinstance(e, asyncio.CancelledError):
                e = KeyboardInterrupt().with_traceback(e.__traceback__)
            if result is not None:
                result.error_in_exec = e
            self.failure = e
            if not isinstance(e, SystemExit):
                end_figures(hurry=isinstance(e, KeyboardInterrupt))
                self.showtraceback((type(e), e, e.__traceback__))
            return True
        return False

    def run_awaiting(self, coro):
        """An interrupt ends what the cell waits for, and is told from there."""
        ours = async_helpers.get_asyncio_loop()
        task = ours.create_task(coro)
        try:
            return ours.run_until_complete(task)
        except KeyboardInterrupt:
            self.interrupted = True
            task.cancel()
            return ours.run_until_complete(task)

    def showtraceback(self, exc_tuple=None, *args, **kwargs):
        """Formatters give EXC_TUPLE: what fails there does not fail the cell. A
        magic that has caught what its code raised gives none."""
        results.flush()
        kind, value, tb = exc_tuple or sys.exc_info()
        if value is None:  # %tb: the one before
            value = getattr(sys, "last_exc", None)
            if value is None:
                print("No traceback available to show.", file=sys.stderr)
                return
            kind, tb = type(value), value.__traceback__
        elif not exc_tuple and not isinstance(value, SystemExit):
            self.failure = value
        if sys.stderr and not isinstance(value, SystemExit):
            text = self.text_of((kind, value, tb))
            try:
                sys.stderr.write(text)  # print may be the program's own
                sys.stderr.flush()
            except (Exception, SystemExit):
                pass  # it is closed, or no stream

    def showsyntaxerror(self, filename=None, running_compiled_code=False):
        self.showtraceback()

    showindentationerror = showsyntaxerror

    def text_of(self, exc_tuple):
        """As python3 has it."""
        kind, value, tb = exc_tuple
        if issubclass(kind, error.UsageError):
            return f"UsageError: {value}\n"
        tb = bare(tb, self.name)
        # for pdb.pm() and traceback.print_last(), which show no frames of ours either
        sys.last_exc = sys.last_value = BaseException.with_traceback(value, tb)
        sys.last_type, sys.last_traceback = kind, tb
        if isinstance(value, SyntaxError) and value.filename == self.name:
            # one that was found late, when there was no text any more
            line = linecache.getline(self.name, value.lineno or 0)
            value.text = value.text or line or None
        return channel.text_of(kind, value, tb)


def end_figures(hurry=False):
    """Shows what is drawn and not shown; the exception that came of it, or None. The
    grace of an interrupt is short: HURRY interrupts this, too."""
    figures = sys.modules.get("_pai.figures")
    if not figures:
        return None
    here = threading.get_ident()
    limit = threading.Timer(HURRY, signal.pthread_kill, (here, signal.SIGINT))
    try:
        if hurry:
            try:
                limit.start()
            except RuntimeError:
                pass  # there can be no thread more
        figures.end_of_cell()
        limit.cancel()
    except BaseException as e:
        limit.cancel()
        SHELL.showtraceback()
        return e
    return None


def make_shell():
    config = Config()
    config.HistoryManager.enabled = False
    shell = Shell(
        config=config,
        user_module=types.ModuleType("__main__"),
        colors="NoColor",
        display_page=True,
        compiler_class=Compiler,
        displayhook_class=Hook,
        display_pub_class=Publisher,
    )
    shell.loop_runner = shell.run_awaiting
    shell.db = {}  # on a disk, for %cd and %bookmark, it would be another package's
    atexit.unregister(shell.atexit_operations)  # the interpreter ends as ever
    return shell


def read(path, name):
    """The text of a cell. What python3 would refuse is refused in its words."""
    with open(path, "rb") as f:
        source = f.read()
    text = None
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
        text = source.decode(encoding)
    except (SyntaxError, UnicodeDecodeError):
        pass
    if text is None:
        why = _pai.hook.encoding_error(name, source)
        if not why:
            compile(source, name, "exec")
        raise why or SyntaxError(f"the encoding of {name} is not known")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def report(value):
    """The error by which a cell has ended, to pai-guest."""
    if channel.is_ours():
        lines = SHELL.text_of((type(value), value, value.__traceback__))
        channel.send_error(type(value), value, lines)


def run_text(text):
    """Runs a cell; the exception that it ended by, or None."""
    outcome = SHELL.run_cell(text, store_history=True)
    failure = end_figures()
    return (
        outcome.error_before_exec or outcome.error_in_exec or SHELL.failure or failure
    )


def failed(value):
    """The cell ended by VALUE, which struck where none of the program's code was.
    Returns what it really ended by."""
    if SHELL.failure is None:
        SHELL.showtraceback((type(value), value, value.__traceback__))
    report(SHELL.failure or value)
    return SHELL.failure or value


def run_told(number=None):
    """Runs the cell that the start hook was told of, of that number in a session; the
    exception that it ended by, or None."""
    SHELL.failure, SHELL.interrupted = None, False
    told = run()
    name = told.shown
    if number is not None:
        if name in ("<string>", "<stdin>"):  # not twice, for functions live on
            name = f"<cell {number}>"
        SHELL.execution_count = number
    SHELL.name = SHELL.compile.shown = name
    try:
        with channel.SpareDescriptors():
            text = read(told.path, name)
        ended = run_text(text)
    except (SyntaxError, ValueError, KeyboardInterrupt) as e:
        SHELL.showtraceback((type(e), e, e.__traceback__))
        ended = e
    if number is not None:
        count_up(number)
    if ended is not None and not isinstance(ended, SystemExit):
        report(ended)
    return ended


def count_up(number):
    """In, too, has one more, be the cell empty or none that could be read."""
    SHELL.execution_count = number + 1
    for lines in (
        SHELL.history_manager.input_hist_parsed,
        SHELL.history_manager.input_hist_raw,
    ):
        lines += [""] * (number + 1 - len(lines))


def main():
    """Runs the cell that the start hook was told of, and in a session all others."""
    module = sys.modules["__main__"]
    for name in ("__file__", "__cached__"):
        module.__dict__.pop(name, None)
    if run().session:
        from _pai import session

        SHELL.take(module)
        raise SystemExit(session.live(sys.modules[__name__]))
    try:
        SHELL.take(module)
        ended = run_told()
    except KeyboardInterrupt as e:
        SHELL.showtraceback((type(e), e, e.__traceback__))
        report(e)
        ended = e
    loop.end()
    if ended is not None:
        raise SystemExit(ended.code if isinstance(ended, SystemExit) else 1)


SHELL = make_shell()
loop.let_run_nest()
