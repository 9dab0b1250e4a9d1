# SPDX-License-Identifier: Apache-2.0
# helper - what every file of the hostile suite loads: pai-exec on the backend
# under test, a program of ours in it, the canaries, how much is done.
# shellcheck shell=bash

PAI_SOURCE=${PAI_SOURCE:-$(cd "$BATS_TEST_DIRNAME/../.." && pwd)}
load ../helper

here=$PAI_SOURCE/t/hostile
programs=$here/programs
backend=${PAI_BACKEND:-gvisor}
case $backend in
bwrap) pai=("${as_user[@]}" "$here/stand-in") ;;
firecracker) pai+=(--backend=firecracker --memory=256M) ;;
*) pai+=(--backend="$backend") ;;
esac

# An emulated host is 20 to 40 times slower: its bounds of time are wider.
slack=10
quick=(quick)		# what a program calls a moment
if [ -e /run/kvm-host ]; then
	slack=60
	quick=(quick slow)
	pai+=(--config="$here/data/emulated.yaml")
fi

# only WHY BACKEND...: the row has a meaning there alone
only() {
	local why=$1

	shift
	[[ " $* " == *" $backend "* ]] || skip "$why"
}

# need_root: what only root can set the stage for
need_root() {
	[ "$(id -u)" = 0 ] || skip 'needs root, to set the stage'
}

full() { [ "${PAI_TIER:-quick}" = full ]; }

# times QUICK FULL [EMULATED]: how often this tier does it
times() {
	if full; then echo "$2"
	elif [ -e /run/kvm-host ]; then echo "${3:-$1}"
	else echo "$1"; fi
}

# canary: the folder of the canaries, which t/hostile/run plants
canary() {
	[ -n "${PAI_CANARY:-}" ] || skip 'no canaries are planted (t/hostile/run plants them)'
}

# untold FILE...: no canary's token is in them
untold() {
	[ -z "${PAI_CANARY:-}" ] || ! grep -aqF -f "$PAI_CANARY/token" -- "$@"
}

# ask [-STATUS] [OPTION...] PROGRAM [ARG...]: what a program prints in the sandbox,
# in $output and $stderr. It ends with STATUS (0), and no token is in what it says.
ask() {
	local wanted=-0

	[[ $1 != -[0-9]* ]] || { wanted=$1; shift; }
	run "$wanted" --separate-stderr "${pai[@]}" -n "$@" </dev/null
	printf '%s\n' "$output" >said
	printf '%s\n' "$stderr" >err
	untold said err
}

# talk GROUP...: conversations of a hostile guest, all of which must go well. What a
# child of converse.py has resident begins with what converse.py has, so that gives
# back at once what it held of the last one's output.
talk() {
	[ "$backend" = gvisor ] || return 0	# the host's side of it is one for all backends
	command -v python3 >/dev/null || skip 'needs python3'
	MALLOC_MMAP_THRESHOLD_=131072 PAI_BUILD=$PAI_BUILD python3 "$here/converse.py" "$@" -- "${pai[@]}"
}

# hold PREFIX...: every line of $output begins with one of them
hold() {
	local line word

	[ "${#lines[@]}" -gt 0 ] || { echo 'the program said nothing'; return 1; }
	for line in "${lines[@]}"; do
		for word; do
			[[ $line != "$word"* ]] || continue 2
		done
		printf 'found: %s\n' "$line"
		return 1
	done
}

# now: milliseconds, for differences
now() { echo $((${EPOCHREALTIME/./} / 1000)); }

# ended_by BEGIN LIMIT: LIMIT ms after BEGIN, plus what a busy machine needs, it is
# not yet
ended_by() {
	local took=$(($(now) - $1))

	[ "$took" -le $(($2 + slack * 1000)) ] || { echo "took $took ms"; return 1; }
}

# watched [OPTION...] PROGRAM...: as ask, with what its host processes used at most
# in $watch: processes= memory= cpu= wall=
watched() {
	local wanted=-0

	[[ $1 != -[0-9]* ]] || { wanted=$1; shift; }
	run "$wanted" --separate-stderr "$here/watch" watch "${pai[@]}" -n "$@" </dev/null
	watch=$(<watch)
	echo "$watch"
}

# used KEY: the number of it
used() { sed -n "s/.*\b$1=\([0-9.]*\).*/\1/p" <<<"$watch"; }
