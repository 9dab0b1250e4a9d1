# SPDX-License-Identifier: Apache-2.0
"""A session's kernel: it runs a cell, rests, and runs the next, perhaps in a clone.

When a cell is over, the kernel makes a socket pair, passes one end to pai-guest with
the word that it rests, and waits at the other, as a template does; see
lib/guest/kernel.c. So no descriptor of ours is open while the program's code runs.
What the program has done to its interpreter (handlers of signals, limits, streams that
are closed) is its own and stays so, and must not keep its kernel from going on.
"""

import _signal
import functools
import io
import os
import sys
from _socket import (
    AF_UNIX,
    CMSG_SPACE,
    SCM_RIGHTS,
    SOCK_CLOEXEC,
    SOCK_STREAM,
    SOL_SOCKET,
    socket,
    socketpair,
)
from faulthandler import cancel_dump_traceback_later
from fcntl import F_DUPFD_CLOEXEC, fcntl
from struct import pack, unpack
from time import sleep

import _pai
from _pai import __builtins__, channel, results, run  # noqa: F401

ADDED_FDS = 2  # standard input; in a microVM standard error too
TRIES, PAUSE = 100, 0.02  # of a step; seconds between two
DEPTH = 1000  # of the stack, for our own part


def surely(step):
    """Calls STEP until it comes through: what a signal's handler raises is not ours."""
    why = None
    for _ in range(TRIES):
        try:
            return step()
        except BaseException as e:
            why = e
        try:
            sleep(PAUSE)
        except BaseException:
            pass  # there are tries enough
    try:
        os.write(2, f"this kernel cannot rest: {why}\n".encode())
    finally:
        os._exit(1)


class Quiet:
    """While the kernel is not in the program's hands its signals wait, but for that of
    an interrupt: one that comes late is forgotten, one for the next cell is noted."""

    def __init__(self):
        self.handler, self.mask, self.came = None, None, False
        self.limit, self.trace = None, None

    def note(self, number, frame):
        self.came = True

    def begin(self):
        while True:
            try:
                old = _signal.signal(_signal.SIGINT, self.note)
                break
            except BaseException:  # it came just now
                continue
        if old != self.note:  # bound methods are equal, not the same
            self.handler = old
        surely(self.hold)

    def hold(self):
        if self.mask is None:
            others = _signal.valid_signals() - {_signal.SIGINT}
            self.mask = _signal.pthread_sigmask(_signal.SIG_BLOCK, others)
        self.trace = self.trace or sys.gettrace()
        sys.settrace(None)
        self.limit = self.limit or sys.getrecursionlimit()
        sys.setrecursionlimit(max(self.limit, DEPTH))

    def end(self):
        """The program's handlers may run from here on, and raise. What one of them
        raises for a signal that waited is no matter of the cell's."""
        mask, self.mask = self.mask, None
        limit, self.limit = self.limit, None
        trace, self.trace = self.trace, None
        if limit and limit < DEPTH:
            sys.setrecursionlimit(limit)
        if self.handler is not None:
            _signal.signal(_signal.SIGINT, self.handler)
        if mask is not None:
            try:
                _signal.pthread_sigmask(_signal.SIG_SETMASK, mask)
            except BaseException:
                pass  # it is set
        if trace:
            sys.settrace(trace)
        came, self.came = self.came, False
        if came:
            _signal.raise_signal(_signal.SIGINT)


quiet = Quiet()


def identity(fd):
    """What FD is; None if it is closed."""
    try:
        found = os.fstat(fd)
    except OSError:
        return None
    return found.st_dev, found.st_ino


class Streams:
    """Descriptors 0 and 2, and sys.stdin, as the last turn gave them to the program.
    What it has put in their place is its own."""

    def __init__(self):
        self.fds = {0: identity(0), 2: identity(2)}
        self.stdin = sys.stdin

    def give(self, fd, new):
        """NEW becomes FD, if that is what the last turn gave; NEW is closed."""
        now = identity(fd) if new != fd else None
        if (now is None and fd == 0) or (now is not None and now == self.fds[fd]):
            if new != fd and now != identity(new):
                os.dup2(new, fd)
            self.fds[fd] = identity(fd)
            if new == fd:
                os.set_inheritable(fd, True)
                return
        os.close(new)

    def renew(self, fds):
        for fd, new in zip((0, 2), fds, strict=False):
            self.give(fd, new)
        if sys.stdin is self.stdin and self.stdin is not None:
            self.stdin = sys.stdin = sys.__stdin__ = self.reader(self.stdin)
        for stream in (sys.stdout, sys.stderr):
            if stream in (sys.__stdout__, sys.__stderr__):
                self.line_by_line(stream)

    @staticmethod
    def reader(old):
        """Nothing that was read ahead in an earlier turn is in it."""
        raw = io.FileIO(0, "r", closefd=False)
        raw.name = "<stdin>"
        new = io.TextIOWrapper(
            io.BufferedReader(raw), encoding=old.encoding, errors=old.errors
        )
        new.mode = "r"
        return new

    @staticmethod
    def line_by_line(stream):
        try:
            if not stream.line_buffering:
                stream.reconfigure(line_buffering=True)
        except Exception:
            pass  # it is closed


