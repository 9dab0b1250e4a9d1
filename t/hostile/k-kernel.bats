# SPDX-License-Identifier: Apache-2.0
# bats file_tags=hostile
# The kernel that a program talks to: known doors, shut or reviewed. (K9, the host's
# processes, is t/65-confine.bats.)

load helper

@test "K1: every system call answers as in the list that was reviewed" {
	only 'the list is of the backends' gvisor firecracker
	ask -t 5m "$programs/sweep.py"
	diff "$here/data/syscalls.$backend" - <<<"$output" || {
		echo 'a changed line is to be reviewed, then stored:'
		echo "t/hostile/data/syscalls.$backend"
		false
	}
}

@test "K2: io_uring is off" {
	ask "$programs/doors.py"
	[ "$(grep -c '^refused io_uring_' <<<"$output")" = 3 ]
}

@test "K3: what has opened kernels before is shut" {
	ask "$programs/doors.py"
	hold 'refused '
}

@test "K4: no knob of the kernel can be turned, and no address of it is told" {
	ask "$programs/knobs.py"
	hold 'addresses 0' 'looked at '
}

@test "K5: the 32-bit entry is shut" {
	ask "$programs/int80.py"
	hold 'refused '
}

@test "K6: no namespaces in the sandbox, whatever call asks for them" {
	ask "$programs/namespaces.py"
	hold 'refused '
	[ "${#lines[@]}" = 25 ]
}

@test "K7: no virtual machine in the sandbox" {
	only 'the stand-in shows the processor' gvisor firecracker
	ask "$programs/nested.py"
	[ "${lines[0]}" = '/dev/kvm False' ]
	[ "${lines[1]}" = flags ]
}

# with_init MODE: an image whose first process does that (t/fake-init.c)
with_init() {
	mkdir -p image root
	cp "$PAI_BUILD/t/fake-init" root/init
	: >"root/$1"
	ln -s "$PAI_IMAGE"/{rootfs.erofs,vmlinux} image/
	(cd root && find . | cpio --quiet -o -H newc) >image/initrd
	jq --arg sum "sha256:$(sha256sum <image/initrd | cut -d ' ' -f 1)" \
		'.initrd.digest = $sum' "$PAI_IMAGE/image.json" >image/image.json
}

@test "K8: a kernel that panics is an error, at once" {
	only 'the sentry is no guest kernel; its death is H2' firecracker
	with_init panic
	begin=$(now)
	run -125 --separate-stderr pai --image=./image --fresh -nc 'print(1)'
	ended_by "$begin" 10000
	[[ $stderr == 'pai-exec: '* && ${#stderr_lines[@]} = 1 ]]
}

@test "K10: a Firecracker without its system call filter is refused" {
	only 'there is no VMM' firecracker
	mkdir vmm
	cp "$PAI_BUILD/t/fake-firecracker" vmm/firecracker
	printf '\nunfiltered' >>vmm/firecracker
	printf 'code_interpreter_vm:\n  firecracker_bin: %s/vmm/firecracker\n' "$PWD" >vmm/pai.yaml
	run -125 --separate-stderr "${pai[@]}" --config=vmm/pai.yaml --fresh --json -nc 'print(1)'
	[ "$(jq -r '.error.code, .started' <<<"$output" | xargs)" = 'vmm_unconfined false' ]
}

@test "K11: a guest that floods its console costs no memory and no time" {
	only 'there is no console' firecracker
	with_init flood
	begin=$(now)
	watched -125 --image=./image --fresh -c 'print(1)'
	[[ ${#stderr} -lt 1000 ]]
	[ "$(used memory)" -le $((700 << 20)) ]
}

@test "K12: --check says what of the host helps side channels" {
	only 'pai-exec --check is what says it' gvisor firecracker
	pai-exec --check --json >check.json || :
	for row in smt:/sys/devices/system/cpu/smt/active ksm:/sys/kernel/mm/ksm/run; do
		case $(cat "${row#*:}" 2>/dev/null || echo -) in
		-) word='not known here' ;;
		0) word=off ;;
		*) word=on: ;;
		esac
		[[ $(jq -r --arg n "${row%%:*}" '.checks[] | select(.name == $n).text' check.json) == "$word"* ]]
	done
	word=off
	[ "$(wc -l </proc/swaps)" = 1 ] || word=on:
	[[ $(jq -r '.checks[] | select(.name == "swap").text' check.json) == "$word"* ]]
}
