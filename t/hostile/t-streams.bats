# SPDX-License-Identifier: Apache-2.0
# bats file_tags=hostile
# The program's output is its own, byte for byte, and nobody's command.

load helper

one='the host side of a conversation is one for all backends'

# expected MIB: what stream_flood.py prints
expected() { python3 -c 'import sys
block = b"".join(b"%015d\n" % i for i in range(65536))
for _ in range(int(sys.argv[1])): sys.stdout.buffer.write(block)' "$1"; }

# the most memory that the process had, in KiB, looked at until it ends
peak() {
	local most=0 at

	while at=$(awk '/^VmHWM:/ {print $2}' "/proc/$1/status" 2>/dev/null) && [ -n "$at" ]; do
		most=$at
		read -rt 0.02 <> <(:) || :
	done
	echo "$most"
}

@test "T1: no byte is lost, none added, in bounded memory" {
	n=$(times 64 4096 4)
	mkfifo flood
	sha256sum <flood >sum &
	sum=$!
	"${pai[@]}" -n "$programs/stream_flood.py" "$n" >flood &
	pid=$!
	most=$(peak "$pid")
	wait "$pid"
	wait "$sum"
	[ "$(cat sum)" = "$(expected "$n" | sha256sum)" ]
	echo "$most KiB"
	[ "$most" -gt 0 ]
	[ "$most" -le 16384 ]
}

@test "T2: the two streams are kept apart, each whole and in order" {
	"${pai[@]}" -n "$programs/stream_both.py" >out 2>err
	cmp out <(seq 0 2 19998 | sed 's/^/1:/')
	cmp err <(seq 1 2 19999 | sed 's/^/2:/')
}

@test "T3: bytes are bytes, in a pipe and in JSON" {
	"${pai[@]}" -n "$programs/stream_bytes.py" >out 2>err
	python3 -c 'import sys
sys.stdout.buffer.write(bytes(range(256)) * 64 + b"no newline at the end \xe2\x82")' | cmp - out
	python3 -c 'import sys
sys.stdout.buffer.write(bytes(reversed(range(256))) * 64)' | cmp - err
	"${pai[@]}" --json -n "$programs/stream_bytes.py" >r
	[ "$(jq -r '.stdout_encoding, .stderr_encoding' r | xargs)" = 'base64 base64' ]
	jq -r .stdout r | base64 -d | cmp - out
	jq -r .stderr r | base64 -d | cmp - err
}

@test "T4: a terminal gets no control sequence but colours; a pipe gets every byte" {
	command -v script >/dev/null || skip 'needs script(1)'
	script -qefc "$(printf '%q ' "${pai[@]}" -n "$programs/stream_terminal.py")" log </dev/null >shown || :
	run -1 env LC_ALL=C grep -P '\x1b(?!\[[0-9;]*m)|\x9b|[\x00-\x08\x0b\x0c\x0e-\x1a\x7f]' <(grep -v '^Script ' log)
	grep -qF '\x1b]0;title\x07' log
	run -1 --separate-stderr "${pai[@]}" -n "$programs/stream_terminal.py"
	[[ $output == $'\e]52;c;ZWNobyBwYWk=\a'* ]]
}

@test "T5: no output can be taken for protocol" {
	run -3 --separate-stderr "${pai[@]}" --json -n -o out "$programs/stream_forge.py"
	[ "$(jq -c '[.status, .exit_code, .files]' <<<"$output")" = '["ok",3,[]]' ]
	[ "$(jq -r '.stdout_bytes > 60 and .stderr_bytes > 60' <<<"$output")" = true ]
	[ -z "$(ls -A out)" ]
	if [ "$backend" = gvisor ]; then talk streams:forged; fi
}

@test "T6: any malformed message costs one line, within a second, in 16 MiB" {
	only "$one" gvisor
	talk frames files numbers notes results
}

@test "T6: so does any random change of an honest conversation" {
	only "$one" gvisor
	talk "--mutate=$(times 60 3000)"
}

@test "T7: the end of the channel without the word is a failure, and output so far is delivered" {
	only "$one" gvisor
	talk frames:eof-no-done frames:eof-no-end frames:reset frames:reset-late files:eof-in-file
	"${pai[@]}" -c 'import time
print("partial", flush=True)
time.sleep(600)' </dev/null >out 2>err &
	pid=$!
	for _ in $(seq 600); do
		[ ! -s out ] || break
		read -rt 0.1 <> <(:) || :
	done
	kill -KILL "$("$PAI_SOURCE/t/tree" "$pid" | awk '/runsc-sandbox|runsc.*boot/ {print $1; exit}')"
	status=0
	wait "$pid" || status=$?
	[ "$status" = 125 ]
	[ "$(cat out)" = partial ]
	[ "$(cat err)" = "pai-exec: the sandbox died before the program's end" ]
}

@test "T8: standard input that nobody reads, or nobody ends, wedges nothing" {
	begin=$(now)
	run -0 bash -c 'head -c 1G /dev/zero | "$@"' _ "${pai[@]}" "$programs/stream_unread.py"
	[ "$output" = "b'\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00'" ]
	ended_by "$begin" 3000
	mkfifo never
	exec 7<>never
	begin=$(now)
	run -124 "${pai[@]}" -t 1s -c 'while True: pass' <&7
	exec 7>&-
	ended_by "$begin" 4000
}

@test "T9: a reader that stalls stalls only itself: the deadline holds" {
	mkfifo stalled
	exec 7<>stalled
	begin=$(now)
	run -124 --separate-stderr bash -c '"$@" >stalled' _ "${pai[@]}" -t 1s -n "$programs/stream_flood.py" 100000
	ended_by "$begin" 5000
	[[ $stderr == *'pai-exec: time limit of 1 s reached'* ]]
	exec 7>&-
}

@test "T10: a reader that goes away ends the run" {
	begin=$(now)
	run -0 bash -c '"$@" | head -c 1 >/dev/null; [ "${PIPESTATUS[0]}" = 141 ]' _ "${pai[@]}" -n "$programs/stream_flood.py" 100000
	ended_by "$begin" 3000
}

@test "T11: a conversation byte by byte is put together, without a busy loop" {
	talk files:drip
}

@test "T12: a stream that was cut says so, and how long it was" {
	run -0 --separate-stderr "${pai[@]}" --json --max-stdout=1M -n "$programs/stream_flood.py" 3
	[ "$(jq -c '[(.stdout | length), .stdout_bytes, .stdout_truncated, .stderr_truncated]' <<<"$output")" = '[1048576,3145728,true,false]' ]
	"${pai[@]}" --max-stdout=1M -n "$programs/stream_flood.py" 3 >out 2>err
	cmp out <(expected 1)
	[ -s err ]
}

@test "T13: a program cannot knock at the door of the control channel" {
	only 'gVisor has no vsock' firecracker
	run -0 --separate-stderr "${pai[@]}" -n -c 'import socket
made = 0
for i in range(1100):
    try:
        s = socket.socket(socket.AF_VSOCK)
        s.connect((2, 5253))
        made += 1
    except OSError:
        pass
print(made)'
	[ "$output" = 0 ]
}

@test "T6: a guest that stops in the midst has the deadline of its phase" {
	only "$one" gvisor
	full || skip 'takes as long as the deadlines: in the full tier'
	talk stalls
}

@test "T6: a guest that floods, or lies about its output, ends at once" {
	only "$one" gvisor
	talk streams
}
