# SPDX-License-Identifier: Apache-2.0
# bats file_tags=sandbox
# Hosts whose KVM is missing, shut, there in name only, or works; a firecracker
# that hangs, dies or lies (t/fake-firecracker.c). None of it costs a run.

load helper

# on KIND COMMAND...: on a host whose /dev/kvm is KIND: true (it opens, for all, and
# the CPU says svm), no-cpu (it opens, the CPU says neither), none, shut (root's),
# group (that group's) or wrong (another device). Mounts of this command alone.
on() {
	mkdir -p "$work/stage"
	unshare -m bash -euc '
		kind=$1 at=$2
		shift 2
		mount --make-rprivate /
		mount -t tmpfs -o mode=755 none "$at"
		mkdir -p "$at"/{dev/shm,proc}
		cp -a /dev/{null,zero,full,random,urandom,tty,fd,stdin,stdout,stderr} "$at/dev/"
		sed -E "/^flags/ { s/ (svm|vmx)( |$)/\\2/g }" /proc/cpuinfo >"$at/plain"
		sed "s/^flags.*/& svm/" "$at/plain" >"$at/svm"
		case $kind in
		true | no-cpu) mknod -m 666 "$at/dev/kvm" c $(stat -c "0x%t 0x%T" /dev/kvm) ;;
		shut) mknod -m 600 "$at/dev/kvm" c 10 232 ;;
		group) mknod -m 660 "$at/dev/kvm" c 10 232 && chgrp 104 "$at/dev/kvm" ;;
		wrong) mknod -m 666 "$at/dev/kvm" c 1 3 ;;
		esac
		mount --bind "$at/dev" /dev
		# a plain user may mount a /proc of its own only where one is seen whole
		mount -t proc proc "$at/proc"
		if [ "$kind" = no-cpu ]; then mount --bind "$at/plain" /proc/cpuinfo
		else mount --bind "$at/svm" /proc/cpuinfo; fi
		exec "$@"' - "$1" "$work/stage" "${@:2}"
}

need_root() {
	[ "$(id -u)" = 0 ] || skip 'needs root, to set the stage'
	{ unshare -m true && mknod node c 1 3 && rm node; } 2>/dev/null || skip 'mounts or device nodes are refused here'
}

need_kvm() {
	need_root
	{ [ -c /dev/kvm ] && : <>/dev/kvm; } 2>/dev/null || skip 'there is no /dev/kvm that opens'
	export XDG_CACHE_HOME=$work/cache	# for the verdict is kept there
}

# fake FAULT [DIR]: DIR (FAULT) gets a firecracker that has it, and words to use it
fake() {
	local dir=$work/${2:-$1}

	mkdir -p "$dir"
	cp "$PAI_BUILD/t/fake-firecracker" "$dir/firecracker"
	printf '\n%s' "$1" >>"$dir/firecracker"
	[ -p "$work/mark" ] || mkfifo -m 666 "$work/mark"
	chmod 666 "$work/mark"
	cat >"$dir/pai.yaml" <<-Y
		code_interpreter_vm:
		  firecracker_bin: $dir/firecracker
		  kernel: $work/mark
		  boot_timeout: ${boot:-1s}
		  probe_timeout: 1s
	Y
	with=(--config="$dir/pai.yaml")
	exec 9<>"$work/mark"
}

# started: how often the fake was since the last time that this was asked, and how
started() {
	local line all=()

	while read -rt 0.05 -u 9 line; do all+=("$line"); done
	echo "${all[*]}"
}

faults=(
	'hangs|no guest answered in time: KVM does not work here'
	'calls-once|no guest answered in time: KVM does not work here'
	'says-nothing|the sandbox did not start within 1 s'
	'dies|firecracker ended: Error creating KVM object: \x1b[31mno such thing'
	'crashes|firecracker ended: killed by signal 6'
	'garbage|the sandbox sent what it must not: a frame of 1869488382 bytes (at most 1048576)'
	'huge-frame|the sandbox sent what it must not: a frame of 4294967295 bytes (at most 1048576)'
	'unfiltered|firecracker has no system call filter of its own: use a release build'
	'liar|the sandbox sent what it must not: message 71 at the wrong time'
	"mid-frame|the sandbox died before the program's end"
)

