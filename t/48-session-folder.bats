# SPDX-License-Identifier: Apache-2.0
# bats file_tags=sandbox
# Sessions: names, the folder and what may be wrong with it, what a session has fixed,
# and pai-session between real turns.

load helper
load sessions/helper

@test "case 049: a name is refused by the rule for names, and nothing is made elsewhere" {
	mkdir in
	[ -z "${as_user[*]}" ] || chown 12345 in
	cd in
	for name in ../../../../tmp/evil ../evil a/b . .. '' "$(printf 'x%.0s' $(seq 300))" "$(printf 'x%.0s' $(seq 65))" $'a\nb' -x .x 'a b' 'ü' 'a*'; do
		away "--session: .*('-'$|empty)" "${turns[@]}" --session="$name" -n -c 'print(1)'
	done
	run -125 --separate-stderr turn --json --session=../evil -n -c 'print(1)'
	jq -e '.status == "failed" and .started == false and .error.code == "usage" and .session == null' <<<"$output"
	[ "$(echo ../*)" = ../in ]
	[ ! -e /tmp/evil ]
	[ ! -e sessions ] || [ -z "$(ls -A sessions)" ]
	for name in a A.b_c-9 9 "$(printf 'x%.0s' $(seq 64))"; do
		session=$name says 1 -n -c 1
	done
}

@test "case 049: state that is cut short or another's is refused at once, in words; other sessions go on" {
	says '' -n -c 'x = 1'
	cp -a sessions/s good
	session=other says '' -n -c 'y = 2'
	state >files.txt
	[ "$(wc -l <files.txt)" -ge 4 ]
	while read -r file; do
		truncate -s 1 "$file"
		away "'s'" "${turns[@]}" --session=s -n -c 'print(x)'
		rm -rf sessions/s && cp -a good sessions/s
		rm "$file"
		away "'s'" "${turns[@]}" --session=s -n -c 'print(x)'
		rm -rf sessions/s && cp -a good sessions/s
	done <files.txt
	session=other says 2 -n -c y
	says 1 -n -c x
}

@test "one flipped byte in any file of the state is noticed" {
	says '' -n -c 'x = 1'
	cp -a sessions/s good
	state >files.txt
	while read -r file; do
		for place in 0 "$(($(stat -c %s "$file") / 2))" "$(($(stat -c %s "$file") - 1))"; do
			flip "$file" "$place"
			away "'s'" "${turns[@]}" --session=s -n -c 'print(x)' || { echo "$file $place"; return 1; }
			flip "$file" "$place"
		done
	done <files.txt
	says 1 -n -c x
	# the lock too is what it was, or the session was in other hands
	truncate -s 100 sessions/s/lock
	away "'s'.*lock" "${turns[@]}" --session=s -n -c x
	run -0 pai-session rm s
}

@test "a folder that others can write, links, another's folder, a newer format: refused, and nothing is touched" {
	says '' -n -c 'x = 1'
	cp -a sessions/s good
	at=$(last)
	for path in sessions sessions/s "$at" "$at/session.json"; do
		mode=$(stat -c %a "$path")
		chmod o+w "$path"
		away 'write' "${turns[@]}" --session=s -n -c x || { echo "$path"; return 1; }
		chmod "$mode" "$path"
		chmod g+w "$path"
		away 'write' "${turns[@]}" --session=s -n -c x || { echo "$path"; return 1; }
		chmod "$mode" "$path"
	done
	says 1 -n -c x
	ln -s s sessions/link
	away "'link'" "${turns[@]}" --session=link -n -c x
	ln -s "$PWD/good" sessions/absolute
	away "'absolute'" "${turns[@]}" --session=absolute -n -c x
	for name in lock "${at##*/}" "${at##*/}/session.json" "${at##*/}/snapshot" "${at##*/}/sizes"; do
		rm -rf sessions/s && cp -a good sessions/s
		rm -rf "${at:?}/../moved" moved
		mv "sessions/s/$name" moved
		ln -s "$PWD/moved" "sessions/s/$name"
		away "'s'" "${turns[@]}" --session=s -n -c x || { echo "$name"; return 1; }
		[ -L "sessions/s/$name" ]
	done
	rm -rf sessions/s && cp -a good sessions/s
	sed -i '1s/1$/2/' "$at/sizes"
	away "'s'.*(format|version|newer)" "${turns[@]}" --session=s -n -c x
	echo file >sessions/plain
	away "'plain'" "${turns[@]}" --session=plain -n -c x
	mkfifo sessions/fifo
	away "'fifo'" timeout 20 "${turns[@]}" --session=fifo -n -c x
	rm -rf sessions/s && cp -a good sessions/s
	if [ "$(id -u)" = 0 ]; then
		chown -R 1234 sessions/s
		away "'s'" "${turns[@]}" --session=s -n -c x
		chown -R --reference=good sessions/s
		chown 1234 sessions
		away 'sessions' "${turns[@]}" --session=s -n -c x
		chown --reference=good sessions
	fi
	says 1 -n -c x
}

