# SPDX-License-Identifier: Apache-2.0
# The way of results out of the interpreter, under this host's python3: no sandbox.
# t/results/play.py is the other end.

setup() {
	PAI_SOURCE=${PAI_SOURCE:-$(cd "$BATS_TEST_DIRNAME/.." && pwd)}
	export PYTHONPATH=$PAI_SOURCE/deploy/image:$PAI_SOURCE/t/results PYTHONDONTWRITEBYTECODE=1
	cat >"$BATS_TEST_TMPDIR/drive.py" <<-'P'
		import os, sys, threading, types
		import play
		import _pai
		from _pai import channel, results

		# an address of this test's own
		channel.ADDRESS = play.ADDRESS = b"\0pai-results-%d" % os.getpid()
		told = types.SimpleNamespace(
		    kind="cell", token=play.TOKEN, report=True, figures=False, pid=os.getpid()
		)
		hook = sys.modules["sitecustomize"]
		_pai.hook = types.SimpleNamespace(this_run=told)

		def heard(*calls):
		    listener = play.Listener()
		    for call in calls:
		        call()
		    listener.stop()
		    return listener
	P
}

drive() { cat "$BATS_TEST_TMPDIR/drive.py" - | timeout 20 python3 -; }

@test "what is sent is what arrives, by kind of key" {
	drive <<-'P'
		values = {
		    "text": "caf\udce9 \0",
		    "png": b"\x89PNG" + bytes(100_000),
		    "data": {"a": [1, -2.5, None, True], 3: "x", "big": 2**70, "nan": float("nan")},
		    "extra": {"application/x": [(), {}, {"k": {1}}, b"\xff", object]},
		}
		[got] = heard(lambda: channel.send_result(values, True)).results
		assert got["is_main_result"] and got["text"] == "caf\\udce9 \0", got["text"]
		assert play.base64.b64decode(got["png"]) == values["png"]
		assert got["data"] == {"a": [1, -2.5, None, True], "3": "x", "big": 2.0**70, "nan": None}
		assert got["extra"] == {"application/x": [[], {}, {"k": [1]}, "\\xff", "<class 'object'>"]}
	P
}

@test "what is too big, too deep or breaks is left out, and the text says so" {
	drive <<-'P'
		class Bad:
		    def __str__(self):
		        raise RuntimeError("no text")

		deep = []
		for _ in range(100):
		    deep = [deep]
		values = {
		    "png": bytes(channel.VALUE_MAX + 1),
		    "json": deep,
		    "data": [0] * (channel.COUNT_MAX + 1),
		    "extra": {"a": Bad()},
		    "html": "h",
		}
		[got] = heard(lambda: channel.send_result(values)).results
		assert sorted(got) == ["html", "is_main_result", "text"], got
		for key in ("png", "json", "data", "extra"):
		    assert f"[{key} is left out: " in got["text"]
		[got] = heard(lambda: channel.send_result({"text": "x" * (17 << 20)})).results
		assert len(got["text"]) <= channel.VALUE_MAX and "cut here" in got["text"]
	P
}

@test "an error: its name, value and traceback, each within its bound" {
	drive <<-'P'
		class Mute(Exception):
		    def __str__(self):
		        raise RuntimeError

		error = heard(lambda: channel.send_error(Mute, Mute(), "l" * 10**6)).error
		assert error["name"] == b"Mute" and error["value"] == b"<exception str() failed>"
		assert len(error["traceback"]) <= channel.NOTE_MAX and error["traceback"][-1:] == b"l"
	P
}

@test "an error is told whatever the program has broken" {
	drive <<-'P'
		import builtins, traceback

		class Meta(type):
		    def __getattribute__(self, name):
		        raise RuntimeError

		class Odd(Exception, metaclass=Meta):
		    pass

		def fail():
		    raise Odd

		try:
		    fail()
		except Odd as e:
		    odd, tb = e, e.__traceback__.tb_next
		traceback.format_exception = traceback.print_exception = builtins.open = None
		lens, builtins.len = len, None
		text = channel.text_of(Odd, odd, tb)
		builtins.len = lens
		assert odd.__traceback__.tb_next is tb
		error = heard(lambda: channel.send_error(Odd, odd, text)).error
		assert error["name"] == b"Odd"
		assert b"in fail" in error["traceback"] and b"in <module>" not in error["traceback"], error
	P
}

@test "threads do not mix their results; a child's are text; without a listener nothing breaks" {
	run drive <<-'P'
		def show(n):
		    results.show({"text": str(n) * 100_000})

		threads = [threading.Thread(target=show, args=(n,)) for n in range(8)]
		listener = heard(*(t.start for t in threads), *(t.join for t in threads))
		assert sorted(r["text"] for r in listener.results) == [str(n) * 100_000 for n in range(8)]
		listener.socket.close()
		show(9)
		if os.fork() == 0:
		    results.show({"text": "a child's"})
		    sys.stdout.flush()
		    os._exit(0)
		os.wait()
	P
	[ "$status" = 0 ]
	[ "$output" = "a child's" ]
}

