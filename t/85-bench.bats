# SPDX-License-Identifier: Apache-2.0
# bats file_tags=sandbox
# The benchmark: never how fast, only that it measures what it says.

load helper

bench() { PAI_BUILD=$PAI_BUILD "$PAI_SOURCE/t/bench/run" "$@"; }

once_as_root() {
	[ "${PAI_AS:-}" != user ] || skip 'it needs root'
	[ "$(id -u)" = 0 ] || skip 'it needs root'
	[ "${PAI_START:-}" != fresh ] || skip 'it starts both ways by itself'
}

@test "each way is measured, and the table and the JSON say the same" {
	once_as_root
	mkdir tmp
	TMPDIR=$work/tmp run -0 --separate-stderr bench -n 1 --json=f.json J1
	table=$output
	[ "$(jq -r '.rows[] | select(.way | IN("bwrap", "podman+runsc") | not) | "\(.job) \(.way) \(.unit) \(.n)"' f.json)" = 'J1 bare ms 1
J1 runsc run ms 1
J1 pai-exec --fresh ms 1
J1 pai-exec ms 1' ]
	while read -r median way; do
		ms=$(printf '%.1f' "$median")
		grep -qE "^J1 +$way +1 +$ms +$ms to $ms ms\$" <<<"$table" || { echo "$way: $ms"; return 1; }
	done < <(jq -r '.rows[] | "\(.median) \(.way)"' f.json)
	[ "$(jq -r '.ratios[] | select(.of == "pai-exec") | .to' f.json)" = 'runsc run' ]
	[ "$(jq -r '.machine.image' f.json)" = "$(jq -r .rootfs.digest "${PAI_IMAGE:-/var/lib/pai/images/default}/image.json")" ]
	[ -z "$(ls tmp)" ]
}

@test "a job that does not exist is refused with the names of those that do" {
	run -2 --separate-stderr bench J1 J9
	[[ $stderr = *'J9: no such job; there are J1, J2, J3, cells, stdout, files, load, memory, growth, sessions' ]]
	[ -z "$output" ]
}
