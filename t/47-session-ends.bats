# SPDX-License-Identifier: Apache-2.0
# bats file_tags=sandbox
# Sessions: however a turn ends, the session is its old state or its new one, and that
# is said.

load helper
load sessions/helper

# said PATTERN: of the lines of $stderr that are ours one matches, and one alone is of
# the session
said() {
	grep -E '^pai-exec: ' <<<"$stderr" >lines.txt || :
	grep -qE "$1" lines.txt || { echo "no '$1':"; cat lines.txt; return 1; }
	[ "$(grep -cE "session" lines.txt)" = "${2:-0}" ] || { cat lines.txt; return 1; }
}

@test "case 044: after a limit or a crash the state is a known one, and it is said which" {
	says '' <<<'x = 1'
	run -124 --separate-stderr turn --timeout=1s <<<'x = 2
while True:
    pass'
	said 'time limit of 1 s reached$'	# it answered: kept, and no word of it
	says 'x is 2' -n -c 'print("x is", x)' --timeout=20s
	run -134 --separate-stderr turn <<<'x = 3; import os; os.abort()'
	said 'program killed by signal 6 \(SIGABRT\)' 1
	said "session 's'.*turn 3" 1
	says 'x is 2' -n -c 'print("x is", x)'
}

@test "a turn that the time limit interrupts is kept, with what it had done" {
	cell <<<'before = 1'
	cell -124 --timeout=1s <<<'import time
done = []
print("up")
while True:
    done.append(1)
    time.sleep(0.01)'
	is '[.status, .exit_code, .error.name, .stdout]' '["timeout",1,"KeyboardInterrupt","up\n"]'
	kept 2
	says 'True 1' <<<'print(len(done) > 10, before)'
	# in the middle of an await, of a child, of a figure
	cell -124 --timeout=1s <<<'import asyncio
y = 1
await asyncio.sleep(99)'
	kept 4
	cell -124 --timeout=1s <<<'import subprocess
y += 1
subprocess.run(["sleep", "600"])'
	kept 5
	says 2 -n -c y
}

@test "an interrupted turn whose figure takes long to draw is kept" {
	cell -124 --timeout=2s <<<'import time
import matplotlib.pyplot as plt
from matplotlib.artist import Artist
class Slow(Artist):
    def draw(self, renderer): time.sleep(10)
plt.figure().add_artist(Slow())
x = 1
time.sleep(60)'
	is '[.status, .error.name, .results]' '["timeout","KeyboardInterrupt",[]]'
	kept 1
	says '(1, [])' <<<'x, plt.get_fignums()'
}

@test "a turn that ignores the interrupt is no turn: the session stays where it was" {
	says '' <<<'x = 1; open("f", "w").write("one");'
	cell -124 --timeout=1s -k 0.5s <<<'import time
x = 2; open("f", "w").write("two"); open("g", "w").write("new")
print("up")
while True:
    try: time.sleep(9)
    except KeyboardInterrupt: pass'
	is '[.status, .exit_code, .stdout]' '["timeout",null,"up\n"]'
	rewound 1
	run -124 --separate-stderr turn --timeout=1s -k 0 <<<'x = 2
while True: pass'
	said "session 's'.*turn 1" 1
	says "1 one ['f']" <<<'import os; print(x, open("f").read(), os.listdir())'
	[ "$(cat "$(last)/files/f")" = one ]
	[ ! -e "$(last)/files/g" ]
	# C code that holds the interpreter
	cell -124 --timeout=1s <<<'sum(range(10 ** 11))'
	rewound 2
	says 1 -n -c x
	# nor after a signal
	start -k 0.2s -c 'import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); print("up", flush=True)
while True: pass'
	kill -TERM "$pid"
	ends_with 143
	[[ $(cat err) = *"session 's' is back at turn "[0-9]*': its kernel did not answer the interrupt' ]]
}

@test "a module that a cell has forbidden is none in the next turn; one that it has broken is told with the way back" {
	says '' -n -c 'import sys, tempfile, uuid; sys.modules["tempfile"] = sys.modules["uuid"] = None'
	says none -n -c 'try:
    import uuid
except ImportError: print("none")'
	says '' -n -c 'class Odd: __slots__ = ()
sys.modules["uuid"] = Odd()'
	away "the kernel cannot go on, for its program has damaged the interpreter \('pai-session rewind' " turn -n -c 1
	run -0 pai-session rewind s
	says 2 -n -c '1 + 1'
}

