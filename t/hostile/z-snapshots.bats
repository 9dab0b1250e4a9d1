# SPDX-License-Identifier: Apache-2.0
# bats file_tags=hostile
# Clones of a template. What is saved and restored later is a session: z-sessions.bats.

load helper

@test "Z1: clones differ in every generator" {
	only 'the stand-in has no clones' gvisor firecracker
	pai -nc 'import numpy'
	for _ in $(seq "$(times 1 100)"); do
		for _ in $(seq "$(times 4 32 2)"); do
			pai -n "$programs/identities.py" numpy >>all &
		done
		wait
	done
	[ "$(wc -l <all)" -ge 22 ]
	[ -z "$(grep -v '^auxv 0' all | sort | uniq -d)" ]
	# and they were clones
	[ "$(pai --json -n "$programs/identities.py" numpy | jq -r .backend.start)" = warm ] || [ "${PAI_START:-}" = fresh ]
}

@test "Z2: the first value that a program draws is its clone's own" {
	only 'the stand-in has no clones' gvisor firecracker
	pai -nc 0
	for _ in $(seq "$(times 6 200 2)"); do
		pai -nc 'import sys; print(sys.modules["random"].random() if "random" in sys.modules else "fresh")
import posix; print(posix.urandom(8).hex(), id(object()))
import random; print(random.random(), random.SystemRandom().random())' >>all &
		[ "$(jobs -r | wc -l)" -lt 4 ] || wait -n
	done
	wait
	[ -s all ]
	[ -z "$(grep -vx fresh all | sort | uniq -d)" ]
}

@test "Z3: a clone that cannot draw anew runs nothing" {
	only 'the stand-in has no clones' gvisor firecracker
	[ "${PAI_START:-}" != fresh ] || skip 'these runs use no template'
	full || skip 'the full tier makes an image whose hook cannot (the fast tests try the hook alone)'
	mkdir image deploy
	cp "$PAI_IMAGE"/* image/
	cp -r "$PAI_SOURCE/deploy/." deploy/
	sed -i 's/^def differ(.*/&\n    raise OSError("no new numbers")/' deploy/image/sitecustomize.py
	deploy/build-image --seal --guest="$PAI_GUEST" image
	pai --image=./image -nc 0
	run -125 --separate-stderr pai --image=./image -nc 'print("ran")'
	[ -z "$output" ]
}

@test "Z4: a clone's clock is right, and what it sleeps is exact" {
	only 'the stand-in has no clones' gvisor firecracker
	pai -nc 0
	# full: the template is older than any drift that a wrong clock would hide
	! full || [ -e /run/kvm-host ] || read -rt 90 <> <(:) || :
	mkfifo up go
	exec 8<>up 9<>go
	"${pai[@]}" -c 'import time
print("up", flush=True)
input()
a = time.time(), time.monotonic()
time.sleep(0.5)
print(a[0], time.monotonic() - a[1], flush=True)' >up <go 8>&- 9>&- &
	pid=$!
	read -rt 120 line <&8
	[ "$line" = up ]
	host=$(date +%s.%N)
	echo >&9
	read -rt 120 clock slept <&8
	exec 8<&- 9<&-
	wait "$pid"
	awk -v host="$host" -v clock="$clock" -v slept="$slept" -v slack="$slack" 'BEGIN {
		print host, clock, slept
		exit !(clock >= host - 0.5 && clock <= host + slack && slept >= 0.5 && slept <= 0.5 + slack)}'
}
