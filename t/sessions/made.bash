# SPDX-License-Identifier: Apache-2.0
# made - for tests without a sandbox: pai-session, and sessions of t/session-make.
# shellcheck shell=bash

setup_file() { umask 022; }

sessions() { "$PAI_BUILD/pai-session" --session-dir=s "$@"; }

# turn NAME [PATH=TEXT]...: one more, of which two are kept
turn() { "$PAI_BUILD/t/session-make" s "$1" 2 "${@:2}"; }

# wrong STATUS MESSAGE ARG...: one line, nothing on standard output
wrong() {
	local wanted=$1 message=$2
	shift 2
	run "-$wanted" --separate-stderr sessions "$@" </dev/null
	if [ "$stderr" != "pai-session: $message" ] || [ -n "$output" ]; then
		echo "wanted: pai-session: $message"
		echo "got:    $stderr"
		return 1
	fi
}
