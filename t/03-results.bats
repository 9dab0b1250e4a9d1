# SPDX-License-Identifier: Apache-2.0
# The way of results out of the interpreter, under this host's python3: no sandbox.
# t/results/play.py is the other end.

setup() {
	PAI_SOURCE=${PAI_SOURCE:-$(cd "$BATS_TEST_DIRNAME/.." && pwd)}
	export PYTHONPATH=$PAI_SOURCE/deploy/image:$PAI_SOURCE/t/results PYTHONDONTWRITEBYTECODE=1
	cat >"$BATS_TEST_TMPDIR/drive.py" <<-'P'
		import os, sys, threading, types
		import play
		from _pai import channel, results

		# an address of this test's own
		channel.ADDRESS = play.ADDRESS = b"\0pai-results-%d" % os.getpid()
		told = types.SimpleNamespace(
		    kind="cell", token=play.TOKEN, report=True, figures=False, pid=os.getpid()
		)
		sys.modules["sitecustomize"] = types.SimpleNamespace(this_run=told)

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
