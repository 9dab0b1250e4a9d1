# SPDX-License-Identifier: Apache-2.0
# bats file_tags=sandbox
# Signals, kills, crowds: whatever ends a run, it is told and leaves nothing.

load helper

# start: runs wait.py in the background, until it is up; its pid is $pid, and
# descriptor 8 keeps its standard output open
start() {
	rm -f up
	mkfifo up
	exec 8<>up
	"${pai[@]}" -t 600 "$@" "$cases/wait.py" \
		>up 2>err </dev/null 8>&- &
	pid=$!
	read -rt 30 line <&8
	[ "$line" = up ]
}

ends_with() { # ends_with STATUS: within 10 s
	local begin=$SECONDS status=0
	wait "$pid" || status=$?
	[ "$status" = "$1" ] || { echo "status $status"; return 1; }
	[ $((SECONDS - begin)) -le 10 ]
}

@test "INT, TERM, HUP and QUIT end the run, which dies of that signal" {
	for s in INT:130 TERM:143 HUP:129 QUIT:131; do
		rm -f up
		# a shell ignores INT and QUIT for its background jobs; python does not care
		mkfifo up
		python3 - "${s%:*}" "${s#*:}" "${pai[@]}" "$cases/wait.py" <<-'P'
			import signal, subprocess, sys
			for n in (signal.SIGINT, signal.SIGQUIT): signal.signal(n, signal.SIG_DFL)
			p = subprocess.Popen(sys.argv[3:], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
			assert p.stdout.readline() == b"up\n"
			n = getattr(signal, "SIG" + sys.argv[1])
			p.send_signal(n)
			assert p.wait(timeout=5) == -n, p.returncode
			assert int(sys.argv[2]) == 128 + n
		P
	done
}

@test "the first signal keeps the files, the second ends all at once" {
	cat >stay.py <<-'P'
		import os, signal, time
		def again(*_):
		    open("interrupted", "w").write("x")
		    os.write(1, b"again\n")
		signal.signal(signal.SIGINT, again)
		open("f", "w").write("x")
		print("up")
		# short: a signal just before a sleep begins is seen after it only
		while True: time.sleep(0.05)
	P
	cases=$work
	mv stay.py wait.py
	start -o out -k 3s
	kill -TERM "$pid"
	ends_with 143
	[ "$(ls out)" = 'f
interrupted' ]
	start -o again -k 60s
	kill -TERM "$pid"
	read -rt 30 line <&8
	kill -HUP "$pid"
	ends_with 143
	[ -z "$(ls again)" ]
}

@test "a signal while it boots ends it at once" {
	for _ in 1 2 3 4 5; do
		"${pai[@]}" "$cases/wait.py" </dev/null >/dev/null 2>&1 &
		pid=$!
		read -rt 0.0$((RANDOM % 9 + 1)) <> <(:) || :
		kill -TERM "$pid"
		ends_with 143
	done
}

@test "JSON tells a cancelled run" {
	mkfifo up
	"${pai[@]}" --json -o out -c 'import time
open("f", "w").write("x")
time.sleep(600)' </dev/null >r.json 2>err &
	pid=$!
	"$PAI_SOURCE/t/until-running" "$pid"
	kill -TERM "$pid"
	ends_with 143
	[ "$(jq -c '[.status, .error]' r.json)" = '["cancelled",null]' ] || [ "$(jq -r .error.name r.json)" = KeyboardInterrupt ]
	[ "$(jq -r .status r.json)" = cancelled ]
}

@test "a killed sandbox is told, at once, with status 125" {
	start
	# the sandbox itself: the process of this run that maps the most
	sandbox=$("$PAI_SOURCE/t/tree" "$pid" | awk '/runsc-sandbox|runsc.*boot/ {print $1; exit}')
	[ -n "$sandbox" ]
	kill -KILL "$sandbox"
	ends_with 125
	grep -q "^pai-exec: the sandbox died before the program's end" err
}

@test "a killed keeper is told, at once, with status 125" {
	start
	kill -KILL "$("$PAI_SOURCE/t/tree" "$pid" | awk 'NR == 2 {print $1}')"
	ends_with 125
	grep -qE '^pai-exec: the (keeper|sandbox) died' err
}

@test "kill -9 at random moments, of the command and of the keeper, leaves nothing" {
	[ "${PAI_AS:-}" != user ] || skip 'processes of another user; done as root'
	mkdir out
	for i in $(seq "${PAI_KILLS:-30}"); do
		"${pai[@]}" -o out -c 'open("f", "w").write("x" * 100000)
import time; time.sleep(0.05)' </dev/null >/dev/null 2>&1 &
		pid=$!
		read -rt "0.$(printf %03d $((RANDOM % 300)))" <> <(:) || :
		if [ $((i % 2)) = 0 ]; then
			kill -KILL "$pid" 2>/dev/null || true
		else
			keeper=$("$PAI_SOURCE/t/tree" "$pid" | awk 'NR == 2 {print $1}')
			[ -z "$keeper" ] || kill -KILL "$keeper" 2>/dev/null || true
		fi
		wait "$pid" || true
	done
	pai -o out -c 0
	[ -z "$(find out -name '.pai-exec.*')" ]
}

@test "a command that is stopped holds up nothing: the sandbox ends on time" {
	start -t 1s -k 0
	kill -STOP "$pid"
	# the keeper waits to be reaped, all beneath it is gone
	for _ in $(seq 100); do
		[ "$("$PAI_SOURCE/t/tree" "$pid" | wc -l)" -gt 2 ] || break
		read -rt 0.1 <> <(:) || :
	done
	[ "$("$PAI_SOURCE/t/tree" "$pid" | wc -l)" -le 2 ]
	kill -CONT "$pid"
	ends_with 124
	[ "$(cat err)" = 'pai-exec: time limit of 1 s reached
pai-exec: the sandbox ended before its files could be kept' ]
}

@test "the check for leftovers finds what is planted" {
	[ "$(id -u)" = 0 ] && [ "${PAI_AS:-}" != user ] || skip 'needs root'
	touch /tmp/.pai-exec.planted
	run -1 "$PAI_SOURCE/t/leftovers" --no-run
	rm /tmp/.pai-exec.planted
	[[ $output == *'file: /tmp/.pai-exec.planted'* ]]
}

@test "20 at once, each with its own answer" {
	for i in $(seq 20); do
		pai -o "o$i" -c "open('f', 'w').write('$i'); print('answer', $i)" >"a$i" 2>&1 &
	done
	wait
	for i in $(seq 20); do
		[ "$(cat "a$i") $(cat "o$i/f")" = "answer $i $i" ]
	done
}

@test "signals and masks that the caller left odd change nothing" {
	python3 - "${pai[@]}" -c 'print("ok")' <<-'P'
		import signal, subprocess, sys
		def odd():
		    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
		    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
		    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32))
		r = subprocess.run(sys.argv[1:], preexec_fn=odd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=60)
		assert (r.returncode, r.stdout) == (0, b"ok\n"), r
	P
}