@test "a broken firecracker that was named is one line and 125, within the boot's time" {
	need_kvm
	for row in "${faults[@]}"; do
		fake "${row%%|*}"
		begin=$SECONDS
		run -125 --separate-stderr on true "${pai[@]}" "${with[@]}" --backend=firecracker --fresh -c 'print(1)'
		[ $((SECONDS - begin)) -le 5 ]
		case ${row%%|*} in
		hangs | calls-once | dies | crashes | unfiltered) wanted="pai-exec: firecracker: ${row#*|}" ;;
		*) wanted="pai-exec: ${row#*|}" ;;
		esac
		[ "$stderr" = "$wanted" ] || { echo "$row: $stderr"; false; }
		[ -z "$output" ]
		[ "$(started)" = cold ]
	done
}

@test "under auto the program runs on gVisor instead, and --json says why" {
	need_kvm
	boot=30s
	for row in "${faults[@]}"; do
		fake "${row%%|*}"
		export XDG_CACHE_HOME=$work/cache-${row%%|*}
		run -7 --separate-stderr on true "${pai[@]}" "${with[@]}" --fresh --json -c 'import sys
print("out"); print("err", file=sys.stderr); sys.exit(7)'
		[ "$(jq -r '.backend.name, .stdout, .stderr, .exit_code, .started' <<<"$output" | xargs)" = 'gvisor out err 7 true' ]
		[ "$(jq -r .backend.why <<<"$output")" = "firecracker: ${row#*|}" ] || { jq .backend <<<"$output"; false; }
		[ "$(started)" = cold ]
	done
	fake dies
	run -0 --separate-stderr on true "${pai[@]}" "${with[@]}" --fresh -c 'print(1)'
	[ "$output" = 1 ]
	[ -z "$stderr" ]
	run -0 --separate-stderr on true "${pai[@]}" "${with[@]}" -v --fresh -c 'print(1)'
	[[ $stderr == *'pai-exec: backend gvisor, cold (firecracker: firecracker ended: '* ]]
}

@test "another program, or one that is too old, is told by its version" {
	need_kvm
	fake old
	run -125 --separate-stderr on true "${pai[@]}" "${with[@]}" --backend=firecracker --fresh -c 'print(1)'
	[ "$stderr" = "pai-exec: --backend=firecracker: $work/old/firecracker: 0.25.2 is too old; install Firecracker 1.12 or newer" ]
	fake prints-garbage
	run -125 --separate-stderr on true "${pai[@]}" "${with[@]}" --backend=firecracker --fresh -c 'print(1)'
	[ "$stderr" = "pai-exec: --backend=firecracker: $work/prints-garbage/firecracker: not firecracker: --version says '\\x1b[2J\\xff nonsense\\x0a'" ]
	boot=30s
	fake old
	run -0 --separate-stderr on true "${pai[@]}" "${with[@]}" --fresh --json -c 'print(1)'
	[ "$(jq -r .backend.why <<<"$output")" = "firecracker: $work/old/firecracker: 0.25.2 is too old; install Firecracker 1.12 or newer" ]
}

@test "what has begun is not begun again on another backend" {
	need_kvm
	fake dies-running
	run -125 --separate-stderr on true "${pai[@]}" "${with[@]}" --fresh --json -c 'print(1)'
	[ "$(jq -r '.backend.name, .started, .error.code' <<<"$output" | xargs)" = 'firecracker true sandbox_died' ]
	run -125 --separate-stderr on true "${pai[@]}" "${with[@]}" --fresh -c 'print(1)'
	[ "$stderr" = "pai-exec: the sandbox died before the program's end" ]
	# nor where it has printed something, nor where it has a part of the program
	fake noisy
	run -125 --separate-stderr on true "${pai[@]}" "${with[@]}" --fresh -c 'print(1)'
	[ "$output" = fake ]
	[ "$stderr" = "pai-exec: the sandbox died before the program's end" ]
	fake dies-loading
	run -125 --separate-stderr on true "${pai[@]}" "${with[@]}" --fresh --json - < <(
		echo 'print(1)'
		seq -f '# %.0f' 100000)
	[ "$(jq -r '.backend.name, .started, .error.code' <<<"$output" | xargs)" = 'firecracker false sandbox_died' ]
}

