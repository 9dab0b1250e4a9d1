# SPDX-License-Identifier: Apache-2.0
# bats file_tags=sandbox
# Hosts that are odd, poor or in the way; a runsc that hangs, dies or lies.

load helper

# in a build folder: those of the source tree
scripts=$(realpath "$PAI_SOURCE/deploy")

# broken FAULT: pai-exec with a runsc that has it
broken() {
	mkdir -p "$work/$1"
	cp "$PAI_BUILD/t/fake-$1" "$work/$1/runsc"
	# without the making of a template, which has a deadline of its own
	PATH=$work/$1:/usr/bin:/bin run -125 --separate-stderr pai --fresh -c 'print(1)' </dev/null
	[ -z "$output" ]
}

@test "a runsc that does not start a sandbox is told in one line, with its own words" {
	broken crash
	[ "$stderr" = 'pai-exec: the sandbox did not start: killed by signal 6' ]
}

@test "a runsc that is another program, or too old, is told with its path and the cure" {
	local fault
	for fault in flag silent; do
		broken $fault
		[ "${stderr_lines[2]}" = "pai-exec: gvisor: $(realpath $fault/runsc): fake is too old: it has no systrap; $scripts/get-runsc builds a new one" ]
	done
	printf 'code_interpreter:\n  backend: gvisor\n  runsc_bin: %s\n' "$work/other" >other.yaml
	cp /bin/true other
	run -125 pai --config=other.yaml -c 1
	[[ $output == "pai-exec: other.yaml:2: backend gvisor: $work/other: not runsc: --version says "* ]]
	chmod 644 other
	run -125 pai --config=other.yaml -c 1
	[ "$output" = "pai-exec: other.yaml:2: backend gvisor: runsc_bin: $work/other: Permission denied" ]
}

@test "a sandbox that sends what it must not costs one line" {
	broken garbage
	[ "$stderr" = 'pai-exec: the sandbox sent what it must not: a frame of 1869488382 bytes (at most 1048576)' ]
	broken huge-frame
	[ "$stderr" = 'pai-exec: the sandbox sent what it must not: a frame of 4294967295 bytes (at most 1048576)' ]
	broken liar
	[ "$stderr" = 'pai-exec: the sandbox sent what it must not: message 71 at the wrong time' ]
	broken mid-frame
	[ "$stderr" = "pai-exec: the sandbox died before the program's end" ]
	broken early-end
	[ "$stderr" = "pai-exec: the sandbox died before the program's end" ]
}

@test "a runsc that hangs is ended by the boot's own limit: 125, not 124" {
	begin=$SECONDS
	broken hang
	[ "$stderr" = 'pai-exec: the sandbox did not start within 30 s' ]
	[ $((SECONDS - begin)) -le 35 ]
}

@test "--check finds each of them out, and ends" {
	for fault in hang garbage crash flag; do
		mkdir -p "$fault"
		cp "$PAI_BUILD/t/fake-$fault" "$fault/runsc"
		PATH=$PWD/$fault:/usr/bin:/bin run -1 pai --check
		[[ $output == *'no sandbox backend works here' ]]
	done
	[[ $output == *'is too old: it has no systrap'* ]]
}

