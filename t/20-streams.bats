# SPDX-License-Identifier: Apache-2.0
# bats file_tags=sandbox
# Standard input, output and error: apart, live, byte for byte, with back-pressure.

load helper

@test "characters that lie across read borders stay whole" {
	[ "$(pai "$cases/euro.py" | sha256sum)" = "$(python3 "$cases/euro.py" | sha256sum)" ]
	run -0 pai --json "$cases/euro.py"
	[ "$(jq -r '.stdout | "\(length) \(test("\ufffd"))"' <<<"$output")" = '100001 false' ]
	run -0 pai --json "$cases/slowbytes.py"
	[ "$(jq -c .stdout <<<"$output")" = '"≤📈\n"' ]
}

@test "every byte passes, in JSON as base64 that says so" {
	pai "$cases/bytes256.py" >out.bin 2>err.bin
	python3 -c 'import sys; sys.exit(open("out.bin", "rb").read() != bytes(range(256)))'
	printf '\rstep 0\rstep 1\rstep 2' | cmp - err.bin
	pai --json "$cases/bytes256.py" >r.json
	[ "$(jq -r '.stdout_encoding, .stdout_bytes, .stderr, .exit_code' r.json | head -n 2)" = 'base64
256' ]
	jq -j .stdout r.json | base64 -d | cmp - out.bin
}

@test "many lines, and one long line" {
	[ "$(pai -c 'for i in range(1, 3001): print(i)' | tail -n 1)" = 3000 ]
	[ "$(pai -c 'print("x" * (1 << 20))' | wc -c)" = 1048577 ]
}

@test "lines come while the program runs" {
	mkfifo fifo
	pai -c 'import time
print("first")
time.sleep(30)' >fifo &
	read -r line <fifo
	kill -TERM $!	# INT is ignored by what bash runs in the background
	status=0
	wait $! || status=$?
	[ "$line" = first ]
	[ "$status" = 143 ]
}

@test "output and error are kept apart; on one file their order is kept" {
	cat >both.py <<-'P'
		import sys
		for i in range(50):
		    print("out", i)
		    print("err", i, file=sys.stderr)
	P
	pai both.py >o 2>e
	[ "$(grep -c out o) $(grep -c err e) $(wc -l <o) $(wc -l <e)" = '50 50 50 50' ]
	pai both.py >both 2>&1
	python3 both.py >want 2>&1 || true
	python3 -u both.py >want 2>&1
	cmp want both
	pai both.py 2>&1 | cmp want -
}

@test "what stands in a file before >> stays" {
	echo before >log
	pai -c 'print("after")' >>log
	pai -c 'print("again")' >>log
	[ "$(cat log)" = 'before
after
again' ]
}

@test "64 MiB through a slow reader, and as a file, byte for byte" {
	pai --memory=512M -o out "$cases/big.py" 2>want | { read -rt 2 <> <(:) || :; sha256sum >got; }
	[ "$(cut -d ' ' -f 1 got)" = "$(cat want)" ]
	[ "$(sha256sum <out/blob.bin | cut -d ' ' -f 1)" = "$(cat want)" ]
}

@test "1 GiB out and 1 GiB in, and the command stays small" {
	command -v /usr/bin/time >/dev/null || skip 'time(1) is missing'
	cat >flood.py <<-'P'
		import sys
		for i in range(1024): sys.stdout.buffer.write(bytes(1 << 20))
	P
	cat >drink.py <<-'P'
		import sys
		n = 0
		while b := sys.stdin.buffer.read(1 << 20): n += len(b)
		print(n)
	P
	small=(/usr/bin/time -f %M -o rss "${pai[@]}")
	[ "$("${small[@]}" flood.py | wc -c)" = 1073741824 ]
	[ "$(tail -n 1 rss)" -lt 16384 ]
	[ "$(head -c 1073741824 /dev/zero | "${small[@]}" drink.py)" = 1073741824 ]
	[ "$(tail -n 1 rss)" -lt 16384 ]
}

@test "without standard input a program meets its end at once" {
	run -1 --separate-stderr pai <"$cases/ask.py"
	[ "$output" = 'who? ' ]
	[[ $stderr == *'EOFError: EOF when reading a line' ]]
	[ "$(pai -n "$cases/count.py" < <(echo data))" = 0 ]
	[ "$(pai "$cases/count.py" </dev/null)" = 0 ]
	[ "$(pai "$cases/count.py" <&-)" = 0 ]
}

@test "piped bytes and their end arrive" {
	[ "$(echo Ada | pai "$cases/ask.py")" = 'who? hello Ada' ]
	[ "$(printf '\000\001\002\377' | pai "$cases/count.py")" = 4 ]
	[ "$(head -c 20000000 /dev/zero | pai "$cases/count.py")" = 20000000 ]
	[ "$(echo Ada | pai -c 'print(input())')" = Ada ]
}

@test "standard input that nobody reads, or that never ends, delays nothing" {
	[ "$(head -c 100000000 /dev/zero | pai -c 'print("done")')" = 'done' ]
	mkfifo held
	exec 9<>held
	[ "$(pai -c 'print("done")' <held)" = 'done' ]
	run -124 --separate-stderr pai -t 1s -c 'while True: pass' <held
	exec 9>&-
}

@test "a reader that goes away ends the run by SIGPIPE" {
	run bash -c '"$@" -c "
while True: print(\"x\" * 100)" | head -n 1; echo "${PIPESTATUS[0]}"' _ "${pai[@]}"
	[ "${#lines[@]} ${lines[1]}" = '2 141' ]
}

@test "any of 0, 1, 2 may be closed at the start" {
	for closed in '0<&-' '1>&-' '2>&-' '0<&- 1>&-' '0<&- 2>&-' '1>&- 2>&-' '0<&- 1>&- 2>&-'; do
		run -7 bash -c "\"\$@\" $closed" _ "${pai[@]}" -o out -c 'import sys
print("out"); print("err", file=sys.stderr)
open("f", "w").write(sys.stdin.read() + "x")
sys.exit(7)' </dev/null
		[ "$(cat out/f)" = x ]
	done
}

@test "/dev/stdout, /dev/stderr and /dev/stdin can be opened" {
	run -0 --separate-stderr pai -l shell -c 'echo out >/dev/stdout; echo err >/dev/stderr; cat /dev/stdin' < <(echo in)
	[ "$output" = 'out
in' ]
	[ "$stderr" = err ]
}

@test "a full disk behind standard output is told" {
	run -125 --separate-stderr bash -c '"$@" >/dev/full' _ "${pai[@]}" -c 'print(1)'
	[ "$stderr" = 'pai-exec: write to standard output: No space left on device' ]
	# the lines that would tell it cannot be written either
	run -125 --separate-stderr bash -c '"$@" >/dev/full' _ "${pai[@]}" --format=ndjson -c 'print(1)'
	[ "$stderr" = 'pai-exec: write to standard output: No space left on device' ]
}

@test "--max-stdout and --max-stderr cut at the byte, and say so" {
	echo 'import sys; sys.stdout.write("x" * 5000000); sys.stderr.write("y" * 100)' >much.py
	pai --max-stdout=1M --max-stderr=99 much.py 2>err | cat >out
	[ "$(stat -c %s out)" = 1048576 ]
	[ "$(cat err)" = "$(printf '%099d' 0 | tr 0 y)pai-exec: standard output cut at 1M of 5000000 bytes (--max-stdout)
pai-exec: standard error cut at 99 of 100 bytes (--max-stderr)" ]
	pai --max-stdout=7 much.py >out 2>err
	[ "$(cat out)" = xxxxxxx ]
	echo before >app
	pai --max-stdout=7 much.py >>app 2>err
	[ "$(cat app)" = $'before\nxxxxxxx' ]
	run -0 pai --json --max-stdout=20M --max-stderr=3 much.py
	[ "$(jq -c '[(.stdout | length), .stdout_truncated, .stderr, .stderr_truncated, .stderr_bytes]' <<<"$output")" = \
		'[5000000,false,"yyy",true,100]' ]
}

@test "--status-fd has one line of the run's end, whatever its format" {
	pai --status-fd=3 -c 'raise SystemExit(124)' 3>st || true
	[ "$(cat st)" = 'status=ok exit=124 signal=-' ]
	# what ended by an exception: the JSON knows
	pai --status-fd=3 -c 1/0 3>st 2>/dev/null || true
	[ "$(cat st)" = 'status=ok exit=1 signal=-' ]
	pai --status-fd=3 --json -c 1/0 3>st >r.json || true
	[ "$(cat st)" = 'status=error exit=1 signal=-' ]
	pai --status-fd=3 --json -t 0.3s -k 10s -c 'while True: pass' 3>st >r.json || true
	[ "$(cat st)" = 'status=timeout exit=1 signal=-' ]
	pai --status-fd=3 -c 'import os; os.abort()' 3>st 2>/dev/null || true
	[ "$(cat st)" = 'status=signal exit=- signal=6' ]
	pai --status-fd=3 no-such.py 3>st 2>/dev/null || true
	[ "$(cat st)" = 'status=failed exit=- signal=-' ]
	# the sandbox does not have it, and nobody need read it
	run -0 bash -c '"$@" 3> >(:)' _ "${pai[@]}" --status-fd=3 -c 'import os; print(os.path.exists("/proc/self/fd/4"))'
	[ "$output" = False ]
}

@test "colours are asked for on a terminal, or as --color says" {
	command -v script >/dev/null || skip 'script(1) is missing'
	echo 'import os; print({k: v for k, v in os.environ.items() if "COLOR" in k})' >color.py
	[ "$(pai color.py)" = '{}' ]
	[ "$(pai --color=always color.py)" = "{'FORCE_COLOR': '1'}" ]
	[ "$(pai --color=always -e FORCE_COLOR=2 color.py)" = "{'FORCE_COLOR': '2'}" ]
	[ "$(pai --color=never color.py)" = "{'NO_COLOR': '1'}" ]
	TERM=xterm script -qec "${pai[*]} color.py" log </dev/null >/dev/null
	grep -qF "{'FORCE_COLOR': '1'}" log
	for words in 'NO_COLOR=1 TERM=xterm' TERM=dumb '-u TERM'; do
		# shellcheck disable=SC2086 # words
		env $words script -qec "${pai[*]} color.py" log </dev/null >/dev/null
		grep -qF '{}' log
	done
}

@test "a program that was typed before it is asked for ends with its Ctrl-D" {
	cat >typed.py <<-'P'
		import os, pty, subprocess, sys
		ours, theirs = pty.openpty()
		os.write(ours, sys.argv[1].encode() + b"\x04")
		sys.exit(subprocess.run(sys.argv[2:], stdin=theirs, timeout=30).returncode)
	P
	run -0 python3 typed.py $'print(6 * 7)\n' "${pai[@]}" -q
	[ "$output" = 42 ]
	run -0 python3 typed.py '' "${pai[@]}" -q
	[ -z "$output" ]
}

@test "a terminal sees text and colours, a pipe every byte" {
	command -v script >/dev/null || skip 'script(1) is missing'
	cat >esc.py <<-'P'
		print("tab\there \x1b[31mred\x1b[0m \x1b]0;title\x07 \x1b[2J end")
	P
	script -qec "${pai[*]} esc.py" log </dev/null >/dev/null
	grep -qF $'tab\there \e[31mred\e[0m \\x1b]0;title\\x07 \\x1b[2J end' log
	pai esc.py | grep -qF $'\e]0;title\a \e[2J end'
	script -qec "${pai[*]} --raw-terminal esc.py" log </dev/null >/dev/null
	grep -qF $'\e]0;title\a \e[2J end' log
}

# lines KEY TYPE: the values of KEY in the lines of TYPE of lines.json
lines() { jq -rj --arg type "$2" "select(.type == \$type) | .$1 // empty" lines.json; }

@test "ndjson has every byte as it comes, characters whole, and one end" {
	pai --format=ndjson -o out -c 'import os, sys, time
for part in b"a\xe2", b"\x82", b"\xac\n":
    os.write(1, part)
    time.sleep(0.2)
os.write(2, b"err\xff\n")
open("f", "w").write("x")
sys.exit(3)' >lines.json || [ $? = 3 ]
	[ "$(lines text stdout)" = 'a€' ]
	[ "$(jq -rj 'select(.type == "stderr").data' lines.json | base64 -d | od -An -tx1 | tr -d " \n")" = 657272ff0a ]
	[ "$(lines path file)" = f ]
	[ "$(jq -r .type lines.json | sort -u | xargs)" = 'end file start stderr stdout usage' ]
	[ "$(jq -r .type lines.json | sed -n '1p;$p' | xargs)" = 'start end' ]
	[ "$(lines exit_code end)" = 3 ]
}

@test "ndjson comes live, and a reader who stops stops the program, but no limit" {
	run -0 bash -c '"$@" | { read -r start; read -r line; read -rt 3 end || echo "$start $line"; }' - \
		"${pai[@]}" --format=ndjson -t 4s -c 'import time
print("first")
time.sleep(600)'
	[[ $output == '{"type":"start"'*'{"type":"stdout","text":"first\n"}' ]]
	"${pai[@]}" --format=ndjson -t 1s -c 'while True: print("x" * 999)' > >(sleep 4; cat >lines.json; touch all) &
	wait $! || [ $? = 124 ]
	until [ -e all ]; do read -rt 0.1 <> <(:) || :; done
	[ "$(lines status end)" = timeout ]
	[ "$(stat -c %s lines.json)" -lt 2000000 ]
}

@test "a reader of ndjson who goes away ends the program, as SIGPIPE does" {
	# shellcheck disable=SC2016 # for the inner shell
	run -0 bash -c '"$@" | head -n 2 >/dev/null; echo "${PIPESTATUS[0]}"' - "${pai[@]}" --format=ndjson -c 'while True: print("x")'
	[ "$output" = 141 ]
}

@test "the object reaches a reader in his own time; while he lets it wait a signal ends pai-exec" {
	run -0 --separate-stderr python3 - "${pai[@]}" --json -c 'print("x" * 3000000)' <<-'P'
		import fcntl, json, os, signal, subprocess, sys
		# a descriptor that somebody made non-blocking
		r, w = os.pipe()
		fcntl.fcntl(w, fcntl.F_SETFL, os.O_WRONLY | os.O_NONBLOCK)
		with subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=w) as p, open(r, "rb") as out:
		    os.close(w)
		    print(json.load(out)["stdout_bytes"])
		print(p.returncode)
		for sig in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
		    with subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as p:
		        p.stdout.read(1)
		        p.send_signal(sig)
		        try:
		            print(p.wait(10))
		        except subprocess.TimeoutExpired:
		            p.kill()
	P
	[ "$(xargs <<<"$output")" = '3000001 0 -2 -15 -1' ]
	[ -z "$stderr" ]
	# shellcheck disable=SC2016 # for the inner shell
	run -0 --separate-stderr bash -c '"$@" | head -c 1 >/dev/null; echo "${PIPESTATUS[0]}"' - "${pai[@]}" --json -c 'print("x" * 3000000)'
	[ "$output$stderr" = 141 ]
}

@test "a reader of standard error who stalls holds up neither the limit nor a signal" {
	mkfifo stalled
	exec 7<>stalled
	loud='import sys
sys.stderr.write("x" * 3000000)'
	run -124 bash -c 'timeout -s KILL 20 "$@" 2>stalled' - "${pai[@]}" -t 1s -c "$loud"
	# our own line, too, and that of a limit finds no room from the start
	run -124 bash -c 'timeout -s KILL 20 "$@" 2>stalled' - "${pai[@]}" -t 100ms -c 'while True: pass'
	run -124 bash -c 'timeout -k 20 2 "$@" 2>stalled' - "${pai[@]}" -c "$loud"	# by TERM, or it were 137
	exec 7>&-
}
