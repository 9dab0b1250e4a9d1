# SPDX-License-Identifier: Apache-2.0
# bats file_tags=sandbox
# What each process of a run may still do, and that it is enough: the command is
# confined before it reads a byte of the guest.

load helper

# What starts a backend keeps of root's capabilities (host/confine.c).
starter=chown,dac_override,dac_read_search,fowner,fsetid,kill,setgid,setuid,setpcap,sys_chroot,sys_ptrace,sys_admin,sys_resource,mknod,setfcap

# begin ARG...: a run of wait.py in the background, up; its pid is $pid
begin() {
	mkfifo up
	exec 8<>up
	"${pai[@]}" -t 600 "$@" "$cases/wait.py" >up 2>err </dev/null 8>&- &
	pid=$!
	read -rt 30 line <&8
	[ "$line" = up ]
}

end() {
	kill -KILL "$pid"
	wait "$pid" || :
}

way() { [ "${PAI_AS:-}" = user ] && echo gvisor-user || echo gvisor-root; }

# until_true COMMAND...: it succeeds within 10 s
until_true() {
	local i

	for ((i = 0; i < 100; i++)); do
		"$@" >seen 2>&1 && return
		read -rt 0.1 <> <(:) || :
	done
	cat seen
	return 1
}

@test "no process of a run has more rights than the table says" {
	[ "$(id -u)" = 0 ] || skip 'needs root, to look at processes that cannot be traced'
	begin
	# the keeper gives up its last rights while the program starts
	until_true "$PAI_SOURCE/t/posture" "$pid" "$(way)" "$PAI_SOURCE/t/data/posture"
	end
}

@test "with an input folder root keeps the right to read that it needs, no more" {
	[ "$(id -u)" = 0 ] && [ "${PAI_AS:-}" != user ] || skip 'needs root'
	mkdir in
	begin -i in -o out
	run -1 "$PAI_SOURCE/t/posture" "$pid" gvisor-root "$PAI_SOURCE/t/data/posture"
	[ "$(grep '^!' <<<"$output")" = '! command caps dac_override,dac_read_search allowed: dac_override' ]
	end
}

@test "a session's keeper can still start what saves the sandbox; no other process has more than ever" {
	[ "$(id -u)" = 0 ] || skip 'needs root, to look at processes that cannot be traced'
	begin --session=s --session-dir=sessions
	run -1 "$PAI_SOURCE/t/posture" "$pid" "$(way)" "$PAI_SOURCE/t/data/posture"
	# root reads what a backend has saved as it reads an input
	[ "$(grep '^!' <<<"$output" | grep -cvE '^! (command caps dac_override,dac_read_search |keeper (bounding|caps|files|root) |runsc root )')" = 0 ]
	grep -qE '^! keeper root [^ ]*,keep,' <<<"$output"
	for cap in $(sed -n 's/^! keeper caps \([^ ]*\) .*/\1/p' <<<"$output" | tr , ' '); do
		[[ ,$starter, == *",$cap,"* ]]
	done
	end
}

@test "a program and its secrets are in no other process's words" {
	[ "$(id -u)" = 0 ] || skip 'needs root, to look at processes that cannot be traced'
	mkfifo up
	exec 8<>up
	PAI_SECRET=canary-$$ "${pai[@]}" -e TOKEN="canary-$$" -c "x = 'canary-$$'
print('up', flush=True)
import time; time.sleep(600)" >up 2>err </dev/null 8>&- &
	pid=$!
	read -rt 30 line <&8
	for p in $("$PAI_SOURCE/t/tree" "$pid" | awk 'NR > 1 {print $1}'); do
		run ! grep -qsa "canary-$$" "/proc/$p/cmdline" "/proc/$p/environ"
	done
	end
}

# traced ARG...: runs it under strace; what follows its confinement is in the file after
traced() {
	command -v strace >/dev/null || skip 'no strace here'
	strace -o probe true 2>/dev/null || skip 'strace may not trace here'
	# of a process that cannot be traced only root sees the paths
	[ "$(id -u)" = 0 ] || skip 'needs root'
	strace -qq -o log "${as_user[@]}" "$PAI_BUILD/pai-exec" "${fresh[@]}" ${PAI_IMAGE:+--image="$PAI_IMAGE"} "$@"
	[ "$(grep -c '^seccomp(SECCOMP_SET_MODE_FILTER, 0, .* = 0$' log)" = 1 ]
	# nothing is started, and no path is opened that does not begin at an open folder
	awk '/^seccomp\(SECCOMP_SET_MODE_FILTER, 0, / {on = 1; next} on' log >after
	run ! grep -E '^(execve|clone|clone3|fork|vfork|socket|open|creat)\(' after
	# what is needed is allowed, also where nobody looks at the answer
	run ! grep -E '= -1 (EACCES|EPERM|ENOSYS)' after
	run ! grep -E '^openat\((AT_FDCWD|[0-9]+, "(/|[^"]*\.\.))' after
}

