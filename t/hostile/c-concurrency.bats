# SPDX-License-Identifier: Apache-2.0
# bats file_tags=hostile
# Many runs beside each other, after each other, and the same run again and again.

load helper

@test "C1: many at once are all right" {
	only "the tool is what is looked at" gvisor firecracker
	n=$(times 6 110 2)
	for i in $(seq "$n"); do
		pai --memory=128M -o "o$i" -nc "open('f', 'w').write('$i'); print('answer', $i)" >"a$i" 2>&1 &
	done
	wait
	for i in $(seq "$n"); do
		[ "$(cat "a$i") $(cat "o$i/f")" = "answer $i $i" ]
	done
}

@test "C2: runs that keep files in one folder leave whole files there" {
	only "the tool is what is looked at" gvisor firecracker
	n=$(times 4 10 2)
	for i in $(seq "$n"); do
		pai -o out -nc "
for name in ('a', 'b'): open(name, 'w').write('$i' * 300000)
open('own-$i', 'w')" &
		pids+=("$!")
	done
	for pid in "${pids[@]}"; do wait "$pid"; done
	for name in a b; do
		[ "$(stat -c %s "out/$name")" -ge 300000 ]
		[ "$(fold -w 1 "out/$name" | sort -u | wc -l)" -le "${#n}" ]
	done
	[ "$(find out -name 'own-*' | wc -l)" = "$n" ]
	[ -z "$(find out -name '.pai-exec.*')" ]
	run ! pai --no-clobber -o out -nc 'open("a", "w").write("x")'
	[ "$(stat -c %s out/a)" -ge 300000 ]
}

@test "C3: two runs at once cannot see each other" {
	only "the tool is what is looked at" gvisor firecracker
	for me in a b; do
		pai -n "$programs/sideways.py" "$me" >"said-$me" 2>&1 &
	done
	wait
	for me in a b; do
		[ "$(xargs <"said-$me")" = "up processes 1 shm pai-$me alone" ] || { cat "said-$me"; false; }
	done
}

@test "C4: each microVM of root has a uid of its own" {
	only "the tool is what is looked at" gvisor firecracker
	only 'gVisor has a user namespace of its own instead' firecracker
	[ "$(id -u)" = 0 ] && [ "${PAI_AS:-}" != user ] || skip 'a plain user has one uid only'
	n=$(times 2 50 2)
	for _ in $(seq "$n"); do
		"${pai[@]}" -c 'input()' <> <(:) >/dev/null 2>&1 &
		pids+=("$!")
	done
	uids() { for p in $(pgrep -x firecracker); do awk '/^Uid:/ {print $2}' "/proc/$p/status"; done; }
	for _ in $(seq 600); do
		[ "$(uids | grep -cvx 0)" -lt "$n" ] || break
		read -rt 0.2 <> <(:) || :
	done
	uids >seen
	kill -KILL "${pids[@]}"
	for pid in "${pids[@]}"; do wait "$pid" || :; done
	[ "$(wc -l <seen)" = "$n" ]
	[ "$(sort -u seen | grep -cvx 0)" = "$n" ]
}

@test "C5: cleaning up during runs removes only what is dead" {
	only "the tool is what is looked at" gvisor firecracker
	export XDG_CACHE_HOME=$work/cache
	image() { "${as_user[@]}" "$PAI_BUILD/pai-image" "$@" >/dev/null 2>&1; }
	pai -nc 0
	while [ ! -e stop ]; do image gc || :; done &
	cleaner=$!
	bad=0
	for i in $(seq "$(times 8 200 2)"); do
		[ "$(pai -nc "print('run $i')")" = "run $i" ] || bad=$((bad + 1))
	done
	: >stop
	wait "$cleaner"
	[ "$bad" = 0 ]
}

@test "C6: a run that takes all that it may does not stop another" {
	only "the tool is what is looked at" gvisor firecracker
	pai -nc '
import time
late, last = 0, time.monotonic()
for i in range(20):
    time.sleep(0.1)
    now = time.monotonic()
    late, last = max(late, now - last - 0.1), now
print(late)' >late &
	victim=$!
	for program in forks.py 'memory.py heap' spin.py; do
		# shellcheck disable=SC2086 # words
		pai -t 2s --memory=128M --pids=32 -n "$programs/"$program >/dev/null 2>&1 &
	done
	wait "$victim"
	wait
	# 0.2 s where CPUs are free; this machine's may all be taken
	awk -v most="$slack" '{print; exit !($1 <= most)}' late
	! full || awk -v cpus="$(nproc)" '{exit cpus > 4 && $1 > 0.2}' late
}

@test "C7: runs one after the other leave the host as flat as it was" {
	only "the tool is what is looked at" gvisor firecracker
	host() {
		wc -l </proc/self/mounts
		find /proc/self/fd | wc -l
		find "$work" "$XDG_CACHE_HOME" | sort
		ip -o link
		ls /proc/sysvipc && wc -l /proc/sysvipc/*
	}
	export XDG_CACHE_HOME=$work/cache
	pai -nc 0
	: >before
	: >after
	host >before
	n=$(times 10 1000 2)
	begin=$(now)
	for _ in $(seq "$n"); do pai -nc 0; done
	took=$(($(now) - begin))
	if full; then
		begin=$(now)
		for _ in $(seq 10); do pai -nc 0; done
		[ $((($(now) - begin) * n)) -le $((took * 10 * 3 / 2)) ]
	fi
	host >after
	diff before after
}

@test "C8: in a storm of starts and kills every verdict is right" {
	only "the tool is what is looked at" gvisor firecracker
	end=$((SECONDS + $(times 6 600 20)))
	verdict() { # verdict STATUS ARG...
		local wanted=$1 status=0

		pai -n "${@:2}" >/dev/null 2>&1 || status=$?
		[ "$status" = "$wanted" ] || echo "$* ended with $status"
	}
	worker() { # worker SEED: the wrong verdicts of its runs
		local n pid

		RANDOM=$1
		while [ "$SECONDS" -lt "$end" ]; do
			n=$((RANDOM % 100))
			case $((RANDOM % 4)) in
			0)
				"${pai[@]}" -nc 'import time; time.sleep(600)' 2>/dev/null &
				pid=$!
				read -rt "0.$n" <> <(:) || :
				kill -KILL "$pid"
				wait "$pid" || [ "$?" = 137 ] || echo 'a killed run ended otherwise'
				;;
			1) verdict 124 -t 0.3s -k 0 -c 'while True: pass' ;;
			2) verdict "$n" -c "raise SystemExit($n)" ;;
			3) verdict 137 --memory=64M "$programs/memory.py" heap ;;
			esac
		done
	}
	for i in $(seq "$(times 2 8 1)"); do worker "$i" >"wrong-$i" & done
	wait
	[ -z "$(cat wrong-*)" ] || { cat wrong-*; false; }
}
