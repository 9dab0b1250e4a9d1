# SPDX-License-Identifier: Apache-2.0
# bats file_tags=sandbox
# Recipes of deploy/examples that need nothing but this machine.

load helper

# pai-exec by its name, as the recipes call it
on_path() {
	local called=("$PAI_BUILD/pai-exec" "${fresh[@]}" ${PAI_IMAGE:+--image="$PAI_IMAGE"})
	mkdir -p bin
	printf '#!/bin/bash\nexec %s "$@"\n' "${called[*]@Q}" >bin/pai-exec
	chmod 755 bin/pai-exec
	export PATH=$work/bin:$PATH TMPDIR=$work
}

@test "parallel.sh: a run for each file, and again only for what failed" {
	command -v parallel >/dev/null || skip 'GNU parallel is missing'
	on_path
	cat >job.py <<-'P'
		import os, sys
		name, = sys.argv[1:]
		n = len(open(name).readlines())
		if n == 3:
		    sys.exit(7)
		open("lines", "w").write(str(n))
		print(os.listdir())
	P
	local names=(one 'two words' "three'\$(touch gone)") i=0
	for name in "${names[@]}"; do
		seq $((++i)) >"$name"
	done
	run -1 "${as_user[@]}" bash "$PAI_SOURCE/deploy/examples/parallel.sh" job.py made "${names[@]}"
	[ "$(cat made/one/lines)" = 1 ]
	[ "$(cat 'made/two words/lines')" = 2 ]
	[ ! -e gone ] && [ ! -e "made/${names[2]}/lines" ]
	[ "$(awk -F '\t' 'NR > 1 { print $1, $7 }' made/joblog | sort)" = $'1 0\n2 0\n3 7' ]
	seq 4 >"${names[2]}"
	rm made/one/lines
	run -0 "${as_user[@]}" bash "$PAI_SOURCE/deploy/examples/parallel.sh" job.py made "${names[@]}"
	[ "$(cat "made/${names[2]}/lines")" = 4 ]
	[ ! -e made/one/lines ]
	run -2 bash "$PAI_SOURCE/deploy/examples/parallel.sh"
}

@test "the line of crontab, as cron runs it" {
	on_path
	"${as_user[@]}" mkdir night
	cp "$PAI_SOURCE"/deploy/examples/sales.csv night
	echo 'open("n", "w").write(str(len(open("sales.csv").readlines())))' >night/job.py
	# after five times; \% is cron's word for %
	line=$(sed -n 's/^30 2 \* \* \*\t//p' "$PAI_SOURCE/deploy/examples/crontab" | sed 's/\\%/%/g')
	[ -n "$line" ]
	run -0 "${as_user[@]}" env -i HOME="$work" PATH="$PATH" XDG_CACHE_HOME="$XDG_CACHE_HOME" PAI_CONFIG_NOSYSTEM=1 \
		/bin/sh -c "$line" </dev/null
	[ -z "$output" ]
	[ "$(cat night/out-????-??-??/n)" = 4001 ]
}
