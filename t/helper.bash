# SPDX-License-Identifier: Apache-2.0
# helper - what every bats file loads: the program under test, its user, the
# work folder, and that nothing is left.
# shellcheck shell=bash

bats_require_minimum_version 1.5.0
PAI_SOURCE=${PAI_SOURCE:-$(cd "$BATS_TEST_DIRNAME/.." && pwd)}
PAI_BUILD=${PAI_BUILD:-$PAI_SOURCE}
cases=$PAI_SOURCE/t/cases

# PAI_AS=user runs pai-exec as a plain user without subuid, through sudo-less
# setpriv; the default is whoever runs the tests.
as_user=()
if [ "${PAI_AS:-}" = user ]; then
	as_user=("$(command -v setpriv)" --reuid 12345 --regid 12345 --clear-groups --inh-caps=-all
		--bounding-set=-all --no-new-privs)
fi

setup() {
	work=$BATS_TEST_TMPDIR/w
	mkdir -p "$work"
	if [ "${PAI_AS:-}" = user ]; then
		chmod 711 "$BATS_RUN_TMPDIR" "${BATS_TEST_TMPDIR%/*}" "$BATS_TEST_TMPDIR"
		chown 12345:12345 "$work"
	fi
	cd "$work" || return 1
	export HOME=$work LC_ALL=C.UTF-8 XDG_CACHE_HOME=${PAI_CACHE:-$work/.cache}
	# No configuration but the test's own: neither the host's, nor that of whoever
	# runs the tests.
	export XDG_CONFIG_HOME=$work/.config PAI_CONFIG_NOSYSTEM=1
	# shellcheck disable=SC2046 # names have no blanks
	unset PAI_CONFIG XDG_STATE_HOME $(compgen -e PAI_CODE_INTERPRETER; compgen -e PAI_FEATURES; compgen -e PAI_DEFAULTS)
}

# logged COMMAND ARG...: where PAI_JSON_LOG is a folder, what comes as JSON goes there too,
# for t/json-check; the command's own descriptors are as they were otherwise.
logged() {
	case "${PAI_JSON_LOG:+ $* }" in
	*' --check '*) "$@" ;;
	*' --json '* | *' --format='*json' '*)
		"$@" | tee "$(mktemp "$PAI_JSON_LOG/XXXXXXXX")"
		return "${PIPESTATUS[0]}"
		;;
	*) "$@" ;;
	esac
}

pai-exec() { logged "${as_user[@]}" "$PAI_BUILD/pai-exec" "$@"; }

# refused STATUS MESSAGE ARG...: one line, nothing on standard output
refused() {
	local status_wanted=$1 message=$2
	shift 2
	run "-$status_wanted" --separate-stderr pai-exec "$@" </dev/null
	if [ "$stderr" != "pai-exec: $message" ] || [ -n "$output" ]; then
		echo "wanted: pai-exec: $message"
		echo "got:    $stderr"
		return 1
	fi
}

# field KEY FILE: a value of a JSON object, as jq shows it
field() { jq -r ".$1" "$2"; }

# Templates are shared by all tests of a run, as they are by a user's runs;
# PAI_START=fresh makes every run go without.
fresh=()
[ "${PAI_START:-}" != fresh ] || fresh=(--fresh)

# The image under test; the default one where nothing is said.
pai=("${as_user[@]}" "$PAI_BUILD/pai-exec" "${fresh[@]}" ${PAI_IMAGE:+--image="$PAI_IMAGE"})
pai() { logged "${pai[@]}" "$@"; }
