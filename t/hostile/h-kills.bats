# SPDX-License-Identifier: Apache-2.0
# bats file_tags=hostile
# Whatever is killed, and whatever system call fails: it is told, and nothing is left.

load helper

@test "H1: kill -9 of the command at any moment leaves nothing" {
	python3 "$here/kills.py" "--times=$(times 60 1000 5)" command -- "${pai[@]}"
}

@test "H2: kill -9 of each helper is told within a second, and leaves nothing" {
	python3 "$here/kills.py" "--times=$(times 3 100 1)" helpers -- "${pai[@]}" >said || { cat said; return 1; }
	grep -q keeper said
}

@test "H2: the same with a folder as the image, which has a gofer" {
	only 'a microVM has no folder' gvisor
	need_root
	mkdir root
	mount -t erofs -o loop,ro "${PAI_IMAGE:-/var/lib/pai/images/default}/rootfs.erofs" root 2>/dev/null ||
		skip 'no image of the kind can be mounted here'
	printf 'code_interpreter:\n  gvisor_rootfs: %s\n' "$PWD/root" >folder.yaml
	rc=0
	python3 "$here/kills.py" "--times=$(times 1 20)" helpers -- "${as_user[@]}" "$PAI_BUILD/pai-exec" \
		--config=folder.yaml --backend=gvisor >said || rc=$?
	umount root
	cat said
	[ "$rc" = 0 ]
	grep -q gofer said
}

@test "H7: any system call of the set-up may fail: a clean 125, or an unharmed run" {
	only 'the set-up of a microVM is the same keeper' gvisor
	command -v strace >/dev/null || skip 'needs strace'
	every=$(times 12 1)
	python3 "$here/faults.py" "--every=$every" --errors=EIO,ENOMEM,EMFILE,ENOSPC,EINTR -- "${pai[@]}" --fresh
}
