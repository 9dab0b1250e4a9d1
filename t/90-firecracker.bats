# SPDX-License-Identifier: Apache-2.0
# bats file_tags=firecracker
# The microVM: the same promises as under gVisor, on a host whose KVM works. On
# another one `deploy/check kvm` runs this file in an emulated host; there all is
# 20 to 40 times slower, so no time here is short.

load helper

vm() { pai --backend=firecracker --memory=256M "$@"; }

setup_file() {
	export PAI_KVM_WORKS=
	if ! command -v firecracker >/dev/null || [ ! -w /dev/kvm ]; then return 0; fi
	# the cache of the whole run: the template that this leaves is the others' too
	export XDG_CACHE_HOME=${PAI_CACHE:-$BATS_FILE_TMPDIR/cache} HOME=$BATS_FILE_TMPDIR
	load helper
	cd "$BATS_FILE_TMPDIR" || return 1
	if vm -nc 0; then PAI_KVM_WORKS=yes; fi
}

# Each test's own folder, and a KVM that works.
begin() {
	[ -n "$PAI_KVM_WORKS" ] || skip 'no KVM with Firecracker here (deploy/check kvm emulates one)'
}

@test "the program's status is passed on, and the word tells how it ended" {
	begin
	run -0 vm -nc 'print("hello")'
	[ "$output" = hello ]
	run -3 vm -nc 'import sys; sys.exit(3)'
	run -255 vm -nc 'import os; os._exit(255)'
	run -1 --separate-stderr vm -nc 'x = 1 / 0'
	[ "${stderr_lines[-1]}" = 'ZeroDivisionError: division by zero' ]
	run -139 vm -nc 'import os; os.kill(os.getpid(), 11)'
	run -137 --separate-stderr vm -nc 'import os; os.kill(os.getpid(), 9)'
	[ "$stderr" = 'pai-exec: program killed by signal 9 (SIGKILL)' ]
	run -4 vm -l shell -nc 'exit 4'
	vm --json -nc 'raise ValueError("no")' >r || :
	[ "$(jq -r '.status, .exit_code, .error.name, .backend.name' r | xargs)" = 'error 1 ValueError firecracker' ]
}

@test "the time limit interrupts, then kills, and keeps what was made" {
	begin
	run -124 --separate-stderr vm -t 5s -k 5s -o out -nc 'import signal, time
signal.signal(signal.SIGINT, lambda *a: open("asked", "w").write("yes"))
print("up")
while True: time.sleep(0.1)'
	[ "$output" = up ]
	[ "$stderr" = 'pai-exec: time limit of 5 s reached' ]
	[ "$(cat out/asked)" = yes ]
}

@test "the memory limit strikes the program, not the machine: files are kept" {
	begin
	run -137 --separate-stderr vm --memory=128M -t 5m -o out -nc 'open("before", "w").write("kept")
x = bytearray(300 << 20)'
	[ "$stderr" = 'pai-exec: memory limit of 128M reached' ]
	[ "$(cat out/before)" = kept ]
}

@test "streams: binary, large, in order, without a last newline" {
	begin
	run -0 vm -nc 'import sys; sys.stdout.write("no newline")'
	[ "$output" = 'no newline' ]
	vm -nc 'import sys
for i in range(40): sys.stdout.buffer.write(bytes(range(256)) * 400)' >big
	[ "$(stat -c %s big)" = 4096000 ]
	[ "$(sha256sum <big)" = "$(for _ in $(seq 40); do cat <(python3 -c 'import sys; sys.stdout.buffer.write(bytes(range(256)) * 400)'); done | sha256sum)" ]
	vm -nc 'import sys
for i in range(200): print(i, file=[sys.stdout, sys.stderr][i % 2])' >both 2>&1
	[ "$(cat both)" = "$(seq 0 199)" ]
	head -c 3000000 big | vm -c 'import hashlib, sys; print(hashlib.sha256(sys.stdin.buffer.read()).hexdigest())' >sum
	[ "$(cat sum)" = "$(head -c 3000000 big | sha256sum | cut -d ' ' -f 1)" ]
}

@test "files in and out" {
	begin
	mkdir -p in/deep
	echo text >in/deep/a
	head -c 3000000 /dev/urandom >blob
	run -0 vm -i in -i blob:b.bin -o out -nc 'import os, shutil
shutil.copy("b.bin", "copy"); os.symlink("copy", "link"); os.mkfifo("fifo"); os.makedirs("new/empty")
open("run.sh", "w").write("x"); os.chmod("run.sh", 0o755); print(open("in/deep/a").read().strip())'
	[ "${lines[0]}" = text ]
	cmp blob out/copy
	[ "$(find out | sort | xargs)" = 'out out/copy out/new out/new/empty out/run.sh' ]
	[ "$(stat -c %a out/run.sh)" = 755 ]
}