@test "a kernel that dies takes its turn with it, and the session back" {
	cell <<<'x = 1'
	for row in 'os._exit(3)|3|ok' 'os._exit(0)|0|ok' 'os.kill(os.getpid(), 9)|137|signal' 'os.kill(os.getpid(), 15)|143|signal' \
		'ctypes.string_at(0)|139|signal' 'os.execv("/bin/true", ["true"])|0|ok'; do
		IFS='|' read -r code exit word <<<"$row"
		cell "-$exit" -n -c "import os, ctypes; x = 2; print('out', flush=True); $code"
		is '[.status, .signal, .stdout]' "[\"$word\",$([ "$word" = ok ] && echo null || echo $((exit - 128))),\"out\\n\"]"
		rewound 1
	done
	run -3 --separate-stderr turn -n -c 'import os; os._exit(3)'
	[[ $stderr = "pai-exec: "*"session 's'"*'turn 1'* ]]
	[ "${#stderr_lines[@]}" = 1 ]
	says 1 -n -c x
	# a child of its own may die as it likes
	cell <<<'import os, subprocess
if not os.fork(): os._exit(9)
os.wait()[1], subprocess.run(["sh", "-c", "kill -9 $$"]).returncode'
	is .text '"(2304, -9)"'
	kept 3
}

@test "a program that has replaced print or lowered its limits for good goes on" {
	says '' -n -c 'import builtins, resource, sys; builtins.print = None'
	cell -1 -n -c '[1][2]'
	is .error.name '"IndexError"'
	[[ $(of .stderr) = *'IndexError: list index out of range' ]]
	says 5 -n -c 5
	run -3 --separate-stderr turn -n -c 'sys.exit(3)'
	run -1 --separate-stderr turn -n -c 'sys.exit("bye")'
	[ "$stderr" = bye ]
	# nor need standard error be a stream
	says '' -n -c 'old, sys.stderr = sys.stderr, object()'
	cell -1 -n -c '1/0'
	is .error.name '"ZeroDivisionError"'
	says '' -n -c 'sys.stderr = old; resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))'
	says '(0, 0)' -n -c 'resource.getrlimit(resource.RLIMIT_NPROC)'
}

@test "a session whose first turn dies is none" {
	cell -3 -n -c 'import os; os._exit(3)'
	is '[.session.name, .session.state]' '["s","lost"]'
	[ ! -e sessions/s ]
	run -134 --separate-stderr turn -n -c 'import os; os.abort()'
	said "session 's'" 1
	[ ! -e sessions/s ]
	cell -124 -t 1s -k 0 -n -c 'while True: pass'
	is .session.state '"lost"'
	[ -z "$(ls -A sessions)" ]
	# a first turn that fails in words is one
	cell -1 -n -c 'x = 1; 1 / 0'
	kept 1
	says 1 -n -c x
}

@test "the memory limit strikes the turn, and the session is as before" {
	cell --memory=256M <<<'x = 1; blocks = []'
	cell -137 <<<'x = 2
print("up")
while True: blocks.append(bytearray(b"x") * (8 << 20))'
	is '[.status, .exit_code, .stdout]' '["memory",null,"up\n"]'
	rewound 1
	says '1 0' -n -c 'print(x, len(blocks))'
	# of all turns together, not of each
	says '' -n -c 'blocks.append(bytearray(b"x") * (100 << 20))'
	cell -137 -n -c 'blocks.append(bytearray(b"x") * (150 << 20))'
	rewound 3
	says 1 -n -c 'len(blocks)'
}

@test "--cpu-time is of the turn, not of the session" {
	cell --cpu-time=2s <<<'import time
def spin(s):
    end = time.process_time() + s
    while time.process_time() < end: pass
x = 1
spin(1)'
	cell --cpu-time=2s -n -c 'spin(1)'
	kept 2
	cell -124 --cpu-time=1s -t "$((30 * slow))s" <<<'x = 2
while True: pass'
	is .status '"timeout"'
	kept 3
	says 2 --cpu-time=2s -n -c 'spin(0.5); x'
}

@test "INT, TERM and HUP interrupt the turn, which is kept, and pai-exec dies of that signal" {
	says '' <<<'import time; n = 0'
	# short: a signal just before a sleep begins is seen after it only
	printf 'n += 1\nprint("up", flush=True)\nwhile True: time.sleep(0.05)\n' >wait.py
	python3 - "${turns[@]}" --session=s -t 600 wait.py <<-'P'
		import signal, subprocess, sys
		for n in (signal.SIGINT, signal.SIGQUIT): signal.signal(n, signal.SIG_DFL)
		for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
		    p = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
		    assert p.stdout.readline() == b"up\n"
		    p.send_signal(s)
		    assert p.wait(timeout=60) == -s, p.returncode
	P
	says 3 -n -c n
	# the second one ends all at once: the old state or the new
	printf '%s\n' 'n += 1' 'print("up", flush=True)' 'while True:' '    try: time.sleep(0.05)' \
		'    except KeyboardInterrupt: print("again", flush=True)' >stay.py
	start -t 600 -k 60s stay.py
	kill -TERM "$pid"
	read -rt "$((30 * slow))" line <&8
	[ "$line" = again ]
	kill -TERM "$pid"
	ends_with 143
	says 3 -n -c n
}

