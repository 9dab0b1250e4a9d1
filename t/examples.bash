# SPDX-License-Identifier: Apache-2.0
# examples - the commands that a document shows, and what each must do.
# shellcheck shell=bash

# shown DOCUMENT: its commands, one a line, as a reader types them: what stands behind "$ " or
# "# " on a line of its own in a man page; what is indented by four, or fenced, in Markdown
# (but a console fence is a screen: t/screens).
# What ends in | or \ goes on in the next line.
shown() {
	local on=':a; /[|\\]$/{N; s/\\\n *//; s/|\n */| /; ba}'

	case $1 in
	*.md) awk '/^ *```/ { fenced = !fenced; console = /console/; next } !console && (fenced || sub(/^    /, "")) && NF' "$PAI_SOURCE/$1" | sed "$on" ;;
	*) awk '/^\.[BE]d/ { literal = /^\.Bd/; next } literal || sub(/^\.D[1l] /, "")' "$PAI_SOURCE/$1" |
		sed 's/\\(dq/"/g; s/\\e/\\/g; s/\\&//g' | sed -n "$on; s/^[\$#] //p" ;;
	esac
}

# ends_well COMMAND PATTERN CHECK: it ends with 0 and prints that, and then CHECK is true
ends_well() {
	local said

	said=$(bash -c "$1" </dev/null 2>err) || { echo "$1: status $?"; cat err; return 1; }
	[[ $said =~ $2 ]] || { printf '%s\nprints: %s\nwanted: %s\n' "$1" "$said" "$2"; cat err; return 1; }
	eval "$3" || { printf '%s\nleaves not: %s\n' "$1" "$3"; ls -la; return 1; }
}

# one_example COMMAND ROW: as ROW says
one_example() {
	local does=${2#* ~ } file=${2#* -> }

	if [[ $2 == *' -> '* ]]; then
		grep -qF -- "${file#*: }" "$PAI_SOURCE/${file%%: *}" || { echo "not in ${file%%: *}: ${file#*: }"; return 1; }
		echo "# not run here, but in ${file%%: *}: $1" >&3
	elif [[ $does == *' ~ '* ]]; then
		ends_well "$1" "${does%% ~ *}" "${does#* ~ }"
	else
		ends_well "$1" "$does" true
	fi
}

# examples DOCUMENT: its commands do, in their order, what the rows on standard input say:
#   PIECE ~ PATTERN [~ CHECK]    the command that has PIECE ends well
#   PIECE -> FILE: CORE          it is not run, for FILE, another test, runs it: CORE is in there
# A command without a row is an error, and so is a row without a command.
examples() {
	local commands rows command i

	mapfile -t commands < <(shown "$1")
	mapfile -t rows
	for command in "${commands[@]}"; do
		for i in "${!rows[@]}"; do
			local row=${rows[i]} piece=${rows[i]%% ~ *}
			[[ $command == *"${piece%% -> *}"* ]] || continue
			one_example "$command" "$row" || return 1
			unset "rows[i]"
			continue 2
		done
		echo "$1: no test says what this does: $command"
		return 1
	done
	[ "${#rows[@]}" = 0 ] || { printf '%s does not show: %s\n' "$1" "${rows[@]}"; return 1; }
}