@test "the sales example gives what it gives under gVisor" {
	begin
	d=$PAI_SOURCE/deploy/examples
	vm -i "$d/sales.csv" -o out -n "$d/sales.py" >table
	[ "$(sed -n 3p table)" = 'South      976   5313  493180.10' ]
	[ "$(head -c 8 out/chart.png | od -An -tx1)" = ' 89 50 4e 47 0d 0a 1a 0a' ]
	python3 -m zipfile -t out/report.xlsx
}

@test "clones are warm and differ: randomness of kernel, Python and numpy, clock, names" {
	begin
	n=${PAI_CLONES:-4}
	for _ in $(seq "$n"); do
		vm --json -nc 'import numpy, os, random, secrets, socket, tempfile, uuid
for v in (random.random(), uuid.uuid4(), uuid.uuid1(), numpy.random.rand(), os.urandom(8).hex(), tempfile.mkdtemp(),
          socket.gethostname(), secrets.token_hex(8)): print(v)' >r
		jq -r .stdout r | grep . >>all
		jq -r .backend.start r >>starts
	done
	[ "$(wc -l <all)" = $((8 * n)) ]
	[ -z "$(sort all | uniq -d)" ]
	[ "$(tail -n 1 starts)" = warm ]
	before=$(date +%s)
	inside=$(vm -nc 'import time; print(int(time.time()))')
	[ "$inside" -ge "$before" ]
	[ "$inside" -le "$(date +%s)" ]
}

# turn SESSION OPTION...: its next turn
turn() {
	local session=$1

	shift
	vm --session-dir=sessions --session="$session" "$@"
}

@test "a session lives on: thread, open file, streams counted anew; a kernel that dies takes its turn back" {
	begin
	turn s -n -c 'import threading, time
n, f = 0, open("log", "w+")
def count():
    global n
    while True: n += 1; time.sleep(.001)
threading.Thread(target=count, daemon=True).start()'
	run -0 --separate-stderr turn s --json --max-stdout=1 -n -c 'import os
a = n; time.sleep(1); print(n > a, f.write("one"), f.flush())
for _ in range(20): _ = os.write(1, bytes(65536)), os.write(2, bytes(4096))'
	[ "$(jq -c '[.stdout_bytes, .stderr_bytes, .session.turn, .session.state, .backend.start]' <<<"$output")" = '[1310732,81920,2,"kept","resumed"]' ]
	# both streams are one, and then two again
	[ "$(turn s -n -c 'for i in "123": _ = os.write(2 - int(i) % 2, i.encode())' 2>&1 | cat)" = 123 ]
	run -3 --separate-stderr turn s --json -n -c 'f = None; os._exit(3)'
	[ "$(jq -c '[.session.turn, .session.state]' <<<"$output")" = '[3,"rewound"]' ]
	run -0 --separate-stderr turn s -n -c 'f.seek(0); print(f.read())'
	[ "$output" = one ]
	[ -z "$stderr" ]
	# what is saved is what is in use: the machine has 384M
	[ "$(du -sm sessions/s/4/snapshot | cut -f 1)" -le 200 ]
	[ "$(stat -c %a sessions/s)" = 700 ]
}

@test "nothing of a session runs before its random numbers are drawn anew: copies differ from the first on" {
	begin
	turn a -n -c 'import os, threading, time
got = []
def loop():
    while True: got.append((time.time(), os.urandom(8).hex(), time.time()))
threading.Thread(target=loop, daemon=True).start(); time.sleep(.5)'
	before=$EPOCHREALTIME	# it has been still since it was saved
	"${as_user[@]}" cp -a sessions/a sessions/b
	for s in a b; do
		# the last one of the turn before, how long nothing was drawn, what came next; one
		# whose times lie on both sides may be of either
		turn "$s" -n -c "time.sleep(.5)
was = next(g for g in reversed(got) if g[2] < $before)
i = next(i for i, g in enumerate(got) if g[0] >= $before)
print(was[1], got[i][0] - was[2] > .1, *[g[1] for g in got[i:i + 3]], sep='\n')" >"$s.txt"
	done
	[ "$(head -n 2 a.txt)" = "$(head -n 2 b.txt)" ]
	[ "$(sed -n 2p a.txt)" = True ]
	[ "$(cat ./*.txt | wc -l)" = 10 ]
	[ -z "$(tail -qn 3 ./*.txt | sort | uniq -d)" ]
}