@test "a session is a folder: moved, copied and deleted it is what one expects" {
	says '' -n -c 'x = 1; open("f", "w").write("x");'
	cp -a sessions/s sessions/copy
	mv sessions/s sessions/moved
	session=copy says '1 x' -n -c 'print(x, open("f").read()); x = 2'
	session=moved says 1 -n -c x
	mv sessions elsewhere
	run -0 --separate-stderr pai --session-dir="$PWD/elsewhere" --session=copy -n -c x
	[ "$output" = 2 ]
	rm -rf elsewhere/copy
	run -1 --separate-stderr pai --session-dir=elsewhere --session=copy -n -c x
	[[ $stderr = *NameError* ]]
	# hard links instead of a copy: a turn changes nothing that another session has
	cp -al elsewhere/moved elsewhere/linked
	run -0 pai --session-dir=elsewhere --session=linked -n -c 'x = 9; open("f", "w").write("y");'
	run -0 --separate-stderr pai --session-dir=elsewhere --session=moved -n -c 'print(x, open("f").read())'
	[ "$output" = '1 x' ]
}

@test "sessions lie in the user's state folder, for him alone; --session-dir and the configuration name another" {
	export XDG_STATE_HOME=$PWD/state
	umask 022
	run -0 pai -s one -n -c 'x = 1'
	[ "$(stat -c %a state/pai/sessions state/pai/sessions/one | xargs)" = '700 700' ]
	unset XDG_STATE_HOME
	run -0 pai --session=two -n -c 'x = 1'
	[ -d .local/state/pai/sessions/two ]
	away 'none/there' "${pai[@]}" --session-dir="$PWD/none/there" --session=x -n -c 1
	[ ! -e none ]
	mkdir mine
	[ -z "${as_user[*]}" ] || chown 12345 mine
	chmod 700 mine
	mkdir -p .config/pai
	printf 'defaults:\n  session-dir: %s\n' "$PWD/mine" >.config/pai/pai.yaml
	[ -z "${as_user[*]}" ] || chown -R 12345 .config
	run -0 pai --session=three -n -c 'x = 1'
	[ -d mine/three ]
}

@test "what the first turn has fixed is refused in words when it is to be another; a default gives way" {
	says '' --cpus=1 --memory=300M --disk=100M -n -c 'x = 1'
	for option in --cpus=2 --memory=200M --memory=400M --disk=50M; do
		away "${option%=*}" "${turns[@]}" --session=s "$option" -n -c x
	done
	says 1 --cpus=1 --memory=300M --disk=100M -n -c x
	says 1 -n -c x
	mkdir -p .config/pai
	printf 'defaults:\n  memory: 512M\n  cpus: 2\n  timeout: 50s\n' >.config/pai/pai.yaml
	[ -z "${as_user[*]}" ] || chown -R 12345 .config
	says 1 -n -c x
	cell -n -c x
	is '.limits.memory_bytes' "$((300 << 20))"
	away "PYTHONHASHSEED" "${turns[@]}" --session=s -e PYTHONHASHSEED=1 -n -c x
	export PAI_DEFAULTS_ENV=PYTHONHASHSEED=1
	session=preset says '' -n -c 'x = 1'
	session=preset says 1 -n -c x
	unset PAI_DEFAULTS_ENV
	# what a turn can have of its own
	says 'own' -e WORD=own -t 30s -n -c 'import os; print(os.environ["WORD"])'
	threads='import threading as t, time
made = [t.Thread(target=time.sleep, args=(0.1,)) for _ in range(30)]
[one.start() for one in made]; [one.join() for one in made]; len(made)'
	session=many says 1 --pids=20 -n -c 1
	session=many says 30 --pids=300 -n -c "$threads"
	session=many says 1 --pids=20 -n -c 1
	session='hash' says '' -e PYTHONHASHSEED=5 -n -c 'h = hash("a")'
	session='hash' says True -n -c 'h == hash("a")'
}

