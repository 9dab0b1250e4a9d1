# SPDX-License-Identifier: Apache-2.0
# bats file_tags=hostile
# A caller in trouble, a host in trouble: the run ends right, or one line says why
# not, and nothing is left. (H1, H2 and H7 are in a file of their own.)

load helper

begin() {
	only 'the tool is what is looked at' gvisor firecracker
}

# started [OPTION...]: a run that says "up" and waits; $pid, its output on descriptor 8
started() {
	rm -f up
	mkfifo up
	exec 8<>up
	"${pai[@]}" -t 10m "$@" -c 'import time
print("up", flush=True)
time.sleep(600)' >up 2>err </dev/null 8>&- &
	pid=$!
	read -rt 120 line <&8
	[ "$line" = up ]
}

# ends STATUS: within the bounds of a signal's answer
ends() {
	local begin status=0

	begin=$(now)
	wait "$pid" || status=$?
	exec 8<&-
	ended_by "$begin" 2000
	[ "$status" = "$1" ] || { echo "status $status, not $1"; cat err; return 1; }
}

@test "H3: each signal ends the run, which dies of it; the second one at once" {
	begin
	for _ in $(seq "$(times 1 20)"); do
		for s in TERM:143 HUP:129; do
			started
			kill "-${s%:*}" "$pid"
			ends "${s#*:}"
		done
	done
	# of two that wait the lower number is heard first
	started -k 60s
	kill -HUP "$pid"
	kill -TERM "$pid"
	ends 129
	# a shell's background jobs ignore INT and QUIT: python does not
	for s in INT QUIT; do
		python3 - "$s" "${pai[@]}" -c 'import time
print("up", flush=True)
time.sleep(600)' <<-'P'
			import signal, subprocess, sys
			for n in (signal.SIGINT, signal.SIGQUIT): signal.signal(n, signal.SIG_DFL)
			p = subprocess.Popen(sys.argv[2:], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
			assert p.stdout.readline() == b"up\n"
			n = getattr(signal, "SIG" + sys.argv[1])
			p.send_signal(n)
			assert p.wait(timeout=60) == -n, p.returncode
		P
	done
	# at any point of the start
	for _ in $(seq "$(times 5 20 1)"); do
		"${pai[@]}" -nc 'import time; time.sleep(600)' 2>/dev/null &
		pid=$!
		read -rt "0.$((RANDOM % 5))" <> <(:) || :
		kill -TERM "$pid"
		ends 143
	done
}

@test "H4: a command that was stopped ends on time, and goes on where it may" {
	begin
	started
	kill -STOP "$pid"
	read -rt 1 <> <(:) || :
	kill -CONT "$pid"
	kill -TERM "$pid"
	ends 143
	# stopped beyond the limit, the run is over when the command goes on
	rm -f up
	mkfifo up
	exec 8<>up
	"${pai[@]}" -t 1s -c 'import time
print("up", flush=True)
time.sleep(600)' >up 2>err </dev/null 8>&- &
	pid=$!
	read -rt 120 line <&8
	kill -STOP "$pid"
	read -rt "$(times 3 60)" <> <(:) || :
	kill -CONT "$pid"
	ends 124
}

# small DIR SIZE COMMAND...: COMMAND with a file system of SIZE there; needs root
small() {
	unshare -m bash -euc 'mount --make-rprivate /
		mount -t tmpfs -o "size=$2,mode=777" none "$1"
		"${@:3}"' - "$@"
}

@test "H5: a full disk costs one line, and the program's status is kept" {
	begin
	need_root
	mkdir out cache
	# the output's
	run -125 --separate-stderr small "$PWD/out" 1m "${pai[@]}" --json -o out -nc 'open("f", "w").write("x" * 3000000)'
	[ "$(jq -r '.exit_code' <<<"$output")" = 0 ]
	[[ $(jq -r '.error.value' <<<"$output") == *"'f' not kept: No space left on device"* ]]
	# that of state: a template cannot be left there, and the run is none the worse
	XDG_CACHE_HOME=$PWD/cache run -0 small "$PWD/cache" 1m "${pai[@]}" -nc 'print("ran")'
	[[ $output == *ran* ]]
	XDG_CACHE_HOME=$PWD/cache run -0 small "$PWD/cache" 16k "${pai[@]}" --quiet -nc 'print("ran")'
	[ "$output" = ran ]
}

@test "H6: without descriptors, processes or memory one line names the limit" {
	begin
	fine=0
	for n in 8 12 16 24 32 48 64 1024; do
		run --separate-stderr prlimit "--nofile=$n" "${pai[@]}" -nc 'print("ran")'
		case $status in
		0) [ "$output" = ran ]; fine=$((fine + 1)) ;;
		125) [[ -z $output && $stderr == pai-exec:\ *" open files is $n "* && ${#stderr_lines[@]} -le 3 ]] ;;
		*) echo "$n: $status $stderr" && false ;;
		esac
	done
	[ "$fine" -gt 0 ]
	for as in 10000000 100000000 1000000000; do
		run --separate-stderr prlimit "--as=$as" "${pai[@]}" -nc 'print("ran")'
		[[ $status = 125 && -z $output && $stderr == pai-exec:\ * ]] || [ "$status$output" = 0ran ] ||
			{ echo "$as: $status $stderr"; false; }
	done
	if [ "${PAI_AS:-}" = user ]; then	# root has no limit of processes
		for n in 1 2 3 5; do
			run --separate-stderr "${as_user[@]}" prlimit "--nproc=$n" "${pai[@]:${#as_user[@]}}" -nc 'print("ran")'
			[[ $status = 125 && -z $output && $stderr == pai-exec:\ * ]] || [ "$status$output" = 0ran ] ||
				{ echo "$n processes: $status $stderr"; false; }
		done
	fi
}

@test "H8: what the dead left is taken away, what the living hold never" {
	begin
	pai -o out -nc 0
	# a file of a run that was killed, and one of a run that still holds it
	"${as_user[@]}" touch out/.pai-exec.dead out/.pai-exec.alive
	exec 7<out/.pai-exec.alive
	flock 7
	pai -o out -nc 0
	[ ! -e out/.pai-exec.dead ]
	[ -e out/.pai-exec.alive ]
	exec 7<&-
	pai -o out -nc 0
	[ ! -e out/.pai-exec.alive ]
	[ "$(id -u)" = 0 ] && [ "${PAI_AS:-}" != user ] || return 0
	# a cgroup whose name says a living process: what counts is who holds it
	at=$(find /sys/fs/cgroup -maxdepth 2 \( -path '*/pids' -o -path /sys/fs/cgroup \) -name pids -type d | head -n 1)
	own=$(sed -n 's/^[0-9]*:pids://p' /proc/self/cgroup)
	at=${at:-/sys/fs/cgroup}${own%/}
	mkdir "$at/pai-exec-dead$$" 2>/dev/null || skip 'no cgroup can be made here'
	pai -nc 0
	[ ! -e "$at/pai-exec-dead$$" ]
	kill -0 "$$"
}

@test "H9: a clock that jumps does not move the time limit" {
	begin
	[ -e /run/kvm-host ] || skip 'the clock of a machine that others use is not to be set (the emulated host does it)'
	[ "$(id -u)" = 0 ] || skip 'needs root, to set the clock'
	for jump in '+1 hour' '-2 hours'; do
		begin=$(awk '{print int($1 * 1000)}' /proc/uptime)
		"${pai[@]}" -t 5s -c 'import time
time.sleep(600)' </dev/null 2>err &
		pid=$!
		read -rt 3 <> <(:) || :
		date -s "$jump" >/dev/null
		status=0
		wait "$pid" || status=$?
		[ "$status" = 124 ]
		[ $(($(awk '{print int($1 * 1000)}' /proc/uptime) - begin)) -le $((6000 + slack * 1000)) ]
	done
	date -s '+1 hour' >/dev/null
}

@test "H10: odd callers: closed descriptors, no environment, no folder, odd signals and masks" {
	begin
	right() { [ "$status" = 125 ] || [ "$status${output//[$'\n']/}" = 0ran ] || { echo "$status $output"; return 1; }; }
	run bash -c '"$@" <&-' - "${pai[@]}" -c 'print("ran")'
	right
	run bash -c '"$@" >&-' - "${pai[@]}" -nc 'print("ran")'
	[ "$status" = 125 ] || [ "$status" = 0 ]
	run bash -c '"$@" 2>&-' - "${pai[@]}" -nc 'print("ran")'
	right
	run bash -c '"$@" <&- >&- 2>&-' - "${pai[@]}" -o out -c 'open("f", "w").write("x")'
	[ "$status" = 125 ] || [ "$(cat out/f)" = x ]
	run bash -c 'trap "" PIPE CHLD; "$@"' - "${pai[@]}" -nc 'print("ran")'
	right
	run bash -c 'umask 777; "$@"' - "${pai[@]}" -nc 'print("ran")'
	right
	run env -i "PATH=$PATH" PAI_CONFIG_NOSYSTEM=1 "${pai[@]}" -nc 'print("ran")'
	right
	run env HOME=/none XDG_CACHE_HOME=/none "${pai[@]}" -nc 'print("ran")'
	right
	run bash -c 'mkdir gone && cd gone && rmdir ../gone && exec "$@"' - "${pai[@]}" -nc 'print("ran")'
	right
	run setsid -w "${pai[@]}" -nc 'print("ran")'
	right
	run bash -c 'exec 3</ 4<. 9</dev/null 200</; exec "$@"' - "${pai[@]}" -nc 'print("ran")'
	right
	if [ "$(id -u)" = 0 ] && [ "${PAI_AS:-}" != user ]; then	# a uid that nobody knows
		run setpriv --reuid 54321 --regid 54321 --clear-groups env HOME=/none "${pai[@]}" -nc 'print("ran")'
		right
	fi
}

@test "H11: an image that is cut, empty, a folder or a pipe is one line, and none hangs" {
	begin
	mkdir image
	for file in image.json rootfs.erofs; do
		for how in cut empty folder pipe missing; do
			rm -rf image
			mkdir image
			ln -s "$PAI_IMAGE"/* image/
			rm "image/$file"
			case $how in
			cut) head -c 1000 "$PAI_IMAGE/$file" >"image/$file" ;;
			empty) : >"image/$file" ;;
			folder) mkdir "image/$file" ;;
			pipe) mkfifo "image/$file" ;;
			esac
			run -125 --separate-stderr timeout 100 "${pai[@]}" --image=./image --fresh -nc 'print("ran")'
			[[ -z $output && $stderr == pai-exec:\ * && ${#stderr_lines[@]} -le 3 ]] || { echo "$file, $how: $stderr"; false; }
		done
	done
	for n in $(full && seq 0 700000 69000000); do
		rm image/rootfs.erofs
		head -c "$n" "$PAI_IMAGE/rootfs.erofs" >image/rootfs.erofs
		run --separate-stderr timeout 100 "${pai[@]}" --image=./image --fresh -nc 'print("ran")'
		[ "$status" != 0 ]
	done
}

@test "H12: a machine that was suspended goes on, or ends what is over its time" {
	begin
	need_root
	started
	mapfile -t tree < <("$here/../tree" "$pid" | cut -d ' ' -f 1)
	kill -STOP "${tree[@]}" 2>/dev/null || :
	read -rt "$(times 3 300)" <> <(:) || :
	kill -CONT "${tree[@]}" 2>/dev/null || :
	kill -TERM "$pid"
	ends 143
}

@test "H13: no process is left for another to bury" {
	begin
	python3 - "$(times 5 1000 2)" "${pai[@]}" -nc 0 <<-'P'
		import ctypes, os, subprocess, sys
		PR_SET_CHILD_SUBREAPER = 36
		assert ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
		n = int(sys.argv[1])
		for _ in range(n): subprocess.run(sys.argv[2:], check=True)
		kids = open("/proc/self/task/%d/children" % os.getpid()).read().split()
		assert not kids, [open(f"/proc/{k}/comm").read() for k in kids]
	P
}

@test "H14: where no backend works, each reason is told, at once" {
	begin
	need_root
	refuse=$PAI_BUILD/t/refuse
	kinds=('mount,userns' 'ptrace,mount,unshare,userns')
	[ "$backend" != gvisor ] || kinds+=(ptrace)	# a microVM needs none
	for what in "${kinds[@]}"; do
		begin=$(now)
		run -125 --separate-stderr "$refuse" "$what" "${pai[@]/--backend=*/--backend=auto}" -nc 'print(1)'
		ended_by "$begin" 2000
		[ -z "$output" ]
		[[ $stderr == 'pai-exec: no sandbox backend works here: nothing was run
pai-exec: firecracker: '*'
pai-exec: gvisor: '* ]]
	done
}