@test "what a broken one has had of the inputs is whole for the next" {
	need_kvm
	boot=30s
	fake dies-loading
	echo text >in
	echo 'print(open("in").read() + "end")' >f.py
	run -0 --separate-stderr on true "${pai[@]}" "${with[@]}" --fresh --json -i in -c 'print(open("in").read() + "end")'
	[ "$(jq -r '.backend.name, .stdout' <<<"$output" | xargs)" = 'gvisor text end' ]
	run -0 --separate-stderr on true "${pai[@]}" "${with[@]}" --fresh --json -i in f.py
	[ "$(jq -r '.backend.name, .stdout' <<<"$output" | xargs)" = 'gvisor text end' ]
	if [ "${PAI_START:-}" != fresh ]; then	# else standard input is not looked at before
		run -0 --separate-stderr on true "${pai[@]}" "${with[@]}" --json -i in - <f.py
		[ "$(jq -r '.backend.name, .stdout' <<<"$output" | xargs)" = 'gvisor text end' ]
	fi
	run -0 --separate-stderr on true "${pai[@]}" "${with[@]}" --fresh -c 'import sys; print(sys.stdin.read())' <<<input
	[ "${lines[0]}" = input ]
}

@test "after a silent trial auto asks no more; who names it does" {
	need_kvm
	boot=30s
	fake hangs
	export -f started
	on true bash -euc '
		"$@" -c "print(1)" >first
		[ "$(started)" = cold ]
		"$@" -c "print(1)" >second
		[ -z "$(started)" ]
		sed -i s/boot_timeout.*/boot_timeout:\ 1s/ hangs/pai.yaml
		status=0
		"$@" --backend=firecracker -c "print(1)" >third || status=$?
		[ $status = 125 ]
		[ "$(started)" = cold ]
		"$@" -c "print(1)" >fourth
		[ -z "$(started)" ]' - "${pai[@]}" "${with[@]}" --fresh --json
	[ "$(jq -r '.backend.why' first)" = 'firecracker: no guest answered in time: KVM does not work here' ]
	[[ $(jq -r '.backend.why' second) == 'firecracker: no guest answered '[0-9]*' s ago (it is tried again after 600 s)' ]]
	[ "$(jq -r '.error.value' third)" = 'firecracker: no guest answered in time: KVM does not work here' ]
	[[ $(jq -r '.backend.why' fourth) == 'firecracker: no guest answered '[0-9]*' s ago'* ]]
	[ "$(cat first second fourth | jq -r '.backend.name, .stdout' | xargs)" = 'gvisor 1 gvisor 1 gvisor 1' ]
}

@test "a guest that answers is not on trial any more" {
	need_kvm
	fake works
	run -0 --separate-stderr on true "${pai[@]}" "${with[@]}" --fresh --json -c 'print(1)'
	[ "$(jq -r '.backend.name, .backend.version, .stdout, .status' <<<"$output" | xargs)" = 'firecracker 1.12.1 fake ok' ]
	[ "$(jq -r .backend.why <<<"$output")" = '' ]
}

@test "a template that firecracker refuses is gone, and the run is cold" {
	need_kvm
	[ "${PAI_START:-}" != fresh ] || skip 'these runs use no template'
	for fault in 'load-400|firecracker answered 400 to '\''/snapshot/load'\'': {"fault_message":"no KVM now"}' \
		"load-garbage|firecracker's answer to '/snapshot/load' is no HTTP" \
		'clone-dies|firecracker ended: Error creating KVM object: \x1b[31mno such thing'; do
		name=${fault%%|*}
		export XDG_CACHE_HOME=$work/cache-$name
		fake works "$name"
		touch -d @1700000000 "$name/firecracker"
		run -0 --separate-stderr on true "${pai[@]}" "${with[@]}" --json -c 'print(1)'
		[ "$(jq -r '.backend.name, .stdout' <<<"$output" | xargs)" = 'firecracker fake' ]
		[ "$(started)" = 'cold clone' ]
		templates=$XDG_CACHE_HOME/pai/templates
		[ "$(find "$templates" -name sizes | wc -l)" = 1 ]
		run -0 --separate-stderr on true "${pai[@]}" "${with[@]}" --json -c 'print(1)'
		[ "$(jq -r '.backend.start, .stdout' <<<"$output" | xargs)" = 'warm fake' ]
		[ "$(started)" = clone ]
		# the same template, under the name that the broken one's run looks for
		key=$(basename "$(dirname "$(find "$templates" -name sizes)")")
		fake "$name"
		mv "$templates/$key" "$work/kept"
		run -0 --separate-stderr on true "${pai[@]}" "${with[@]}" --json --fresh -c 'print(1)'
		[ "$(started)" = cold ]
		run --separate-stderr on true "${pai[@]}" "${with[@]}" --json -c 'print(1)'
		[ "$(jq -r '.backend.name, .backend.start, .stdout' <<<"$output" | xargs)" = 'firecracker cold fake' ]
		[ "$(started)" = 'cold clone cold' ]
		[[ $(jq -r '.warnings[]' <<<"$output") == *"(${fault#*|})"* ]] || { jq . <<<"$output"; false; }
		[ -z "$(find "$templates" -name sizes)" ]
		rm -r "$work/kept"
	done
}