class Seeds:
    """Generators that a library seeded for everybody. A program that has seeded one
    goes on with its own sequence. The others differ in each turn, for a session may be
    forked."""

    def __init__(self):
        self.fresh = {}  # name of the module: what draws anew, until the program seeds

    def watch(self, name, *setters):
        """Follows who seeds the generator of the module NAME."""
        module = sys.modules.get(name)
        if module is None or name in self.fresh:
            return
        seed = module.seed
        self.fresh[name] = seed
        for setter in setters:
            setattr(module, setter, self.noting(getattr(module, setter), name, seed))

    def noting(self, function, name, seed):
        @functools.wraps(function)
        def called(*args, **kwargs):
            result = function(*args, **kwargs)
            own = any(arg is not None for arg in (*args, *kwargs.values()))
            self.fresh[name] = None if own else seed
            return result

        return called

    def draw(self):
        for seed in self.fresh.values():
            if seed:
                seed()


seeds = Seeds()


def differ():
    """What must not be the same in two clones of this turn. The children of the program
    live on, so multiprocessing's key stays."""
    found = sys.modules.get
    seeds.draw()
    if found("tempfile"):  # None is there where a program has forbidden the import
        found("tempfile")._name_sequence = None
    if found("uuid"):
        found("uuid")._node = found("uuid")._last_timestamp = None
    if found("_ssl"):
        found("_ssl").RAND_add(os.urandom(32), 0.0)


class Rest:
    """From the end of a cell to the words of the next. Each step can be made again."""

    def __init__(self, status, number):
        self.word = pack("<BI", status, number)
        self.ours = self.theirs = None
        self.said = False
        self.woken, self.fds = None, []

    def make_pair(self):
        """Descriptors 0 to 2 are the program's, and may be closed now."""
        ours, theirs = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC)
        self.ours = socket(fileno=fcntl(ours, F_DUPFD_CLOEXEC, 3))
        ours.close()
        self.theirs = theirs

    def say(self):
        """Tells pai-guest, behind all results: whoever shows something from here on, in
        another thread, waits for the next turn (the lock of the channel is ours)."""
        if self.said:
            return
        with channel.SpareDescriptors():
            if self.theirs is None:
                self.make_pair()
            way = channel.new_socket()
        try:
            way.setblocking(False)
            way.connect(channel.ADDRESS)
            rights = [(SOL_SOCKET, SCM_RIGHTS, pack("i", self.theirs.fileno()))]
            channel.send_one(way, channel.head(channel.FRAME_ENDED) + self.word, rights)
            self.said = True
        finally:
            way.close()
        self.theirs.close()

    def wait(self):
        if self.woken is not None:
            return
        with channel.SpareDescriptors():
            self.woken, control, _, _ = self.ours.recvmsg(1, CMSG_SPACE(4 * ADDED_FDS))
        for level, kind, data in control:
            if level == SOL_SOCKET and kind == SCM_RIGHTS:
                size = len(data) - len(data) % 4
                self.fds += unpack(f"{size // 4}i", data[:size])


def rest(status, number):
    """Rests until the next turn, and begins it. Its words are the hook's this_run."""
    cancel_dump_traceback_later()  # what watches a cell's time ends with the cell
    state = Rest(status, number)
    locked = channel.sending.acquire(timeout=TRIES * PAUSE)
    try:
        surely(state.say)
        surely(state.wait)
        if state.woken != b"W":
            os._exit(1)  # pai-guest is gone, and all of us will be
        quiet.came = False  # it was for the cell that is over
        streams.renew(state.fds)
        try:
            differ()
        except BaseException:
            state.ours.send(b"F")  # rather no cell than one like another
            os._exit(1)
        state.ours.send(b"D")
        go = _pai.hook.this_run = _pai.hook.Go(state.ours.detach())
    finally:
        if locked:
            channel.sending.release()
    begin(go)


def begin(go):
    for variable in go.env:
        name, _, value = variable.partition("=")
        os.environ[name] = value
    arguments = go.arguments()
    if isinstance(getattr(sys, "argv", None), list):
        sys.argv[:] = arguments
    else:
        sys.argv = arguments
    sys.orig_argv[:] = ["python3", *arguments]


def status_of(ended):
    """The exit status that python3 would have. A text is printed, as it does."""
    if ended is None:
        return 0
    if not isinstance(ended, SystemExit):
        return 1
    code = ended.code
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF if -(2**63) <= code < 2**63 else 0xFF
    try:
        sys.stderr.write(f"{code}\n")
        sys.stderr.flush()
    except Exception:
        pass  # there is no standard error any more
    return 1


def turn(cell, number):
    """Runs the cell of this turn; its status. What is printed is on its way then."""

    def run_it():
        quiet.end()
        ended = cell.run_told(number)
        status = status_of(ended)
        results.flush()
        return status

    status = 1
    try:
        try:
            status = run_it()
        except BaseException as e:  # where IPython itself was struck
            status = status_of(cell.failed(e))
    except BaseException as e:  # and again
        try:
            os.write(2, f"this cell could not be run to its end: {e!r}\n".encode())
        except BaseException:
            pass
    quiet.begin()
    return status


def live(cell):
    """Runs a turn after the other. Only a child returns, which the program made by
    fork() and let go on behind the cell: with its status."""
    global streams
    streams = Streams()
    seeds.watch("random", "seed", "setstate")
    seeds.watch("numpy.random", "seed", "set_state")
    _pai.hook.Showers.HOOKS["numpy.random"] = "numpy_random"
    number = 0
    while True:
        number += 1
        status = turn(cell, number)
        if os.getpid() != run().pid:
            quiet.end()
            return status
        rest(status, number)
