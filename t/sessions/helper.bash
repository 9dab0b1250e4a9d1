# SPDX-License-Identifier: Apache-2.0
# helper - what the tests of sessions load beside t/helper.bash: turns of sessions that
# lie in the test's own work folder, and what came of them.
# shellcheck shell=bash

# An emulated host is 20 to 40 times slower: its bounds of time are wider.
slow=1
[ ! -e /run/kvm-host ] || slow=40
case ${PAI_BACKEND:-} in
firecracker) pai+=(--backend=firecracker --memory=256M) ;;
?*) pai+=(--backend="$PAI_BACKEND") ;;
esac
turns=("${pai[@]}" --session-dir=sessions)

# turn [OPTION...] [FILE] <CELL: the next turn of the session $session (s)
turn() { logged "${turns[@]}" --session="${session:-s}" "$@"; }

# shellcheck disable=SC2154 # of t/helper.bash
pai-session() { "${as_user[@]}" "$PAI_BUILD/pai-session" --session-dir=sessions "$@"; }

# says [-STATUS] TEXT [OPTION...] [FILE] <CELL: a turn that prints TEXT, and no more
says() {
	local wanted=-0 text

	[[ $1 != -[0-9]* ]] || { wanted=$1; shift; }
	text=$1
	shift
	run "$wanted" --separate-stderr turn "$@"
	[ "$output" != "$text" ] || [ -n "$stderr" ] || return 0
	printf 'wanted: %s\nprinted: %s\nsaid: %s\n' "$text" "$output" "$stderr"
	return 1
}

# The object of a turn, as of any cell.
load "$PAI_SOURCE/t/results/helper"
cells=turn

# is FILTER VALUE: what it gives is that, on one line
is() {
	local got

	got=$(jq -c "$1" r.json)
	[ "$got" = "$2" ] || { printf '%s: %s, and %s is right\n' "$1" "$got" "$2"; return 1; }
}

# kept TURN, rewound TURN: what the object in r.json says of the session
kept() { is '[.session.name, .session.turn, .session.state]' "[\"${session:-s}\",$1,\"kept\"]"; }
rewound() { is '[.session.name, .session.turn, .session.state]' "[\"${session:-s}\",$1,\"rewound\"]"; }

# away REGEX COMMAND [ARG...]: refused with 125 and one line, and nothing is printed
away() {
	local pattern=$1

	shift
	run -125 --separate-stderr "$@" </dev/null
	# shellcheck disable=SC2154 # run sets it
	if [ -z "$output" ] && [ "${#stderr_lines[@]}" = 1 ] && [[ $stderr =~ ^pai-(exec|session):\ .*$pattern ]]; then
		return 0
	fi
	printf 'wanted: %s\nprinted: %s\nsaid: %s\n' "$pattern" "$output" "$stderr"
	return 1
}

# start OPTION... [FILE]: a turn of $session in the background, until it has printed
# "up"; $pid is pai-exec's, descriptor 8 its standard output, 9 its standard input
start() {
	rm -f up in
	mkfifo up in
	exec 8<>up 9<>in
	"${turns[@]}" --session="${session:-s}" "$@" >up 2>err <in 8>&- 9>&- &
	pid=$!
	read -rt $((30 * slow)) line <&8
	[ "$line" = up ]
}

# ends_with STATUS: what start has started, within 10 s
ends_with() {
	local begin=$SECONDS status=0

	wait "$pid" || status=$?
	[ "$status" = "$1" ] || { echo "status $status"; cat err; return 1; }
	[ $((SECONDS - begin)) -le $((10 * slow)) ]
}

# state: the files that the next turn of the session s begins from, but those of its mirror
state() { find "$(last s)" -type f -not -path '*/files/*' -size +0 | sort; }

# flip FILE PLACE: one bit of the byte at PLACE; once more gives back what was
flip() {
	perl -e 'open(F, "+<", $ARGV[0]) or die; seek(F, $ARGV[1], 0); read(F, $c, 1);
		seek(F, $ARGV[1], 0); print F chr(ord($c) ^ 1)' "$1" "$2"
}

# last [NAME]: the folder of a session's last turn
last() { find "sessions/${1:-s}" -maxdepth 1 -regex '.*/[0-9]+' | sort -V | tail -n 1; }
