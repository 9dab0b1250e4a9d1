# SPDX-License-Identifier: Apache-2.0
# bats file_tags=hostile
# Programs that multiply, grow, hide or refuse to end: the run ends on time, the
# reason is named, and the host has no more of it than the limits say.

load helper

begin_limits() { only 'the limits are pai-exec'"'"'s' gvisor firecracker; }

# limit STATUS MESSAGE OPTION... PROGRAM...: it ends with STATUS, and MESSAGE says why
limit() {
	local status=$1 message=$2

	shift 2
	watched "-$status" "$@"
	[[ $'\n'$stderr$'\n' == *$'\n'"pai-exec: $message"$'\n'* ]] || { echo "said: $stderr"; return 1; }
}

@test "P1: a fork bomb ends at the limit, and its processes are not the host's" {
	begin_limits
	begin=$(now)
	limit 124 'time limit of 1 s reached' -t 1s --pids=32 "$programs/forks.py"
	ended_by "$begin" 2000
	# gVisor has a process of its own for each program and, for a moment, for each that
	# was: some 90, and several hundred where the interrupt frees places while others
	# fork on. What the host's cgroup grants is HOST_PIDS (lib/backend/select.c).
	[ "$(used processes)" -le $((512 + 4 * 32)) ]
	full || return 0
	limit 124 'time limit of 3 s reached' -t 3s "$programs/forks.py"
}

@test "P2: a thread bomb meets the limit of processes, as an error" {
	begin_limits
	ask --pids=40 "$programs/threads.py"
	[[ $output =~ ^threads\ (3[0-9]|40)\  ]]
}

# what a run of --memory=256M may have of the host: the limit, 128M above it, and
# the processes that are around it
most=$(((256 + 128 + 48) << 20))

@test "P3: the memory limit is one for all kinds of memory and all processes together" {
	begin_limits
	pai --memory=256M -nc 'import time
for i in range(60): print(i, flush=True); time.sleep(0.1)' >sibling &
	for kind in heap mmap children; do
		limit 137 'memory limit of 256M reached' --memory=256M "$programs/memory.py" "$kind"
		[ "$(used memory)" -le "$most" ]
	done
	for kind in shm pipes; do	# these may be refused instead
		run --separate-stderr "$here/watch" watch "${pai[@]}" --memory=256M -n "$programs/memory.py" "$kind"
		[ "$status" = 137 ] || [[ $output == *'refused '* ]] || { echo "$kind: $status $stderr"; false; }
		watch=$(<watch)
		[ "$(used memory)" -le "$most" ]
	done
	wait
	[ "$(cat sibling)" = "$(seq 0 59)" ]
}

@test "P4: the time limit cannot be caught, ignored or slept through" {
	begin_limits
	for _ in $(seq "$(times 1 20)"); do
		begin=$(now)
		limit 124 'time limit of 1 s reached' -t 1s "$programs/spin.py"
		ended_by "$begin" 2000
		[ "$output" = spinning ]
	done
}

@test "P5: the end of the program is the end of all that it has left behind" {
	begin_limits
	ask -o out "$programs/daemon.py"
	[ "$output" = 'main ends' ]
	# it writes one each 0.1 s: those of before the end may be there, later ones not
	made=$(find out -name 'late-*' | wc -l)
	[ "$made" -le 20 ]
	read -rt 0.5 <> <(:) || :
	[ "$(find out -name 'late-*' | wc -l)" = "$made" ]
}

@test "P6: a closed standard output is not the end" {
	begin_limits
	limit 124 'time limit of 1 s reached' -t 1s "$programs/closed.py"
	awk -v wall="$(used wall)" 'BEGIN {exit !(wall >= 1)}'
}

@test "P7: a program that holds all descriptors harms itself, and its files are kept" {
	begin_limits
	sed '1i open("kept", "w").write("x")' "$programs/descriptors.py" >some.py
	limit 124 'time limit of 1 s reached' -t 1s -o out some.py
	[[ $output =~ ^descriptors\ [0-9]+\ 24$ ]]
	[ "$(cat out/kept)" = x ]
}

@test "P8: the share of the CPUs holds, however many processes want it" {
	begin_limits
	watched --cpus=1 "$programs/burn.py" 8 "$(times 2 20)"
	awk -v cpu="$(used cpu)" -v wall="$(used wall)" 'BEGIN {exit !(cpu <= 1.05 * wall + 1)}' || { echo "$watch"; false; }
}

