# SPDX-License-Identifier: Apache-2.0
# bats file_tags=sandbox
# Recipes of deploy/examples that need nothing but this machine.

load helper

# pai-exec by its name, as the recipes call it
on_path() {
	local called=("$PAI_BUILD/pai-exec" "${fresh[@]}" ${PAI_IMAGE:+--image="$PAI_IMAGE"})
	mkdir -p bin
	printf '#!/bin/bash\nexec %s "$@"\n' "${called[*]@Q}" >bin/pai-exec
	ln -s "$PAI_BUILD/pai-session" bin/
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
	[ ! -e gone ]
	[ ! -e "made/${names[2]}/lines" ]
	[ "$(awk -F '\t' 'NR > 1 { print $1, $7 }' made/joblog | sort)" = $'1 0\n2 0\n3 7' ]
	seq 4 >"${names[2]}"
	rm made/one/lines
	run -0 "${as_user[@]}" bash "$PAI_SOURCE/deploy/examples/parallel.sh" job.py made "${names[@]}"
	[ "$(cat "made/${names[2]}/lines")" = 4 ]
	[ ! -e made/one/lines ]
	run -2 bash "$PAI_SOURCE/deploy/examples/parallel.sh"
}

@test "the lines of crontab, as cron runs them" {
	on_path
	"${as_user[@]}" mkdir night
	cp "$PAI_SOURCE"/deploy/examples/sales.csv night
	echo 'open("n", "w").write(str(len(open("sales.csv").readlines())))' >night/job.py
	# after five times; \% is cron's word for %
	line=$(sed -n 's/^30 2 \* \* \*\t//p' "$PAI_SOURCE/deploy/examples/crontab" | sed 's/\\%/%/g')
	[ -n "$line" ]
	by_cron() {
		"${as_user[@]}" env -i HOME="$work" PATH="$PATH" XDG_CACHE_HOME="$XDG_CACHE_HOME" PAI_CONFIG_NOSYSTEM=1 \
			/bin/sh -c "$1" </dev/null
	}
	run -0 by_cron "$line"
	[ -z "$output" ]
	[ "$(cat night/out-????-??-??/n)" = 4001 ]
	# what fails is mailed, even if it says nothing; what is left out is not
	printf 'import sys\nprint("why", flush=True)\nsys.exit(3)\n' >night/job.py
	run -0 by_cron "$line"
	[ "$output" = $'status 3\nwhy' ]
	exec 7>night/lock
	flock 7
	run -0 by_cron "$line"
	exec 7>&-
	[ -z "$output" ]
	# the other line, where there is something to remove
	pai -s old -nc 1
	find .local/state/pai/sessions/old -exec touch -d '40 days ago' {} +
	line=$(sed -n 's/^15 4 \* \* 0\t//p' "$PAI_SOURCE/deploy/examples/crontab")
	[ -n "$line" ]
	run -0 by_cron "$line"
	[ -z "$output" ]
	[ ! -e .local/state/pai/sessions/old ]
	[ "$(grep -cE '^[0-9]' "$PAI_SOURCE/deploy/examples/crontab")" = 2 ]
}

@test "the lines at the head of slurm-array.sbatch, by a stand-in for sbatch" {
	on_path
	# t/slurm has it on a real Slurm
	cat >bin/sbatch <<-'S'
		#!/bin/bash
		last=${1#--array=1-}
		export SLURM_CPUS_PER_TASK=1 SLURM_ARRAY_TASK_ID
		for ((SLURM_ARRAY_TASK_ID = 1; SLURM_ARRAY_TASK_ID <= ${last%\%20}; SLURM_ARRAY_TASK_ID++)); do bash "${@:2}" || exit; done
	S
	chmod 755 bin/sbatch
	"${as_user[@]}" mkdir data
	cp "$PAI_SOURCE/deploy/examples/"{sales.csv,slurm-array.sbatch} .
	cp "$PAI_SOURCE/deploy/examples/summary.py" job.py
	cp sales.csv data/one.csv
	cp sales.csv data/two.csv
	sed -n '/^#   /s/^# *//p' slurm-array.sbatch >lines
	[ "$(wc -l <lines)" = 3 ]
	PAI_NODE_CACHE=$XDG_CACHE_HOME "${as_user[@]}" bash -e lines
	[ -d logs ]
	[ -s out/one.csv/summary.csv ]
	[ -s out/two.csv/summary.csv ]
}

@test "the step of github-actions.yml and of gitlab-ci.yml" {
	on_path
	"${as_user[@]}" mkdir data
	cp "$PAI_SOURCE/deploy/examples/sales.csv" data
	cp "$PAI_SOURCE/deploy/examples/sales.py" analyse.py
	mapfile -t steps < <(sed -nE 's/^ *(run:|-) (pai-exec .*)/\2/p' "$PAI_SOURCE"/deploy/examples/{github-actions,gitlab-ci}.yml)
	[ "${#steps[@]}" = 2 ]
	for step in "${steps[@]}"; do
		rm -rf out
		run -0 "${as_user[@]}" bash -c "$step"
		[ -s out/report.xlsx ]
	done
}

@test "the kubectl line of kubernetes-job.yaml" {
	line=$(grep -o 'kubectl create .*' "$PAI_SOURCE/deploy/examples/kubernetes-job.yaml")
	command -v kubectl >/dev/null || skip "no kubectl here: $line"
	echo 'print(1)' >job.py
	bash -c "$line --dry-run=client -o name" | grep -qx configmap/program
}

@test "make-sales.py makes sales.csv" {
	python3 "$PAI_SOURCE/deploy/examples/make-sales.py" | cmp - "$PAI_SOURCE/deploy/examples/sales.csv"
}
