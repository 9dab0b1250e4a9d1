# SPDX-License-Identifier: Apache-2.0
# bats file_tags=hostile
# Nothing of the host's files is seen, and nothing of them is changed. (F6, that no
# run of the suite has changed an image or a program, is t/hostile/run's.)

load helper

@test "F1: no file of the host is visible, by any way up" {
	canary
	mapfile -t planted <"$PAI_CANARY/files"
	[ "${#planted[@]}" -ge 3 ]
	root=/
	[ ! -e /run/kvm-host ] || root=/var
	ask "$programs/hunt.py" "$root" "${planted[@]}"
	hold refused 'looked at '
}

@test "F2: the root file system is read-only, and the image stays as it is" {
	ask "$programs/write.py" /usr/lib/python3 /etc/passwd /etc/ld.so.preload /usr/bin/python3 \
		/usr/lib/os-release /sbin/init /root /boot /etc /run /var/lib
	hold refused
}

@test "F3: no mount, no other root, no new mount API" {
	ask "$programs/mount.py"
	hold refused
	[ "${#lines[@]}" = 19 ]
}

@test "F4: the devices are those of the list, and no other can be made" {
	ask "$programs/devices.py"
	hold 'refused ' 'node '
	diff "$here/data/devices" <(grep '^node ' <<<"$output" | sort)
}

# Every file system of this mount namespace read-only, but a small one on $work.
frozen='mount --make-rprivate /
while read -r _ at _; do
	case $at in /proc* | /sys* | /dev | /dev/pts) ;; *) mount -o remount,bind,ro "$at" 2>/dev/null || : ;; esac
done </proc/self/mounts
mount -t tmpfs -o size=16m,mode=777 none "$1" && cd "$1" && shift
! : >/pai-frozen || exit 99'

@test "F5: disk and files have a cap, which is ENOSPC and not death, and the host has none of it" {
	need_root
	only 'the limits are pai-exec'"'"'s' gvisor firecracker
	filled() { stat -f -c '%f %d' .; }
	export -f filled
	run -0 --separate-stderr unshare -m bash -c "$frozen"'
		export XDG_CACHE_HOME=$PWD HOME=$PWD TMPDIR=$PWD
		filled >&2
		"$@" &
		pid=$!
		while read -rt 0.2 <> <(:) || kill -0 "$pid" 2>/dev/null; do filled >&2; done
		wait "$pid" || exit
		filled >&2' - "$work" "${pai[@]}" --fresh --disk=16M --memory=256M -n "$programs/fill.py" 50000
	echo "$output"
	[ "$(grep -c ENOSPC <<<"$output")" = 8 ]
	[ "${lines[-1]}" = alive ]
	# free blocks of 4K and files, before, all the while, and after
	awk 'NR == 1 {b = $1; f = $2} b - $1 > 256 || f - $2 > 16 {print "found:", $0; bad = 1} END {exit bad || NR < 3}' <<<"$stderr"
}

@test "F7: no running program can be written, neither the interpreter nor what started it" {
	ask "$programs/write.py" /proc/self/exe /proc/1/exe /usr/bin/env /usr/lib/pai/pai-guest
	hold refused
}

@test "F8: a program is born with descriptors 0, 1 and 2, and they lead nowhere" {
	mkdir host
	exec 5<host 7<"$BATS_TEST_FILENAME" 8</ 9</etc/passwd
	ask "$programs/fds.py"
	exec 5<&- 7<&- 8<&- 9<&-
	hold 'fd 0 ' 'fd 1 p ' 'fd 2 p '
	[ "${#lines[@]}" = 3 ]
	[[ $output != *"$work"* && $output != *CHDIR* ]]
}

@test "F9: no file is opened by its number" {
	ask "$programs/handle.py"
	hold 'refused open_by_handle_at ' 'refused name_to_handle_at '
	[ "${#lines[@]}" = 2 ]
}

@test "F10: a user without groups and rights, and no file that would give more" {
	root=/
	full || [ ! -e /run/kvm-host ] || root=/usr/bin
	ask "$programs/rights.py" "$root"
	hold 'Uid 1000 1000 1000 1000' 'Gid 1000 1000 1000 1000' Groups Cap 'NoNewPrivs 1' 'Seccomp 2' 'looked at '
	[ "$(grep '^Groups' <<<"$output")" = Groups ]
	[ "$(awk '/^Cap/ {print $2}' <<<"$output" | sort -u)" = 0000000000000000 ]
	[ "${#lines[@]}" = 11 ]
}