@test "a script in runsc's place, and no runsc, are named with the cure" {
	mkdir script
	printf '#!/bin/sh\nexec runsc "$@"\n' >script/runsc
	chmod 755 script script/runsc
	PATH=$PWD/script:/usr/bin:/bin run -125 --separate-stderr pai -c 1
	[[ $stderr == *"gvisor: $(realpath script/runsc): not an ELF program"* ]]
	# nor is a folder a program
	mkdir -p folder/runsc
	PATH=$PWD/folder:/usr/bin:/bin run -125 --separate-stderr pai -c 1
	[ "${stderr_lines[0]}" = 'pai-exec: no sandbox backend works here: nothing was run' ]
	[[ ${stderr_lines[1]} == 'pai-exec: firecracker: '* ]]
	[ "${stderr_lines[2]}" = "pai-exec: gvisor: runsc: not on PATH; $scripts/get-runsc installs it" ]
	PATH=/usr/bin:/bin run -125 pai --json -c 1
	[ "$(jq -r '.error.code, .started' <<<"$output")" = 'no_backend
false' ]
}

@test "a refusal of any length and letters is in the object" {
	local long letter
	long=$(printf 'é%.0s' {1..100})/$(printf 'é%.0s' {1..114})
	for letter in '' x; do
		PAI_CODE_INTERPRETER_VM_FIRECRACKER_BIN=/$letter$long run -0 --separate-stderr pai --json -c 1
		jq -e '.backend.why | startswith("firecracker: firecracker_bin: /") and contains("éé: No such file")' <<<"$output"
	done
}

@test "a backend that is named and cannot run is one line" {
	PATH=/usr/bin:/bin run -125 --separate-stderr pai --backend=gvisor -c 1
	[ "$stderr" = "pai-exec: --backend=gvisor: runsc: not on PATH; $scripts/get-runsc installs it" ]
}

# quickly COMMAND...: within 2 s, 125, each backend's reason
quickly() {
	local begin=${EPOCHREALTIME/./}
	run -125 --separate-stderr "$@"
	[ $(((${EPOCHREALTIME/./} - begin) / 1000)) -le 2000 ]
	[[ $stderr == 'pai-exec: no sandbox backend works here: nothing was run
pai-exec: firecracker: '*'
pai-exec: gvisor: '* ]]
	[ "$(wc -l <<<"$stderr")" = 3 ]
}

@test "host A: user namespaces are used up" {
	[ "$(id -u)" = 0 ] || skip 'needs root to set the stage'
	quickly "$PAI_SOURCE/t/no-userns" "${pai[@]}" -c 'print(1)'
	[[ $stderr == *'user.max_user_namespaces is 0; `sysctl -w user.max_user_namespaces=15000` as root mends that'* ]]
	run -1 "$PAI_SOURCE/t/no-userns" "${pai[@]}" --check
	[[ $output == *'user.max_user_namespaces is 0'* ]]
}

@test "host A: AppArmor restricts user namespaces (a plain user): its profile is named" {
	[ "$(id -u)" = 0 ] || skip 'needs root to set the stage'
	[ "${PAI_AS:-}" = user ] || skip 'root needs no user namespace; the plain user does it'
	# as Ubuntu 24.04 has it
	restricted=(unshare --mount bash -euc '
		last=$(cat /proc/sys/kernel/cap_last_cap)
		mount -t tmpfs none /proc/sys/kernel
		echo "$last" >/proc/sys/kernel/cap_last_cap
		echo 1 >/proc/sys/kernel/apparmor_restrict_unprivileged_userns
		exec "$@"' - "$PAI_BUILD/t/refuse" userns)
	cure="AppArmor restricts user namespaces; \`install -m 644 $scripts/apparmor/pai-exec /etc/apparmor.d/ && apparmor_parser -r /etc/apparmor.d/pai-exec\` as root permits them"
	quickly "${restricted[@]}" "${pai[@]}" -c 'print(1)'
	[[ $stderr == *"$cure"* ]]
	run -1 "${restricted[@]}" "${pai[@]}" --check
	[[ $output == *"$cure"* ]]
}

@test "host B: ptrace, mount and user namespaces are refused by seccomp" {
	refuse=$PAI_BUILD/t/refuse
	quickly "$refuse" ptrace "${pai[@]}" -c 'print(1)'
	[[ $stderr == *'gvisor: ptrace: Operation not permitted (a seccomp filter refuses it, as in a container: start that with --security-opt seccomp=unconfined)' ]]
	quickly "$refuse" mount,userns "${pai[@]}" -c 'print(1)'
	[[ $stderr == *'Operation not permitted (a seccomp filter refuses it'* ]]
	quickly "$refuse" ptrace,mount,unshare,userns "${pai[@]}" -c 'print(1)'
	run -1 "$refuse" ptrace "${pai[@]}" --check --json
	[ "$(jq -r '.checks[] | select(.group == "gvisor" and .name == "ptrace") | .state' <<<"$output")" = bad ]
}

@test "root's missing right is named where it is missing, and nowhere else" {
	[ "$(id -u)" = 0 ] && [ "${PAI_AS:-}" != user ] || skip 'is about root'
	cure='root without CAP_SYS_ADMIN'
	quickly setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin "${pai[@]}" -c 1
	[[ $stderr == *"$cure"* ]]
	run -1 unshare -m bash -c 'umount -l /proc && "$@" --check' - "${pai[@]}"
	[[ $output == *'root        bad  '* && $output != *"$cure"* ]]
}

@test "--check says what works here" {
	run -0 pai --check
	[[ $output == *$'\ngvisor '* && $output == *'sandbox     ok   a program ran in '*' ms'* ]]
	[ "${lines[-1]}" = 'a program can be run here' ]
	run -0 pai --check --json
	[ "$(jq -r '.works' <<<"$output")" = true ]
}

@test "limits of the caller that are too low are named" {
	for n in 8 16 32 64; do
		run -125 --separate-stderr prlimit "--nofile=$n" "${pai[@]}" -c 'print(1)'
		[[ $stderr == *'Too many open files'* || $stderr == *"the caller's limit of open files is $n (ulimit -n): too low for a sandbox" ]]
	done
	[ "$(prlimit --nofile=16:4096 "${pai[@]}" -c 'print(1)')" = 1 ] || [ "$(prlimit --nofile=32:4096 "${pai[@]}" -c 'print(1)')" = 1 ]
	run -125 --separate-stderr prlimit --as=1000000000 "${pai[@]}" -c 'print(1)'
	[[ $stderr == *"the caller's limit of address space is 1000000000 (ulimit -v): too low for a sandbox" ]]
	run -125 --separate-stderr prlimit --sigpending=4 "${pai[@]}" -c 'print(1)'
	[[ $stderr == *"the caller's limit of pending signals is 4 (ulimit -i): too low for a sandbox" ]]
	[ "$(prlimit --sigpending=4: "${pai[@]}" -c 'print(1)')" = 1 ]
	run -125 --separate-stderr prlimit --fsize=1000: "${pai[@]}" -o out -c 'open("f", "w").write("x" * 5000)'
	[ "$stderr" = "pai-exec: 'f' not kept: File too large" ]
}

@test "an empty environment, no HOME, no PATH, a deleted working folder" {
	command -v /usr/local/bin/runsc >/dev/null || skip 'runsc is not where an empty PATH finds it'
	[ "$(env -i "${pai[@]}" -c 'print(1)')" = 1 ]
	[ "$(env -i HOME= PATH= "${pai[@]}" -c 'print(1)')" = 1 ]
	"${as_user[@]}" mkdir gone
	cd gone
	rmdir ../gone
	[ "$(pai -c 'print(1)')" = 1 ]
}

@test "as cron, xargs, make and ssh without a terminal would run it" {
	command -v /usr/local/bin/runsc >/dev/null || skip 'runsc is not on the short PATH'
	[ "$(cd / && env -i HOME=/ PATH=/usr/bin:/bin:/usr/local/bin LOGNAME=x SHELL=/bin/sh "${pai[@]}" -c 'print(1)' 2>&1 <&-)" = 1 ]
	[ "$(seq 8 | xargs -P8 -I{} "${pai[@]}" -n -c 'print("n", {})' | sort | xargs)" = 'n 1 n 2 n 3 n 4 n 5 n 6 n 7 n 8' ]
	printf 'all: a b c d\n%%:\n\t@%s -c "print(1)" > $@\n' "${pai[*]}" >makefile
	make -j4 all
	[ "$(cat a b c d | xargs)" = '1 1 1 1' ]
	[ "$(setsid -w "${pai[@]}" -c 'print(input())' <<<text)" = text ]
}

@test "umask 777 shuts the files that are kept, no more" {
	run -0 bash -c 'umask 777; "$@"' _ "${pai[@]}" -o out -c 'open("f", "w").write("x")'
	[ "$(stat -c %a out/f)" = 0 ]
}

@test "DIR that cannot be written is told before anything starts" {
	"${as_user[@]}" mkdir shut
	chmod 555 shut
	if [ "$(id -u)" = 0 ] && [ "${PAI_AS:-}" != user ]; then skip 'root may write everywhere'; fi
	run -125 --separate-stderr pai -o shut -c 'print(1)'
	[ "$stderr" = "pai-exec: --output-dir: 'shut': Permission denied" ]
	[ -z "$output" ]
}

@test "an input that vanishes or grows while others are read" {
	"${as_user[@]}" mkdir d
	echo one >d/a
	echo two >d/b
	echo three >c
	mkfifo text
	pai --json -i d -i c - <text >r.json &
	pid=$!
	exec 9>text
	"$PAI_SOURCE/t/until-running" "$pid"
	rm d/b
	echo more >>c
	exec 9>&-
	status=0
	wait "$pid" || status=$?
	[ "$status" = 125 ]
	[ "$(jq -c '[.started, .error.code, .error.value]' r.json)" = "[false,\"usage\",\"--input: 'd/b': No such file or directory\"]" ]
	rm text
	mkfifo text
	pai -i c - <text >r &
	pid=$!
	exec 9>text
	"$PAI_SOURCE/t/until-running" "$pid"
	echo 'even more' >>c
	echo 'print(open("c").read())' >&9
	exec 9>&-
	wait "$pid"
	[ "$(cat r)" = 'three
more' ]
}