@test "after its confinement the command opens what lies beneath DIR and the inputs" {
	mkdir -p in/sub
	echo 1 >in/a
	echo 2 >in/sub/b
	for i in 1 2; do	# a template is made, then cloned
		traced -i in --usage=usage --manifest=sums --status-fd=5 --json -o out -c 'import os
os.mkdir("new"); open("new/f", "w").write(open("in/sub/b").read()); open("g", "w").write("x")' >r.json 5>word
		[ "$(jq -r '.status' r.json)" = ok ]
		[ "$(cat out/new/f)" = 2 ]
		(cd out && sha256sum -c --quiet ../sums)
		[ "$(cat word)" = 'status=ok exit=0 signal=-' ]
		grep -q '^real=' usage
		[ "$(grep -c '^openat' after)" -ge 4 ]
		# a cold sandbox has its inputs before it says hello
		[ "${PAI_START:-}" = fresh ] || grep -q '^openat([0-9]*, "sub/b", O_RDONLY' after
	done
	traced -c 'print(1)'
	run ! grep -q '^openat' after
}

@test "DIR on another file system, relative, deep and old files replaced" {
	shm=$(mktemp -d /dev/shm/pai-confine.XXXXXX)
	[ "${PAI_AS:-}" != user ] || chown 12345 "$shm"
	for dir in "$shm/out" out ./again/; do
		for i in 1 2; do
			pai -o "$dir" -c "import os
os.makedirs('a/b/c', exist_ok=True); open('a/b/c/f', 'w').write('$i'); open('g', 'w').write('$i')"
			[ "$(cat "$dir/a/b/c/f" "$dir/g")" = "$i$i" ]
		done
	done
	rm -rf "$shm"
}

@test "root keeps its hand on folders of others that it names" {
	[ "$(id -u)" = 0 ] && [ "${PAI_AS:-}" != user ] || skip 'needs root'
	mkdir -p in/sub out/sub
	echo text >in/sub/f
	chown -R 12345:12345 in out
	chmod -R go= in out
	pai -i in -o out -c 'import os
os.makedirs("sub"); open("sub/f", "w").write(open("in/sub/f").read())'
	[ "$(cat out/sub/f)" = text ]
}

@test "a template is made, used and, if it is damaged, taken away by a confined command" {
	[ "${PAI_START:-}" != fresh ] || skip 'it is about templates'
	export XDG_CACHE_HOME=$work/cache
	pai -o out -c 'open("f", "w")'
	t=$(find cache/pai/templates -mindepth 1 -maxdepth 1 -type d)
	[ "$(stat -c %a "$t/sizes")" = 644 ]
	[ -z "$(find cache/pai/templates -name '*.part')" ]
	size=$(stat -c %s "$t/checkpoint.img")	# before it is opened to be written
	head -c "$size" /dev/urandom | "${as_user[@]}" dd "of=$t/checkpoint.img" status=none
	run -0 --separate-stderr pai --json --script -c 'print("ran")'
	[ "$(jq -r '.stdout, .backend.start' <<<"$output" | xargs)" = 'ran cold' ]
	jq .warnings <<<"$output"	# shown if the next line fails
	[ ! -e "$t" ]
	[ ! -e "$t.gone" ]
}

@test "a terminal, a pipe, a file, closed descriptors" {
	code='print("text")'
	[ "$(script -qec "${pai[*]@Q} -nc ${code@Q}" /dev/null | tr -d '\r')" = text ]
	[ "$(pai -nc "$code" | cat)" = text ]
	pai -nc "$code" >>file
	[ "$(cat file)" = text ]
	pai -nc "$code" <&- >&- 2>&-
	pai --json -nc "$code" 2>&- <&- | jq -e '.stdout == "text\n"'
}

@test "no control byte of a guest reaches a terminal in a message or in JSON" {
	pai --json -o out -c 'import os
print("\x1b[31m \x9b31m \x7f \u00a0 é"); os.symlink("/", "l\x1b\x9b\x7f\n")
raise ValueError("\x9b2J\x7f")' >r.json || :
	run ! grep -qP '[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' r.json
	[ "$(jq -r '.stdout' r.json)" = $'\x1b[31m \xc2\x9b31m \x7f \xc2\xa0 é' ]
	[ "$(jq -r '.error.value' r.json)" = $'\xc2\x9b2J\x7f' ]
	[ "$(jq '.skipped | length' r.json)" = 1 ]
	run -0 --separate-stderr pai -o again -c 'import os; os.symlink("/", "l\x1b\x9b\x7f")'
	[ "$stderr" = "pai-exec: 'l\\x1b\\xc2\\x9b\\x7f' not kept: symlink" ]
}
