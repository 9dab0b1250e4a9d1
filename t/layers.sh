#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# layers [TOP] - the shape of the tree, as a test (TAP): includes go downward,
# files and functions keep their size, each header compiles alone.
set -u
top=${1:-${srcdir:-.}}
n=0
failed=0

# The folders of lib/, each with those that it may include besides itself.
table='
base:
plan: base
wire: base
in: base plan wire
guest: base wire
state: base
host: base
out: base plan wire state
backend: base plan wire state host
run: base plan wire in state host out backend
'

report() {	# report WHAT LINES: ok if there are no lines
	n=$((n + 1))
	if [ -z "$2" ]; then
		printf 'ok %d - %s\n' "$n" "$1"
	else
		printf 'not ok %d - %s\n' "$n" "$1"
		printf '%s\n' "$2" | sed 's/^/# /'
		failed=1
	fi
}

bad=$(
	while IFS=: read -r folder may; do
		[ -n "$folder" ] || continue
		grep -Hn '^#include "' "$top/lib/$folder"/*.[ch] | while IFS=: read -r file line text; do
			to=${text#*\"}
			to=${to%%/*}
			case " $folder $may " in
			*" $to "*) ;;
			*) echo "${file#"$top"/}:$line: $text" ;;
			esac
		done
	done <<<"$table"
)
report 'includes go downward' "$bad"

bad=$(for d in "$top"/lib/*/; do
	d=$(basename "$d")
	grep -q "^$d:" <<<"$table" || echo "lib/$d is not in the table of t/layers"
done)
report 'every folder of lib/ has its layer' "$bad"

mapfile -t sources < <(find "$top/cmd" "$top/lib" "$top/t" -name '*.[ch]')
# and what is no C: programs by their first line (-I: not what is built), but what people write (cells, cases)
mapfile -t others < <(grep -rIlE '^#!|SPDX-License-Identifier' "$top/cmd" "$top/completions" "$top/deploy" "$top/t" --exclude-dir={cases,cells,corpus} --exclude='*.[cho]')
bad=$(wc -l "${sources[@]}" "${others[@]}" | awk '$2 != "total" && $1 > 500 {print $2 ": " $1 " lines"}')
report 'no file has more than 500 lines' "$bad"

# A function ends at a brace in the first column; it begins after the one before.
bad=$(awk 'FNR == 1 {start = 0}
	/^[a-zA-Z].*[^;,]$/ && !/^(struct|enum|static const|const|typedef|#)/ && !/=/ {start = FNR}
	/^}/ {if (start && FNR - start > 60) print FILENAME ":" start ": " FNR - start " lines"; start = 0}' "${sources[@]}")
report 'no function has more than 60 lines' "$bad"

bad=$(find "$top/cmd" "$top/lib" -name '*.h' | while read -r header; do
	${CC:-cc} -std=gnu11 -D_GNU_SOURCE -I"$top/lib" -I"$top/cmd" -fsyntax-only -x c "$header" 2>&1 |
		grep -E 'error' | head -n 2
done)
report 'every header compiles alone' "$bad"

bad=$(find "$top/cmd" "$top/lib" "$top/t" "$top/deploy" -type f \( -name '*.[ch]' -o -name '*.py' -o -name '*.bats' -o -name '*.bash' \) ! -path "*/t/cases/*" ! -path "*/t/golden/cells/*" ! -path "*/t/golden/sessions/*" \
	-exec grep -L 'SPDX-License-Identifier: Apache-2.0' {} +)
report 'every source names its licence' "$bad"

# set -e passes over them where they are not the last: one condition a line, and run -1.
bad=$(grep -nE '^[[:space:]]+(\[.*\] && \[.*\]|! [^|]*)$' "$top"/t/*.bats "$top"/t/hostile/*.bats | grep -v ' || ')
report 'every condition of a bats test counts' "$bad"

printf '1..%d\n' "$n"
exit "$failed"
