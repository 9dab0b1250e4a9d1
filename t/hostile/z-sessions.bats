# SPDX-License-Identifier: Apache-2.0
# bats file_tags=hostile
# Sessions whose state is damaged, another's or of another machine, callers that die
# or come together, disks that fill up: the state is the old one or the new.

load helper
load ../sessions/helper

begin_sessions() { only 'the stand-in has no sessions' gvisor firecracker; }

# no_turn PATTERN: the next turn is refused in one line of PATTERN, and does nothing
no_turn() { away "$1" "${turns[@]}" --session=s -n -c 'print(x)'; }

# exchange A B
exchange() { mv "$1" between && mv "$2" "$1" && mv between "$2"; }

@test "Z5: the limits of this run apply after a restore" {
	begin_sessions
	says '' -t 60s --disk=64M -n -c 'x = 1'
	begin=$(now)
	run -124 --separate-stderr turn -t 2s -n -c 'while True: pass'
	ended_by "$begin" 3000
	[[ $stderr = *'time limit of 2 s reached'* ]]
	run -0 --separate-stderr turn --pids=20 -n "$programs/threads.py"
	[[ $output =~ ^threads\ (1[0-9]|20)\  ]]
	# what the snapshot has fixed is not changed in silence
	for option in --memory=200M --cpus=2 --disk=32M; do
		away "${option%=*}" "${turns[@]}" --session=s "$option" -n -c x
	done
	says 1 -n -c x
}

@test "Z6: a damaged snapshot, or another user's, is refused" {
	begin_sessions
	says '' -n -c 'x = 1'
	session=t says '' -n -c 'x = 2'
	mapfile -t files < <(state)
	[ "${#files[@]}" -ge 3 ]
	RANDOM=6
	for i in $(seq "$(times 12 200 3)"); do
		file=${files[i % ${#files[@]}]}
		place=$((((RANDOM << 30) + (RANDOM << 15) + RANDOM) % $(stat -c %s "$file")))
		flip "$file" "$place"
		no_turn "'s'" || { echo "$file, byte $place"; return 1; }
		flip "$file" "$place"
	done
	# whole files of another session, which are whole in themselves
	for file in "${files[@]}"; do
		other=${file/#sessions\/s/sessions\/t}
		! cmp -s "$file" "$other" || continue
		exchange "$file" "$other"
		no_turn "'s'" || { echo "$file"; return 1; }
		exchange "$file" "$other"
	done
	mv "${files[0]}" away
	ln -s "$PWD/away" "${files[0]}"
	no_turn "'s'"
	mv away "${files[0]}"
	chmod o+w "$(last)"
	no_turn write
	chmod o-w "$(last)"
	if [ "$(id -u)" = 0 ]; then
		for path in sessions/s "$(last)" "${files[0]}"; do
			owner=$(stat -c %u "$path")
			chown 1234 "$path"
			no_turn "'s'" || { echo "$path"; return 1; }
			chown "$owner" "$path"
		done
	fi
	says 1 -n -c x
	session=t says 2 -n -c x
}

@test "Z7: a session's name cannot leave its folder" {
	begin_sessions
	mkdir in
	[ -z "${as_user[*]}" ] || chown 12345 in
	cd in
	for name in ../x ../../../../tmp/x /x a/b a//b ./a . .. '' -rf '~' "$(printf 'x%.0s' $(seq 300))" $'a\nb' $'a\e[31m' $'\xff'; do
		away '--session: ' "${turns[@]}" --session="$name" -n -c 'print(1)'
		for command in show rm prune log; do
			away '' "$PAI_BUILD/pai-session" --session-dir=sessions "$command" -- "$name" || { echo "$command '$name'"; return 1; }
		done
	done
	[ "$(echo ../*)" = ../in ]
	[ "$(ls -A)" = '' ]
	[ ! -e /tmp/x ]
	[ ! -e /x ]
}

@test "Z8: a kill or a full disk during a save keeps the session" {
	begin_sessions
	if [ "$(id -u)" != 0 ] || [ -n "${as_user[*]}" ]; then skip 'kills processes of another user, and mounts: done as root'; fi
	python3 "$PAI_SOURCE/t/sessions/kills.py" "--times=$(times 10 50 2)" -- "${pai[@]}"
	! full || "$PAI_SOURCE/t/sessions/full" "${pai[@]}"
}

@test "Z9: of two callers one waits, and no turn is lost" {
	begin_sessions
	says '' -n -c 'seen = []'
	printf 'seen.append(1)\nprint("up", flush=True)\ninput()\n' >first.py
	start first.py
	turn --lock-wait=none -n -c 'seen.append(2)' >second 2>&1 8>&- 9>&- &
	second=$!
	away "process $pid has it" "${turns[@]}" --session=s --lock-wait=0 -n -c 'seen.append(3)'
	echo >&9
	ends_with 0
	wait "$second"
	says '[1, 2]' -n -c seen
	[ "$(id -u)" = 0 ] && [ -z "${as_user[*]}" ] || return 0
	# one that is killed holds nothing
	start first.py
	kill -9 "$pid"
	wait "$pid" || :
	says '[1, 2]' --lock-wait=0 -n -c seen || says '[1, 2]' --lock-wait=10s -n -c seen
}

@test "Z10: a session of another backend, image or processor is refused" {
	begin_sessions
	says '' -n -c 'x = 1'
	facts=$(last)/session.json
	cp "$facts" facts
	for key in backend version program image image_digest cpu; do
		jq -ce "if .$key then .$key += \"x\" else null end" facts >"$facts"
		no_turn "'s'" || { echo "$key"; return 1; }
	done
	cp facts "$facts"
	says 1 -n -c x
	another=firecracker
	[ "$backend" = gvisor ] || another=gvisor
	away "($backend.*$another|$another.*$backend)" "${turns[@]}" --backend="$another" --session=s -n -c x
}

@test "Z11: 100 turns keep the state" {
	begin_sessions
	turn -n -c 'import threading, time
import numpy as np
n, a, log, ticks = 0, np.zeros(1000, int), open("log", "a+"), 0
def tick():
    global ticks
    while True:
        ticks += 1
        time.sleep(0.001)
threading.Thread(target=tick, daemon=True).start()'
	n=$(times 10 100 3)
	for i in $(seq "$n"); do
		says "$i $i $i True" <<<'n += 1; a += 1; was = ticks; print("line", file=log, flush=True); log.seek(0)
while ticks == was: time.sleep(0.001)
print(n, a.min(), len(log.readlines()), ticks > was)'
	done
}

@test "Z12: the channel works after a restore, at the first try" {
	begin_sessions
	says '' -n -c 'x = 0'
	for n in $(seq "$(times 10 200 3)"); do
		cell -n -c 'x += 1; x'
		[ "$(of .text)" = "$n" ] || { cat r.json; return 1; }
	done
}

@test "Z13: removing a session frees all of it" {
	begin_sessions
	umask 0
	says '' <<<'secret = "a secret"; open("f", "w").write(secret);'
	says '' -n -c 'secret += "."'
	# whatever the umask is, nobody else comes to what lies in these folders (whose files
	# a VMM that has a uid of its own can read)
	[ "$(stat -c %a sessions sessions/s "$(last)" | xargs)" = '700 700 700' ]
	run -0 pai-session rm s
	[ -z "$(ls -A sessions)" ]
	[ -z "$(find "$XDG_CACHE_HOME" -newer sessions -type f -exec grep -l 'a secret' {} +)" ]
}