@test "an image that was named by a path is found from wherever the next turn is begun" {
	ln -s "$(realpath "${PAI_IMAGE:-/var/lib/pai/images/default}")" image
	turns=("${as_user[@]}" "$PAI_BUILD/pai-exec" --session-dir="$PWD/sessions" ${PAI_BACKEND:+--backend="$PAI_BACKEND"})
	says '' --memory=256M --image=./image -n -c 'x = 1'
	mkdir elsewhere
	cd elsewhere
	says 1 -n -c x
}

@test "another image and another backend are refused, both sides named" {
	says '' -n -c 'x = 1'
	image=${PAI_IMAGE:-/var/lib/pai/images/default}
	mkdir other
	for f in rootfs.erofs vmlinux initrd; do
		[ ! -e "$image/$f" ] || ln "$image/$f" other/ 2>/dev/null || ln -s "$(realpath "$image/$f")" other/
	done
	digest=$(jq -r .rootfs.digest "$image/image.json")
	sed "s/$digest/sha256:$(printf '1%.0s' $(seq 64))/" "$image/image.json" >other/image.json
	turns=("${as_user[@]}" "$PAI_BUILD/pai-exec" --session-dir=sessions)
	away "image.*$digest.*sha256:1111" "${turns[@]}" --session=s --image="$PWD/other" -n -c x
	used=gvisor
	[ "${PAI_BACKEND:-}" != firecracker ] || used=firecracker
	another=firecracker
	[ "$used" = gvisor ] || another=gvisor
	away "($used.*$another|$another.*$used)" "${turns[@]}" ${PAI_IMAGE:+--image="$PAI_IMAGE"} --backend="$another" --session=s -n -c x
	away "switched off|off" "${turns[@]}" ${PAI_IMAGE:+--image="$PAI_IMAGE"} --backend=off --session=s -n -c x
	run -0 --separate-stderr "${turns[@]}" ${PAI_IMAGE:+--image="$PAI_IMAGE"} --backend="$used" --session=s -n -c x
	[ "$output" = 1 ]
}

@test "a session's turn is a cell: what is none is refused, and no session comes of it" {
	printf '#!/bin/sh\necho\n' >job.sh
	for words in '--script -c 1' '-m platform' '-l shell -c true' job.sh '--lock-wait=soon -c 1' '--keep-turns=0 -c 1' '--keep-turns=x -c 1'; do
		# shellcheck disable=SC2086 # words
		away '' "${turns[@]}" --session=s -n $words
	done
	run -127 --separate-stderr turn -n no-such-file.py
	[ ! -e sessions/s ]
	says '' --cell -n -c 'x = 1'
	run -127 --separate-stderr turn -n no-such-file.py
	[ "${#stderr_lines[@]}" = 1 ]
	away '' "${turns[@]}" --session=s -i no-such-file -n -c x
	cell -n -c x
	kept 2
	# a first turn that starts cold, and one with --fresh later, which has its kernel
	session=cold says '' --fresh -n -c 'x = 2'
	session=cold says 2 --fresh -n -c x
}

@test "--keep-turns: so many turns are kept, and rewind goes back to them" {
	for i in 1 2 3 4; do says '' --keep-turns=3 -n -c "x = $i; open('f', 'w').write('$i');"; done
	[ "$(echo sessions/s/[0-9])" = 'sessions/s/2 sessions/s/3 sessions/s/4' ]
	run -0 pai-session rewind s 2
	says '2 2' --keep-turns=3 -n -c 'print(x, open("f").read())'
	cell -n -c x
	is '[.execution_count, .session.turn]' '[4,4]'
	[ "$(echo sessions/s/[0-9])" = 'sessions/s/3 sessions/s/4' ]	# the default again
	run -0 pai-session rewind s
	says 2 -n -c x
	run -1 pai-session rewind s 99
}