@test "a turn that firecracker does not save is told, and the session is as before" {
	need_kvm
	for fault in 'keep-400|firecracker answered 400 to '\''/snapshot/create'\'': {"fault_message":"no room left"}' \
		'keep-dies|firecracker ended'; do
		name=${fault%%|*}
		fake "$name"
		with+=(--session="$name" --session-dir="$work/sessions")
		run -0 --separate-stderr on true "${pai[@]}" "${with[@]}" --fresh --json -c 'print(1)'
		[ "$(jq -r '.stdout, .session.state, .session.turn' <<<"$output" | xargs)" = 'fake kept 1' ]
		turn=$work/sessions/$name/1
		[ "$(stat -c %a "$work/sessions/$name")" = 700 ]
		sum=$(cat "$turn"/snapshot/* "$turn/sizes" | sha256sum)
		run -125 --separate-stderr on true "${pai[@]}" "${with[@]}" --json -c 'print(1)'
		[ "$(jq -r '.stdout, .session.state, .session.turn' <<<"$output" | xargs)" = 'fake rewound 1' ]
		[[ $(jq -r .error.value <<<"$output") == *"${fault#*|}"* ]] || { jq . <<<"$output"; false; }
		[ "$(started)" = 'cold clone' ]
		[ "$(ls "$work/sessions/$name")" = "$(printf '1\nlock')" ]
		[ "$(cat "$turn"/snapshot/* "$turn/sizes" | sha256sum)" = "$sum" ]
	done
}

@test "/dev/kvm that is missing, shut, or something else: auto runs, the name is told" {
	need_root
	fake works
	for row in 'none|/dev/kvm: No such file or directory (a container needs --device /dev/kvm)' \
		'wrong|/dev/kvm: not the KVM that we know' \
		'shut|/dev/kvm: Permission denied (`chmod 666 /dev/kvm` as root gives it to all)' \
		'group|/dev/kvm: Permission denied (`usermod -aG kvm USER` as root gives it to USER, from the next login on)'; do
		kind=${row%%|*}
		if [[ $kind = shut || $kind = group ]] && [ "${PAI_AS:-}" != user ]; then continue; fi	# root may
		run -125 --separate-stderr on "$kind" "${pai[@]}" "${with[@]}" --backend=firecracker -c 1
		[ "$stderr" = "pai-exec: --backend=firecracker: ${row#*|}" ]
		run -0 --separate-stderr on "$kind" "${pai[@]}" "${with[@]}" --fresh --json -c 'print(1)'
		[ "$(jq -r '.backend.name, .stdout' <<<"$output" | xargs)" = 'gvisor 1' ]
		[ "$(jq -r '.backend.why' <<<"$output")" = "firecracker: ${row#*|}" ]
		run -0 --separate-stderr on "$kind" "${pai[@]}" "${with[@]}" --check --json
		[ "$(jq -r '.checks[] | select(.group == "firecracker" and .name == "kvm") | .state, .text' <<<"$output")" = "bad
${row#*|}" ]
	done
	[ -z "$(started)" ]
}

@test "an image without a kernel: the command that mends that names its folder" {
	need_kvm
	fake works
	sed -i /kernel:/d "$work/works/pai.yaml"
	mkdir -m 755 bare
	cp --reflink=auto "${PAI_IMAGE:-/var/lib/pai/images/default}/rootfs.erofs" bare/
	jq 'del(.vmlinux, .initrd)' "${PAI_IMAGE:-/var/lib/pai/images/default}/image.json" >bare/image.json
	chmod -R go-w bare
	run -125 --separate-stderr on true "${pai[@]}" "${with[@]}" --image="$work/bare" --backend=firecracker -c 1
	[ "$stderr" = "pai-exec: --backend=firecracker: the image has no kernel; $(realpath "$PAI_SOURCE/deploy")/build-image --seal $work/bare mends that" ]
}

@test "without vmx and svm nothing is tried: auto runs at once" {
	need_kvm
	boot=30s
	fake hangs
	why='the CPU has neither vmx nor svm here (a virtual machine without nested virtualization)'
	run -0 --separate-stderr on no-cpu "${pai[@]}" "${with[@]}" --fresh --json -c 'print(1)'
	[ "$(jq -r '.backend.name, .stdout' <<<"$output" | xargs)" = 'gvisor 1' ]
	[ "$(jq -r '.backend.why' <<<"$output")" = "firecracker: $why" ]
	run -125 --separate-stderr on no-cpu "${pai[@]}" "${with[@]}" --backend=firecracker -c 1
	[ "$stderr" = "pai-exec: --backend=firecracker: $why" ]
	[ -z "$(started)" ]
	# nor would an installed program help there
	PATH=/usr/bin:/bin run -125 --separate-stderr on no-cpu "${pai[@]}" --backend=firecracker -c 1
	[ "$stderr" = "pai-exec: --backend=firecracker: $why; and firecracker: not on PATH; install Firecracker 1.12 or newer" ]
	PATH=/usr/bin:/bin run -125 --separate-stderr on true "${pai[@]}" --backend=firecracker -c 1
	[ "$stderr" = 'pai-exec: --backend=firecracker: firecracker: not on PATH; install Firecracker 1.12 or newer' ]
}

@test "--check tells firecracker's whole story, and what it does not need is not in it" {
	need_kvm
	rows() { jq -r '.checks[] | select(.group == "firecracker") | "\(.name) \(.state) \(.text)"' <<<"$output"; }
	boot=30s
	fake hangs
	run -0 --separate-stderr on no-cpu "${pai[@]}" "${with[@]}" --check --json
	[ "$(rows | cut -d ' ' -f 1,2 | xargs)" = 'program bad kvm bad kernel ok namespaces ok root ok sandbox bad' ]
	[[ $(rows) == *"program bad $work/hangs/firecracker: no answer within 3000 ms"*'kvm bad the CPU has neither'*'not tried: see above' ]]
	fake calls-once
	begin=$SECONDS
	run -0 --separate-stderr on true "${pai[@]}" "${with[@]}" --check --json
	[ $((SECONDS - begin)) -le 10 ]
	[ "$(rows | cut -d ' ' -f 1,2 | xargs)" = 'program ok version info kvm ok kernel ok namespaces ok root ok sandbox bad' ]
	[[ $(rows) == *'version info older than 1.16.1: '* ]]
	[[ $(rows) == *'sandbox bad firecracker: no guest answered in time: KVM does not work here' ]]
	[ "$(jq .works <<<"$output")" = true ]
	fake old
	run -0 on true "${pai[@]}" "${with[@]}" --check
	[[ $output == *$'\nfirecracker  program     bad  '*'/old/firecracker: 0.25.2 is too old; install Firecracker 1.12 or newer'* ]]
	run -0 on none "${pai[@]}" --check
	[[ $output == *'kvm         bad  /dev/kvm: No such file or directory'* ]]
}

@test "the real firecracker on a host whose KVM starts no guest" {
	need_kvm
	"$PAI_SOURCE/t/get-firecracker" "$work/real" 2>"$work/said" || skip "no firecracker: $(cat "$work/said")"
	chmod 755 "$work/real"
	printf 'code_interpreter_vm:\n  firecracker_bin: %s\n  boot_timeout: 2s\n  probe_timeout: 2s\n' \
		"$work/real/firecracker" >pai.yaml
	run --separate-stderr on true "${pai[@]}" --config=pai.yaml --backend=firecracker --fresh -c 'print(1)'
	[ "$status" != 0 ] || skip 'guests start here'
	[ "$status" = 125 ]
	[ "$stderr" = 'pai-exec: firecracker: no guest answered in time: KVM does not work here' ]
	sed -i /boot_timeout/d pai.yaml
	export XDG_CACHE_HOME=$work/cache-auto
	run -0 --separate-stderr on true "${pai[@]}" --config=pai.yaml --fresh --json -c 'print(1)'
	[ "$(jq -r '.backend.name, .stdout, .backend.why' <<<"$output" | xargs)" = \
		'gvisor 1 firecracker: no guest answered in time: KVM does not work here' ]
	# nothing is left: no process of it, no mount
	[ -z "$(find -L /proc/[0-9]*/exe -samefile "$work/real/firecracker" 2>/dev/null)" ]
	run ! grep -qsF "$work/real" /proc/[0-9]*/mountinfo
}
