# SPDX-License-Identifier: Apache-2.0
# bats file_tags=sandbox
# Every example of the documents, as it stands there.

load helper
load examples

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
	printf 'import pathlib\npathlib.Path("tested.txt").write_text("tested")\n' >test_it.py
	printf 'import unittest\nclass T(unittest.TestCase):\n    def test(self): pass\n' >>test_it.py
	echo inside >src/file
	[ -z "${as_user[*]}" ] || chown -R 12345 .
	export PATH=$work/bin:$PATH XDG_STATE_HOME=$work/state
}

@test "every document with an example has its test" {
	local document
	cd "$PAI_SOURCE"
	for document in man/*.[1-9] *.md deploy/*/*.md; do
		[ -z "$(shown "$document")" ] || grep -qE "(^|[ ;[:space:]])examples $document( |'|\$)" t/15-examples.bats t/82-image.bats ||
			{ echo "$document: none"; return 1; }
	done
}

@test "pai-exec(1): its examples" {
	prepare
	examples man/pai-exec.1 <<-'END'
		printf 'print(40+2)' ~ ^42$
		seq 10 ~ ^$ ~ [ "$(cat out/n)" = 1 ]
		use.py ~ ^$ ~ [ "$(cat out/used.txt)" = 'made and used' ]
		-m unittest ~ ^$ ~ [ "$(cat out/tested.txt)" = tested ]
		x * 7 ~ ^42$
		1/0 ~ ^ZeroDivisionError$
	END
}

@test "pai-exec(1): its lines of --status-fd and --usage" {
	local form='s/=[0-9.]+/=N/g; s/(start|backend)=[a-z]+/\1=W/g'
	grep -oE '^\.Dl (status|real)=.*' "$PAI_SOURCE/man/pai-exec.1" | cut -c 5- | sed -E "$form" >told
	[ "$(wc -l <told)" = 2 ]
	pai --usage=usage --status-fd=5 -c 0 5>got
	diff told <(cat got usage | sed -E "$form")
	diff <(sed -n '2s/^/pai-exec: /p' told) <(pai --usage -c 0 2>&1 | sed -E "$form")
}

@test "pai-exec-result(5): its examples" {
	prepare
	examples man/pai-exec-result.5 <<-'END'
		6*7 ~ ^42$
		ndjson ~ ^\[\] 0$
	END
}

@test "pai-session(1): its examples" {
	prepare
	examples man/pai-session.1 <<-'END'
		put demo ~ ^$
		read_csv ~ ^$
		describe() ~ ^$
		get demo ~ ^$ ~ grep -q '^count,' sum.csv
		fork demo ~ ^
		dropna ~ ^$
		rewind trial ~ ^ ~ [ "$(pai-exec -s trial -c 'len(d)')" = 4000 ]
	END
}

@test "pai-exec.yaml(5): its sample and its example" {
	prepare
	mkdir -p .config/pai cache
	export XDG_CACHE_HOME=$work/cache
	awk '/^\.Ed/ { literal = 0 } literal; /^\.Bd -literal/ { literal = 1; n++ } END { exit n != 1 }' \
		"$PAI_SOURCE/man/pai-exec.yaml.5" | sed 's/\\(dq/"/g' >.config/pai/pai.yaml
	[ -z "${as_user[*]}" ] || chown -R 12345 .config cache
	examples man/pai-exec.yaml.5 <<-'END'
		--check ~ defaults.timeout = 2m, by .*/pai.yaml:9
	END
	pai --json --script -c 'import os, scipy.stats; print(os.environ["STAGE"], os.environ["GREETING"])' >got
	[ "$(jq -c '[.stdout, .limits.timeout_ms, .limits.memory_bytes]' got)" = '["test hello, world\n",120000,2147483648]' ]
	if [ "${PAI_START:-}" != fresh ]; then
		pai --json --script -c 'import sys; print({"pandas", "scipy.stats"} <= sys.modules.keys()); import pandas, scipy.stats' >got
		[ "$(jq -c '[.stdout, .backend.start]' got)" = '["True\n","warm"]' ]
	fi
}