@test "a damaged snapshot costs time, not the run" {
	begin
	vm -nc 0
	for t in "$XDG_CACHE_HOME"/pai/templates/[0-9a-f]*; do
		[ ! -e "$t/state" ] || "${as_user[@]}" dd if=/dev/urandom "of=$t/state" bs=100 count=20 conv=notrunc status=none
	done
	run -0 --separate-stderr vm --json -nc 'print("ran")'
	[ "$(jq -r '.stdout, .backend.name, .backend.start' <<<"$output" | xargs)" = 'ran firecracker cold' ]
	run -0 vm -nc 'print("again")'
	[ "$output" = again ]
}

@test "a signal interrupts the program, files are kept, and pai-exec dies of it" {
	begin
	mkfifo up
	"${pai[@]}" --backend=firecracker --memory=256M -o out -nc 'import time
try:
    print("up", flush=True)
    time.sleep(600)
except KeyboardInterrupt:
    open("f", "w").write("kept")' >up &
	pid=$!
	exec 5<up	# stays open: a reader that goes away would end it
	read -ru 5 _
	read -rt 2 <> <(:) || :
	kill -TERM "$pid"
	status=0
	wait "$pid" || status=$?
	exec 5<&-
	[ "$status" = 143 ]
	[ "$(cat out/f)" = kept ]
}

@test "the machine's process has no rights, and its own filter" {
	begin
	"${pai[@]}" --backend=firecracker --memory=256M -c 'input()' <> <(:) &
	pid=$!
	for _ in $(seq 600); do
		fc=$(pgrep -x firecracker | tail -n 1) || fc=
		if [ -n "$fc" ] && grep -q '^Seccomp:[[:space:]]*2$' "/proc/$fc/status"; then break; fi
		read -rt 0.1 <> <(:) || :
	done
	status=$(cat "/proc/$fc/status")
	list=$(cd "/proc/$fc/root" 2>/dev/null && echo * || :)
	nets=$(ls "/proc/$fc/root/sys/class/net" 2>/dev/null || :)
	kill -KILL "$pid"
	wait "$pid" || :
	[ "$(awk '/^Uid:/ {print ($2 > 0)}' <<<"$status")" = 1 ]
	[ "$(awk '/^Cap[A-Z][a-z]+:/ {print $2}' <<<"$status" | sort -u)" = 0000000000000000 ]
	[ "$(awk '/^NoNewPrivs:/ {print $2}' <<<"$status")" = 1 ]
	[[ -z $list || $list =~ ^bin\ dev\ proc\ run(\ save)?(\ template)?\ tmp\ vm$ ]]
	[ -z "$nets" ]
}

@test "no process of a run has more rights than the table says" {
	begin
	[ "$(id -u)" = 0 ] || skip 'needs root, to look at processes that cannot be traced'
	mkfifo up
	# auto: the other backend's keeper, which waited, is gone when a program runs
	for backend in firecracker auto; do
		"${pai[@]}" --backend="$backend" --memory=256M -t 600 -nc 'print("up", flush=True)
import time; time.sleep(600)' >up &
		pid=$!
		exec 5<up
		read -ru 5 _
		right=1
		for _ in $(seq 100); do
			"$PAI_SOURCE/t/posture" "$pid" "firecracker-${PAI_AS:-root}" "$PAI_SOURCE/t/data/posture" >seen && right=0 && break
			read -rt 0.1 <> <(:) || :
		done
		cat seen
		kill -KILL "$pid"
		wait "$pid" || :
		exec 5<&-
		[ "$right" = 0 ]
	done
}

@test "kill -9 at any point leaves nothing" {
	begin
	for _ in $(seq "${PAI_KILLS:-4}"); do
		"${pai[@]}" --backend=firecracker --memory=256M -nc 'print("x" * 100000)' >/dev/null 2>&1 &
		read -rt "$((RANDOM % 3)).$((RANDOM % 10))" <> <(:) || :
		kill -KILL $! 2>/dev/null || :
		wait $! || :
	done
	run -0 vm -nc 'print("next")'
	[ "$output" = next ]
	for _ in $(seq 100); do
		pgrep -x firecracker >/dev/null || break
		read -rt 0.1 <> <(:) || :
	done
	run -1 pgrep -x firecracker
	run -1 grep 'vmlinux' /proc/self/mounts
}

@test "auto takes the microVM where one has answered" {
	begin
	run -0 pai --memory=256M --json -nc 'print(1)'
	[ "$(jq -r '.backend.name' <<<"$output")" = firecracker ]
	run -0 pai --memory=256M --backend=gvisor -nc 'print(2)'
	[ "$output" = 2 ]
}
