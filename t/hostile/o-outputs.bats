# SPDX-License-Identifier: Apache-2.0
# bats file_tags=hostile
# What a program leaves is kept safely, or left out by name; nothing outside DIR is
# touched. Most rows twice: with a program, and (talk) with a guest of the enemy's.

load helper

# kept [-STATUS] [OPTION...] PROGRAM [ARG...]: runs it into the folder out
kept() {
	local wanted=-0

	[[ $1 != -[0-9]* ]] || { wanted=$1; shift; }
	run "$wanted" --separate-stderr "${pai[@]}" -n -o out "$@" </dev/null
}

# plain: nothing in out but files and folders with plain modes, none of ours
plain() {
	[ -z "$(find out ! -type f ! -type d)" ]
	[ -z "$(find out -mindepth 1 -perm /7000)" ]
	[ -z "$(find out -type f -links +1)" ]
	[ -z "$(find out -name '.pai-exec.*')" ]
}

# soon: from the end of the program to that of the run ($output is its JSON)
soon() { [ "$(jq ".timing | .total_ms - .start_ms - .run_ms < 5000 * $slack" <<<"$output")" = true ]; }

@test "O1: no link is followed or made, at any depth, in any hop" {
	kept "$programs/out_links.py"
	[ -z "$output" ]
	plain
	[ "$(cd out && find . | sort | xargs)" = '. ./d ./hard.txt ./ok.txt' ]
	[ "$(sort <<<"$stderr" | xargs -d '\n' | tr -d "'")" = "$(for n in abs d/root dangling hop1 hop2 itself loop magic rel; do
		echo "pai-exec: $n not kept: symlink"; done | xargs)" ]
	run -1 grep -r root: out
	talk files:link files:link-no-target files:target-no-link
}

@test "O2: hard links are kept as files of their own" {
	kept "$programs/out_links.py"
	[ "$(stat -c %h out/ok.txt out/hard.txt | xargs)" = '1 1' ]
	cmp out/ok.txt out/hard.txt
}

@test "O3: a FIFO, a socket, a device is left out by name, and nobody waits for it" {
	begin=$(now)
	kept -t 20 "$programs/out_special.py"
	ended_by "$begin" 3000
	plain
	[ "$(ls -A out)" = data.txt ]
	# gVisor lets a program make a whiteout, as Linux does
	[ "$(grep -v whiteout <<<"$stderr")" = "pai-exec: 'fifo' not kept: special
pai-exec: 'socket' not kept: special" ]
}

@test "O4: what changes while it is kept has no effect: each file is whole, or left out" {
	for _ in $(seq "$(times 5 100 2)"); do
		rm -rf out
		kept -3 "$programs/out_swap.py"
		plain
		run -1 grep -r root: out
		for f in out/file out/link out/folder/inner out/folder-link/inner; do
			[ ! -e "$f" ] || [ "$(cat "$f")" = mine ]
		done
		[ "$(stat -c %s out/grows)" -le $((1 << 20)) ]
	done
}

@test "O5: every form of path that could leave DIR is refused" {
	talk paths files:deep
}

@test "O6: evil names arrive byte for byte, and are shown escaped" {
	kept --json --manifest=list "$programs/out_names.py"
	n=$(jq -r .stdout <<<"$output")
	[ "$n" -ge 30 ]
	[ "$(jq '.files | length' <<<"$output")" = "$n" ]
	run -0 python3 -c 'import os
names = os.listdir(b"out")
print(len(names), all(open(b"out/" + n, "rb").read() == n for n in names))'
	[ "$output" = "$n True" ]
	plain
	(cd out && sha256sum --quiet -c ../list)
	rm -r out
	kept -125 --max-files=1 "$programs/out_names.py"
	[[ $stderr == *" not kept: "* ]]
	run -1 env LC_ALL=C grep -P '[\x00-\x09\x0b-\x1f\x7f-\x9f]' <<<"$stderr"
	talk paths
}

@test "O7: a trailing slash does not lead through a link" {
	talk paths:path-link-slash paths:path-slash paths:folder-link-slash files:link-in-dir
}

@test "O8: a link that was planted in DIR is not followed" {
	"${as_user[@]}" mkdir out victim
	ln -s "$PWD/victim" out/d
	kept -125 -c 'import os
os.mkdir("d"); open("d/x", "w").write("x"); open("ok", "w").write("ok")'
	[ -z "$(ls victim)" ]
	[[ $stderr == "pai-exec: folder 'd' not kept: "* ]]
	[ "$(cat out/ok)" = ok ]
	talk files:link-in-dir
}

@test "O8: DIR itself may be a link; it is resolved once, before the program runs" {
	"${as_user[@]}" mkdir real victim
	ln -s real out
	mkfifo go
	"${pai[@]}" -o out -c 'open("f", "w").write("x"); print("up", flush=True); input()' <>go >up 2>&1 &
	pid=$!
	for _ in $(seq 600); do
		[ ! -s up ] || break
		read -rt 0.1 <> <(:) || :
	done
	rm out
	ln -s victim out
	echo >go
	wait "$pid"
	[ "$(cat <(ls real) <(ls victim))" = f ]
}

@test "O9: with --no-clobber nothing in DIR is replaced; without, each file by rename" {
	kept -c 'open("f", "w").write("old")'
	ln out/f held
	kept -125 --no-clobber -c 'open("f", "w").write("new"); open("g", "w").write("g")'
	[[ $stderr == "pai-exec: 'f' not kept: it is there already"* ]]
	[ "$(cat out/f out/g)" = oldg ]
	kept -c 'open("f", "w").write("new")'
	[ "$(cat out/f held)" = newold ]
	talk paths:twice
}

@test "O10: depth, number and bytes have caps; a line says which, the program's status is kept" {
	for shape in deep many big; do
		rm -rf out
		kept -125 --json --memory=512M --max-output=10M "$programs/out_shape.py" "$shape"
		soon
		[ "$(jq .exit_code <<<"$output")" = 7 ]
		reasons=$(jq -r '.skipped[].reason' <<<"$output" | sort -u)
		case $shape in
		deep) [ "$reasons" = too_deep ]; [ -e out/top ] ;;
		many) [ "$reasons" = too_many ]; [ "$(find out -type f | wc -l)" = 1000 ] ;;
		big) [ "$reasons" = too_big ]; [ "$(cd out && echo *)" = "a b" ] ;;
		esac
		plain
	done
	talk files numbers:skip-storm
}