@test "a reader that goes away ends the turn, and the next one works" {
	says '' <<<'x = 1'
	turn -n -c 'x = 2
while True: print("y" * 1000)' | head -n 1 >one || :
	[ "$(wc -c <one)" = 1001 ]
	run -141 bash -c '"$@" | head -n 1 >/dev/null; exit "${PIPESTATUS[0]}"' _ "${turns[@]}" --session=s -n -c 'x = 2
while True: print("y" * 1000)'
	[[ $(turn -n -c x) = [12] ]]
	# standard output that is full: what a turn printed is lost, its state is not
	run -125 bash -c '"$@" >/dev/full' _ "${turns[@]}" --session=s -n -c 'x = 5; print("z" * 100000)'
	[[ $(turn -n -c x) = [125] ]]
}

@test "kill -9 at any moment: the old state or the new, and the next turn works" {
	[ "${PAI_AS:-}" != user ] || [ "$(id -u)" != 0 ] || [ -z "${as_user[*]}" ] || skip 'processes of another user; done as root'
	times=20
	[ "${PAI_TIER:-quick}" != full ] || times=200
	python3 "$PAI_SOURCE/t/sessions/kills.py" "--times=${PAI_KILLS:-$times}" -- "${pai[@]}"
}

@test "a disk that fills up at any moment: the output is delivered, the session is as before" {
	if [ "$(id -u)" != 0 ] || [ -n "${as_user[*]}" ]; then skip 'needs root, to mount'; fi
	"$PAI_SOURCE/t/sessions/full" "${pai[@]}"
}

@test "two callers take turns, and no turn is lost" {
	says '' <<<'seen = []'
	printf 'seen.append("first")\nprint("up", flush=True)\ninput()\n' >first.py
	start first.py
	turn -n -c 'seen.append("second")' >second 2>&1 8>&- 9>&- &
	second=$!
	# one that does not want to wait is told so, and who holds it
	away "session 's': process $pid has it" "${turns[@]}" --session=s --lock-wait=0.2s -n -c 'seen.append("third")'
	away "session 's': process $pid has it" "${turns[@]}" --session=s --lock-wait=0 -n -c 'seen.append("third")'
	run -125 --separate-stderr turn --json --lock-wait=0.1s -n -c 1
	jq -e '.status == "failed" and .started == false' <<<"$output"
	# other sessions go on meanwhile
	session=other says 1 -n -c 1
	echo go >&9
	ends_with 0
	wait "$second"
	[ ! -s second ]
	says "['first', 'second']" -n -c seen
}

@test "twenty callers at once on one session: twenty turns, each whole" {
	n=20
	[ "$slow" = 1 ] || n=4
	says '' <<<'seen = []'
	for i in $(seq "$n"); do
		turn --lock-wait=none -t 60s -n -c "seen.append($i); print(len(seen))" >"o$i" 2>&1 &
	done
	wait
	[ "$(sort -n o[0-9]* | xargs)" = "$(seq -s ' ' "$n")" ]
	says "$n" -n -c 'len(set(seen))'
	cell -n -c 1
	kept $((n + 3))
}

@test "a turn that is cancelled while it waits for the session leaves it alone" {
	says '' <<<'x = 1'
	printf 'print("up", flush=True)\ninput()\n' >first.py
	start first.py
	"${turns[@]}" --session=s --lock-wait=none -n -c 'x = 2' 8>&- 9>&- 2>err2 &
	waiting=$!
	until grep -qs '^pai-exec$' "/proc/$waiting/comm"; do read -rt 0.01 <> <(:) || :; done
	kill -TERM "$waiting"
	status=0
	wait "$waiting" || status=$?
	[ "$status" = 143 ]
	echo go >&9
	ends_with 0
	says 1 -n -c x
}

@test "case 025: what a turn has started does not outlive pai-exec, and is there in the next" {
	begin=$SECONDS
	"${turns[@]}" --session=s -t 1s -n -c 'import subprocess
p = subprocess.Popen(["sh", "-c", "trap \"\" TERM HUP INT; while :; do sleep 1; done"], start_new_session=True)
subprocess.run(["sleep", "600"])' 2>/dev/null | cat >/dev/null
	[ $((SECONDS - begin)) -le $((8 * slow)) ]
	says 'None True' <<<'import os; print(p.poll(), os.path.exists(f"/proc/{p.pid}"))'
	says 'killed -9' <<<'p.kill(); print("killed", p.wait())'
}

@test "a session that is removed while it runs: its output is delivered, and it is no more" {
	says '' <<<'x = 1'
	printf 'print("up", flush=True)\ninput()\n' >first.py
	start first.py
	rm -rf sessions/s
	echo go >&9
	ends_with 125
	grep -qx "pai-exec: session 's': turn 2 is not saved: its folder was removed meanwhile" err
	grep -qx "pai-exec: session 's' is no more" err
	[ -z "$(ls -A sessions)" ]
}