@test "P9: the exit status is the program's, for every number and every signal" {
	begin_limits
	statuses='0 1 2 124 125 126 127 128 137 255'
	signals='2 6 9 11 15 31'
	if full; then
		statuses=$(seq 0 255)
		signals=$(seq 1 31 | grep -vxE '1[7-9]|2[0-3]|28')	# those stop, or do nothing
	elif [ -e /run/kvm-host ]; then
		statuses='1 125 255'
		signals='9 11'
	fi
	for n in $statuses; do
		run "-$n" pai --json -nc "raise SystemExit($n)"
		[ "$(jq -r '.status, .exit_code, .signal' <<<"$output" | xargs)" = "ok $n null" ]
	done
	for n in $signals; do
		run "-$((128 + n))" pai --json -nc "import os, signal
if $n not in (9, 19): signal.signal($n, signal.SIG_DFL)
os.kill(os.getpid(), $n)
signal.pause()"
		[ "$(jq -r '.status, .signal' <<<"$output" | xargs)" = "signal $n" ]
	done
}

@test "P10: odd text of a program is that program's error, never ours" {
	begin_limits
	printf 'print(1)\0print(2)\n' >nul.py
	printf 'print("\xff\xfe")\n' >bytes.py
	printf '\xef\xbb\xbfprint("bom")\n' >bom.py
	python3 -c 'print("x = \"" + "a" * 3000000 + "\"")' >long.py
	python3 -c 'print("(" * 100000)' >deep.py
	printf 'print("cr")\rprint("cr")\r' >cr.py
	: >empty.py
	printf '#!/usr/bin/env python3\n# coding: latin-1\nprint("\xe9")\n' >latin.py
	for row in nul:1 bytes:1 bom:0 long:0 deep:1 cr:0 empty:0 latin:0; do
		run "-${row#*:}" --separate-stderr pai -n "${row%:*}.py"
		[[ $stderr != *pai-exec:* ]] || { echo "$row: $stderr"; false; }
		run "-${row#*:}" --separate-stderr pai - <"${row%:*}.py"
		[[ $stderr != *pai-exec:* ]] || { echo "$row, from standard input: $stderr"; false; }
	done
}

@test "P11: a crash leaves no core file on the host" {
	begin_limits
	run -134 pai -nc 'import os; os.abort()'
	run -139 pai -o out -nc 'import ctypes; open("f", "w"); ctypes.string_at(0)'
	[ "$(ls out)" = f ]
	[ -z "$(find . /tmp -maxdepth 1 -name 'core*' -newer out 2>/dev/null)" ]
	# nor could one be written: no process of a run may
	"${pai[@]}" -c 'input()' <> <(:) &
	pid=$!
	"$here/../until-running" "$pid"
	for p in $("$here/../tree" "$pid" | sed '1,2d; s/ .*//'); do
		[ ! -r "/proc/$p/limits" ] || awk '/^Max core file size/ {print $5}' "/proc/$p/limits"
	done >cores
	kill -KILL "$pid"
	wait "$pid" || :
	[ "$(sort -u cores)" = 0 ]
}

@test "P12: no limit can be raised, and no priority" {
	ask "$programs/higher.py"
	hold 'refused ' 'open '
	[[ $'\n'$output == *$'\n'"refused NOFILE"* ]]
}

@test "P13: a program can neither kill nor stop what watches it" {
	begin_limits
	run --separate-stderr pai -t 20s -n "$programs/killall.py"
	# of those to whom -1 goes it may be one itself
	[ "$status" = 7 ] || [ "$status$stderr" = '137pai-exec: program killed by signal 9 (SIGKILL)' ]
	[ "$(grep -cxE 'refused 1 SIG(KILL|STOP|TERM) 1' <<<"$output")" = 3 ]
	[[ $output == *'last words'* && $output != *KILLED* ]]
}

@test "P14: memory takes the program, and what it made before is kept" {
	begin_limits
	for _ in $(seq "$(times 3 100 2)"); do
		for kind in children heap; do
			rm -rf out
			run -137 --separate-stderr pai --json --memory=128M -o out -n "$programs/memory.py" "$kind"
			[ "$(jq -r '.status, .signal' <<<"$output" | xargs)" = 'memory 9' ]
			[ "$(cat out/before)" = kept ] || jq -e '.warnings | length > 0' <<<"$output"
		done
	done
}