@test "README.md: its examples" {
	prepare
	examples README.md <<-'END'
		deploy/try  -> deploy/check: "deploy/try && PAI_SANDBOX=
		deploy/check  -> deploy/check: deploy/check gcc sandbox"
		printf 'print(40+2)' ~ ^42$
		job.py a b ~ ^\['a', 'b'\] 8$ ~ [ "$(cat out/job.txt)" = job ]
		report.py ~ ^True$ ~ [ "$(cat out/report.txt)" = r ]
		tar -c src ~ ^$ ~ [ "$(cat job.txt)" = job ]
		math.comb ~ ^137846528820$
		describe()' ~ <table
		ndjson ~ "start".*"end"
		sort -r ~ ^3.2.1$
		sha256sum ~ ^\[\] 0$ ~ [ "$(cat kept/job.txt)" = job ]
		xargs ~ \['sales.csv'\] 0 ~ [ "$(cat data.csv.d/job.txt sales.csv.d/job.txt)" = jobjob ]
		pai-exec --session=sales -i sales.csv ~ ^$
		df.describe() ~ <table
		df.plot ~ figure-1.png ~ [ "$(head -c 4 out/figure-1.png | tail -c 3)" = PNG ]
		pai-session fork sales other ~ ^ ~ pai-session show other && [ "$(pai-session list --json | jq length)" = 2 ]
		pai-image build --name=nlp -> t/82-image.bats: build --name=nlp --requirements=requirements.txt ~
		pai-exec --image=nlp job.py -> t/82-image.bats: --image=nlp job.py ~
		deploy/deb build-deb -> t/deb: "$top/deploy/deb" "${args[@]}" "$out"
		sudo apt install -> t/deb: install_all /debs/pai-exec_*.deb
		sudo pai-image build -> deploy/try: "$here/build-image" --guest="$build/pai-guest" "$image"
		pai-exec --check ~ a program ran in
	END
}

@test "the README's screens are what their commands print" {
	prepare
	# all of it runs as that user
	printf '#!/bin/bash\nexec %s "$@"\n' "${pai[*]:${#as_user[@]}}" >bin/pai-exec
	TMPDIR=$work "${as_user[@]}" "$PAI_SOURCE/t/screens"
}

@test "deploy/mcp/README.md: its examples" {
	python3 -c 'import ensurepip, venv' 2>/dev/null || skip 'python3-venv is missing'
	# In the place of an index a folder that has the package by its name only: t/88 has it whole.
	mkdir wheels
	python3 - <<-'EOS'
		import zipfile
		with zipfile.ZipFile("wheels/mcp-2.0-py3-none-any.whl", "w") as z:
		    at = "mcp-2.0.dist-info/"
		    z.writestr(at + "METADATA", "Metadata-Version: 2.1\nName: mcp\nVersion: 2.0\n")
		    z.writestr(at + "WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
		    z.writestr(at + "RECORD", "")
	EOS
	export PIP_CONFIG_FILE=/dev/null PIP_NO_INDEX=1 PIP_FIND_LINKS=$PWD/wheels PIP_DISABLE_PIP_VERSION_CHECK=1
	examples deploy/mcp/README.md <<-'END'
		python3 -m venv ~ ^$
		pip install ~ mcp-2.0 ~ .local/share/pai-exec-mcp/bin/python -c 'import importlib.metadata as m; m.version("mcp")'
		{"mcpServers" -> t/88-mcp.bats: .mcpServers
		"command" -> t/88-mcp.bats: .command
		"args" -> t/88-mcp.bats: .args
	END
}

@test "deploy/mcp/README.md: its options and their defaults are the server's" {
	awk '/^\| option/ { on = 1 } !/^\|/ { on = 0 } on' "$PAI_SOURCE/deploy/mcp/README.md" >table
	local default
	while read -r name default; do
		grep -qF -- "\`$name=" table || { echo "no $name"; return 1; }
		[ -z "$default" ] || grep -F -- "\`$name=" table | grep -qE "[(, ]${default}[,);]" || { echo "$name: not $default"; return 1; }
	done < <(sed -nE 's/^ *p\.add_argument\("(--[a-z-]+)"(.*default="?([0-9A-Z]+)"?[,)])?.*/\1 \3/p' "$PAI_SOURCE/deploy/mcp/pai-exec-mcp")
	[ "$(grep -oE -- '--[a-z-]+=' table | wc -l)" = "$(grep -c add_argument "$PAI_SOURCE/deploy/mcp/pai-exec-mcp")" ]
}