# A session's kernel without IPython: cells are run by exec(). A child is the kernel.
session() {
	cat "$BATS_TEST_TMPDIR/drive.py" - >"$BATS_TEST_TMPDIR/session.py" <<-'P'
		import queue, random, signal
		_pai.hook = hook
		from _pai import session

		class Cell:
		    names = {"show": lambda text: results.show({"text": text}), "random": random}

		    def run_told(self, number):
		        hook.this_run.pid = os.getpid() if number == 1 else hook.this_run.pid
		        try:
		            exec(hook.this_run.path, self.names)
		        except BaseException as e:
		            return e

		    def failed(self, e):
		        return e

		def words(code, *args, env=()):
		    said = ["cell", code, "<stdin>", "", play.TOKEN, "1", "", "", "1", str(len(args))]
		    return [*said, *args, *env]

		def begin(code):
		    """The kernel's process, and what it is heard to say."""
		    told.path, told.session = code, True
		    hook.this_run = told
		    listener = play.Listener()
		    kernel = os.fork()
		    if kernel == 0:
		        session.quiet.begin()
		        os._exit(session.live(Cell()))
		    return kernel, listener

		def rest(listener):
		    status, count, fds = listener.rests.get(timeout=10)
		    assert len(fds) == 1
		    return status, count, fds[0]
	P
	cat - >>"$BATS_TEST_TMPDIR/session.py"
	timeout 30 python3 "$BATS_TEST_TMPDIR/session.py"
}

@test "a kernel rests behind its results, and is woken with new words and a new standard input" {
	session <<-'P'
		kernel, listener = begin("import os, sys; x = 1; show('first'); before = os.listdir('/proc/self/fd')")
		status, count, fd = rest(listener)
		assert (status, count) == (0, 1) and listener.results.pop()["text"] == "first"
		code = "x += 1; show(f'{x} {sys.argv} {input()} {os.environ[\"A\"]} {os.listdir(\"/proc/self/fd\") == before}')"
		assert play.resume(fd, words(code, "a", env=["A=b"]), b"line\nmore\n") == b"D"
		status, count, fd = rest(listener)
		assert (status, count) == (0, 2) and listener.results.pop()["text"] == "2 ['-', 'a'] line b True"
		assert play.resume(fd, words("show(repr(sys.stdin.read()))")) == b"D"
		status, count, fd = rest(listener)
		assert listener.results.pop()["text"] == "''"  # nothing is left of the last one
		assert play.resume(fd, words("sys.exit('bye')")) == b"D"
		status, count, fd = rest(listener)
		assert (status, count) == (1, 4)
		assert play.resume(fd, words("os._exit(7)")) == b"D"
		assert os.waitstatus_to_exitcode(os.waitpid(kernel, 0)[1]) == 7
		listener.stop()
	P
}

@test "an interrupt that comes late is forgotten, and one for the next cell reaches it" {
	session <<-'P'
		kernel, listener = begin("import time, signal, os; n = 0")
		for turn in range(2, 6):
		    _, _, fd = rest(listener)
		    for _ in range(3):
		        os.kill(kernel, signal.SIGINT)
		    code = "try:\n  time.sleep(0.2); n += 1\nexcept KeyboardInterrupt: n = 100"
		    assert play.resume(fd, words(code)) == b"D"
		status, count, fd = rest(listener)
		assert play.resume(fd, words("import sys; sys.exit(n)")) == b"D"
		status, count, fd = rest(listener)
		assert (status, count) == (4, 6), (status, count)
		assert play.resume(fd, words("show('up'); time.sleep(10)")) == b"D"
		while not listener.results:
		    pass
		os.kill(kernel, signal.SIGINT)
		status, count, fd = rest(listener)
		assert (status, count) == (1, 7)
		os.close(fd)  # pai-guest is gone
		assert os.waitstatus_to_exitcode(os.waitpid(kernel, 0)[1]) == 1
		listener.stop()
	P
}

@test "what a program does to its streams, signals and limits does not end its kernel" {
	session <<-'P'
		kernel, listener = begin("import os, sys, signal, resource, random")
		cells = [
		    "sys.stdout.close(); sys.stderr.close(); os.close(0); os.close(1); os.close(2)",
		    "def f(*_): raise TimeoutError\nsignal.signal(signal.SIGALRM, f); signal.setitimer(signal.ITIMER_REAL, .001, .1)",
		    "signal.setitimer(signal.ITIMER_REAL, 0); signal.signal(signal.SIGINT, f)",
		    "hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]; resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))",
		    "sys.setrecursionlimit(100); sys.settrace(lambda *_: None)",
		    "sys.settrace(None); sys.argv = None; sys.stdin = None",
		    "if os.fork() == 0: raise SystemExit(9)",
		    "assert os.waitstatus_to_exitcode(os.wait()[1]) == 9; show('here')",
		]
		for code in cells:
		    status, count, fd = rest(listener)
		    assert status == 0 or count in (3, 4), (count, status)  # the alarm may strike there
		    assert play.resume(fd, words(code)) == b"D"
		assert rest(listener)[:2] == (0, len(cells) + 1)
		assert listener.results[-1]["text"] == "here"
		os.kill(kernel, signal.SIGKILL)
		listener.stop()
	P
}

@test "what watches a cell's time ends with the cell" {
	session <<-'P'
		kernel, listener = begin("import time, faulthandler; faulthandler.dump_traceback_later(0.5, exit=True)")
		fd = rest(listener)[2]
		play.resume(fd, words("time.sleep(1)"))
		assert rest(listener)[:2] == (0, 2)
		os.kill(kernel, 9)
		listener.stop()
	P
}

@test "generators: fresh in each turn, but for one that the program has seeded" {
	session <<-'P'
		kernel, listener = begin("first = random.getstate()")
		fd = rest(listener)[2]
		play.resume(fd, words("assert random.getstate() != first; random.seed(1); random.random(); own = random.getstate()"))
		status, count, fd = rest(listener)
		assert status == 0
		play.resume(fd, words("assert random.getstate() == own; random.seed(); own = random.getstate()"))
		status, count, fd = rest(listener)
		assert status == 0
		play.resume(fd, words("assert random.getstate() != own"))
		assert rest(listener)[0] == 0
		os.kill(kernel, 9)
		listener.stop()
	P
}
