# SPDX-License-Identifier: Apache-2.0
# helper - the object of a cell, for the tests of results.
# shellcheck shell=bash

cells=pai			# what runs one

# cell [-STATUS] [OPTION...] [FILE] <TEXT: the object of a cell, in r.json
cell() {
	local wanted=-0

	[[ ${1:-} != -[0-9]* ]] || { wanted=$1; shift; }
	run "$wanted" --separate-stderr "$cells" --json "$@"
	printf '%s\n' "$output" >r.json
	[ -z "$stderr" ] || { echo "$stderr"; return 1; }
}

# of FILTER: jq over r.json
of() { jq -r "$1" r.json; }