@test "O10: 200,000 links left out cost no more than their number" {
	run --separate-stderr "${pai[@]}" -n -o out --json --memory=512M "$programs/out_shape.py" links </dev/null
	[ "$status" = 7 ] || [ "$status" = 125 ]	# more than can be named, where so many can be made
	soon
	[ "$(jq .exit_code <<<"$output")" = 7 ]
	[ "$(jq '.skipped | length' <<<"$output")" -le 1000 ]
	[ "${#output}" -le 1000000 ]
}

@test "O11: a sparse file is judged by the size that it shows" {
	kept -125 --json --max-output=2M "$programs/out_shape.py" sparse
	[ "$(jq -c '[.exit_code, .skipped[0]]' <<<"$output")" = '[7,{"path":"t","reason":"too_big"}]' ]
	[ "$(du -sk out | cut -f 1)" -le 2100 ]
	[ "$(stat -c %s out/small)" = $((1 << 20)) ]
}

@test "O12: a full disk is told, no part of a file stays, the program's status is kept" {
	need_root
	[ "${PAI_AS:-}" != user ] || skip 'needs root, to mount'
	mkdir out
	mount -t tmpfs -o size=10m tmpfs out
	rc=0
	kept -125 --json "$programs/out_shape.py" big || rc=$?
	list=$(find out -type f -printf '%f %s\n' | sort)
	umount out
	[ "$rc" = 0 ]
	[ "$(jq -c '[.status, .exit_code, .error.code]' <<<"$output")" = '["failed",7,"output"]' ]
	[[ $(jq -r .error.value <<<"$output") == *'No space left on device' ]]
	[ "$list" = 'a 4194304
b 4194304' ]
}

@test "O13: plain modes, the caller's own, no attributes; what the program shut is kept" {
	umask 022
	kept "$programs/out_modes.py"
	plain
	[ "$(find out -type f -printf '%P %m\n' | sort | xargs)" = 'closed/in.txt 644 exec 755 none 600 sgid 755 sticky 755 suid 755 world 644' ]
	[ "$(find out -printf '%U\n' | sort -u)" = "$(stat -c %u .)" ]
	[ -z "$(find out -newermt '+1 day')" ]
	if command -v getfattr >/dev/null; then
		[ -z "$(getfattr -Rd -m - out 2>/dev/null)" ]
	fi
	talk files:mode-4755 files:mode-2755 files:mode-1777 files:mode-100644 files:mode-65535
}

@test "O14: twins by case or by Unicode are two files" {
	kept "$programs/out_names.py"
	[ "$(cat out/README out/readme)" = READMEreadme ]
	[ "$(cat $'out/caf\xc3\xa9' $'out/cafe\xcc\x81' | od -An -tx1 | xargs)" = '63 61 66 c3 a9 63 61 66 65 cc 81' ]
	talk paths:twins
}

@test "O15: archives are files, and never unpacked" {
	kept --memory=512M "$programs/out_bomb.py"
	(cd out && sha256sum --quiet -c <<<"$output")
	[ "$(cd out && echo *)" = "bomb.zip evil.tar" ]
	[ -z "$(find /tmp -maxdepth 1 -name 'pai-planted*')" ]
}

@test "O16: whatever kills it, each file in DIR is whole and of one run" {
	python3 "$here/kills.py" "--times=$(times 10 200 2)" command -- "${pai[@]}"
}


@test "O17: a tar on standard output holds what DIR would, and no more" {
	"${pai[@]}" -n -o - -c 0 >/dev/null
	[ ! -e ./- ]
	run -0 --separate-stderr bash -c '"$@" | tar --list --verbose --file=- --quoting-style=escape >list' _ "${pai[@]}" -n -o - "$programs/out_links.py"
	[ "$(awk '{print substr($1, 1, 1), $NF}' list | sort | xargs)" = '- hard.txt - ok.txt d d/' ]
	"${pai[@]}" -n -o - "$programs/out_modes.py" | tar --list --verbose --file=- >modes
	[ -s modes ]
	run -1 grep -E '^.{3}[sS]|^.{6}[sS]|^.{9}[tT]' modes
	run -1 grep -E ' (/|\.\./)' modes
}