@test "pai-session fork: both go on, each its own way" {
	says '' -n -c 'x = 1; import random; open("f", "w").write("s");'
	run -0 pai-session fork s t
	session=t says '' -n -c 'x += 10; open("f", "w").write("t");'
	says '1 s' -n -c 'print(x, open("f").read())'
	session=t says '11 t' -n -c 'print(x, open("f").read())'
	[ "$(turn -n -c 'random.random()')" != "$(session=t turn -n -c 'random.random()')" ]
	away "'t'" "${as_user[@]}" "$PAI_BUILD/pai-session" --session-dir=sessions fork s t || [ "$status" = 1 ]
	run -1 pai-session fork none u
	cell -n -c x
	kept 4
	run -0 pai-session rm s
	[ ! -e sessions/s ]
	session=t says 11 -n -c x
}

@test "a file that waits and cannot be placed is named as such, with the folder that it waits in" {
	says '' -n -c 'import os; os.mkdir("d"); os.symlink("/tmp", "ln")'
	echo 1 >f
	run -0 pai-session put s f:d
	away "pai-session put: 'd' cannot be placed .*: Is a directory; it waits in '.*sessions/s/put-1'" "${turns[@]}" --session=s -n -c 1
	rm -r sessions/s/put-1
	away "--input: 'd' cannot be placed .*: Is a directory" "${turns[@]}" --session=s -i f:d -n -c 1
	says 2 -n -c 2
	run -0 pai-session put s f:ln/x
	away "pai-session put: 'ln' cannot be placed" "${turns[@]}" --session=s -n -c 1
	# an input of that name takes its place
	says 1 -i f:ln -n -c 'int(open("ln").read())'
}

@test "pai-session put and get: files between turns, without a sandbox" {
	mkdir -p folder/deep
	echo of-the-user >given.txt
	echo deep >folder/deep/f
	run -0 pai-session put s given.txt folder
	says "of-the-user deep" -n -c 'print(open("given.txt").read().strip(), open("folder/deep/f").read().strip())'
	echo again >given.txt
	run -0 pai-session put s given.txt
	says again -n -c 'print(open("given.txt").read().strip()); open("made.txt", "w").write("by the cell");'
	says '' -o out -n -c 'None'
	[ ! -e out ] || [ -z "$(ls out)" ]
	run -0 pai-session get s made.txt -o got
	[ "$(cat got)" = 'by the cell' ]
	says '' -n -c 'import os; os.remove("made.txt")'
	run -1 pai-session get s made.txt -o gone
	run pai-session get s ../../../etc/passwd -o gone
	[ "$status" != 0 ]
	run pai-session get s /etc/passwd -o gone
	[ "$status" != 0 ]
	[ ! -e gone ]
	says "['folder', 'given.txt']" -n -c 'print(sorted(os.listdir()))'
	# with the modes that -o gives
	says '' -n -o kept -c 'import os
for mode in (0o600, 0o644, 0o755): os.close(os.open(f"{mode:o}", os.O_CREAT, mode))
os.mkdir("dir")'
	run -0 pai-session get s 600 644 755 dir -o modes
	(cd kept && stat -c '%n %a' 600 644 755 dir) >of-kept
	(cd modes && stat -c '%n %a' 600 644 755 dir) | diff of-kept -
}

@test "pai-session list, show and log tell of the turns" {
	says '' -n -c 'x = 1'
	run -1 turn -n -c '1 / 0'
	run -3 turn -n -c 'import os; os._exit(3)'
	pai-session list --json >list.json
	jq -e '[.. | .name? // empty] | index("s") != null' list.json
	pai-session show s --json >show.json
	jq -e '[.. | .turn? // empty] | max == 2' show.json
	run -0 pai-session log s
	[ "${#lines[@]}" -ge 2 ]
	run -1 pai-session show none
}

@test "a session whose last turn is damaged can go back to the one before, or be removed" {
	says '' -n -c 'x = 1; open("f", "w").write("kept");'
	says '' -n -c 'x = 2'
	truncate -s 100 "$(find "$(last)/snapshot" -type f -size +100 | head -n 1)"
	away "'s'" "${turns[@]}" --session=s -n -c x
	# its files are no part of what is damaged
	run -0 --separate-stderr pai-session get s f -o -
	[ "$output" = kept ]
	run -0 pai-session rewind s
	says 1 -n -c x
	run -0 pai-session get s f -o got
	[ "$(cat got)" = kept ]
	truncate -s 100 "$(find "$(last)/snapshot" -type f -size +100 | head -n 1)"
	run -0 pai-session rm s
	[ ! -e sessions/s ]
}
