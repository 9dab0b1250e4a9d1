# SPDX-License-Identifier: Apache-2.0
# bats file_tags=sandbox
# Every example of the man pages and of the README, as it stands there.

load helper

# What their files hold.
prepare() {
	mkdir bin src
	printf '#!/bin/bash\nexec %s "$@"\n' "${pai[*]@Q}" >bin/pai-exec
	printf '#!/bin/bash\nexec %s "$@"\n' "${as_user[*]@Q} ${PAI_BUILD@Q}/pai-session" >bin/pai-session
	chmod 755 bin/*
	cp "$PAI_SOURCE/deploy/examples/sales.csv" .
	printf 'a,b\n1,2\n' >data.csv
	printf 'import sys\nprint(sys.argv[1:], len(sys.stdin.read()))\nopen("job.txt", "w").write("job")\n' >job.py
	printf 'print(len(open("sales.csv").readlines()) > 9)\nopen("report.txt", "w").write("r")\n' >report.py
	printf 'open("made.txt", "w").write("made")\n' >make.py
	printf 'open("used.txt", "w").write(open("made.txt").read() + " and used")\n' >use.py
	echo inside >src/file
	[ -z "${as_user[*]}" ] || chown -R 12345 .
	export PATH=$work/bin:$PATH XDG_STATE_HOME=$work/state
}

# The examples of a man page, as a reader has them.
of_page() {
	sed -n 's/^\.Dl \$ //p' "$PAI_SOURCE/man/$1" | sed 's/\\(dq/"/g; s/\\e/\\/g; s/\\&//g'
}

# right PATTERN EXAMPLE: it ends with 0 and prints that
right() {
	local said

	said=$(bash -c "$2" </dev/null 2>err) || { echo "$2: status $?"; cat err; return 1; }
	[[ $said =~ $1 ]] || { printf '%s\nprints: %s\nwanted: %s\n' "$2" "$said" "$1"; return 1; }
}

# all NAME=PATTERN...: each example on standard input has its pattern by a piece of it
all() {
	local example row n=0

	while read -r example; do
		for row; do
			[[ $example == *"${row%%~*}"* ]] || continue
			right "${row#*~}" "$example"
			n=$((n + 1))
			continue 2
		done
		echo "no pattern for: $example"
		return 1
	done
	[ "$n" = "$#" ]
}

@test "pai-exec(1): its examples" {
	prepare
	all "printf 'print(40+2)'~^42\$" "seq 10~^\$" "use.py~^\$" "x * 7~^42\$" "1/0~^ZeroDivisionError\$" < <(of_page pai-exec.1)
	[ "$(cat out/n)" = 1 ]
	[ "$(cat out/used.txt)" = 'made and used' ]
}

@test "pai-exec-result(5): its examples" {
	prepare
	all "6*7~^42\$" "ndjson~^\[\] 0\$" < <(of_page pai-exec-result.5)
}

@test "pai-session(1): its examples" {
	prepare
	all "put demo~^\$" "describe()~^\$" "get demo~^\$" "fork demo~" "del pandas~^\$" "rewind trial~" < <(of_page pai-session.1)
	grep -q '^count,' sum.csv
}

@test "the README's ten uses" {
	prepare
	awk '/^```/ { screen = !screen } !screen && sub(/^    /, "")' "$PAI_SOURCE/README.md" | sed '/^deploy/d; /^pai-exec --session/,$d' >uses
	[ "$(wc -l <uses)" = 10 ]
	all "printf 'print(40+2)'~^42\$" "job.py a b~^\['a', 'b'\] 8\$" "report.py~^True\$" "tar -c src~" \
		"math.comb~^137846528820\$" "describe()'~<table" "ndjson~\"start\".*\"end\"" "sort -r~^3.2.1\$" \
		"sha256sum~^\[\] 0\$" "xargs~\['sales.csv'\] 0" <uses
	[ "$(cat out/job.txt out/report.txt job.txt kept/job.txt data.csv.d/job.txt sales.csv.d/job.txt)" = jobrjobjobjobjob ]
}

@test "the README's screens are what their commands print" {
	prepare
	# all of it runs as that user
	printf '#!/bin/bash\nexec %s "$@"\n' "${pai[*]:${#as_user[@]}}" >bin/pai-exec
	TMPDIR=$work "${as_user[@]}" "$PAI_SOURCE/t/screens"
}
