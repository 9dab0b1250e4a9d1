# SPDX-License-Identifier: Apache-2.0
# What holds pai-exec's results against a notebook's (t/golden), by itself: no sandbox.

bats_require_minimum_version 1.5.0

setup_file() {
	golden=$(cd "$BATS_TEST_DIRNAME/golden" && pwd)
	export golden
	mkdir "$BATS_FILE_TMPDIR/out"
	"$golden/pretend" "$BATS_FILE_TMPDIR/out"
}

setup() {
	out=$BATS_TEST_TMPDIR/out
	cp -r "$BATS_FILE_TMPDIR/out" "$out"
	: >"$BATS_TEST_TMPDIR/none"
}

# change CELL FILTER: the cell's object, changed by jq
change() {
	jq -c "$2" "$out/$1.json" >"$out/new"
	mv "$out/new" "$out/$1.json"
}

compare() { "$golden/compare" --differences="${stated:-$BATS_TEST_TMPDIR/none}" "$@"; }

# differs CELL LINE [DIFFERENCE]: compare says so of this cell
differs() {
	[ -z "${3:-}" ] || printf '%s\n' "$3" >"$BATS_TEST_TMPDIR/none"
	run -1 compare --cell="$1" "$out"
	[[ "$output" = *"not ok 1 - $1"*"# $2"* ]] || {
		echo "$output"
		return 1
	}
}

# differ <CELL FILTER LINE, parted by tabs: the same of many cells at once, each changed
differ() {
	local i cell filter line cells=() wanted=()

	while IFS=$'\t' read -r cell filter line; do
		change "$cell" "$filter"
		cells+=("$cell") wanted+=("$line")
	done
	run -1 compare "${cells[@]/#/--cell=}" "$out"
	for i in "${!cells[@]}"; do
		line=$(sed -n "/^not ok [0-9]* - ${cells[i]}\$/,/^[^#]/p" <<<"$output")
		[[ $line = *"# ${wanted[i]}"* ]] || {
			echo "${cells[i]}: $output"
			return 1
		}
	done
}

@test "each cell has what is expected of it, and nothing else is expected" {
	cd "$golden"
	expected=(expected/*.json)
	expected=("${expected[@]#expected/}")
	diff <(printf '%s\n' "${expected[@]%.json}" | LC_ALL=C sort) \
		<(python3 -B -c 'import golden; print(*golden.names(), sep="\n")' | LC_ALL=C sort)
}

@test "what a notebook gives is right" {
	run -0 compare "$out"
	[ "$(grep -c '^ok' <<<"$output")" -ge 40 ]
}

@test "a stream, a status, an error that is not the notebook's" {
	differ <<-'END'
		01-last-value	.stdout += "x"	stdout: 'a\nb\nx'
		04-none	.stderr = "w"	stderr: 'w'
		84-error	.exit_code = 0	exit: 0
		85-error-chained	.error.name = "KeyError"	error: 'KeyError'
		86-error-group	.error.value = ""	error.value: ''
		91-error-notes	.error.traceback = "\u001b[31m" + .error.traceback	the traceback has '\x1b'
		94-error-name	.error.traceback |= sub("line 2"; "line 3")	traceback: 'Traceback
		67-class-html-raises	.stderr = ""	shown: ['ValueError: no html']
	END
}

@test "a result that is missing, one too many, another order, another value" {
	differ <<-'END'
		05-display-several	del(.results[0])	results: 4
		34-plot-last-expression	.results += [.results[1]]	results: 3
		23-frame-and-transposed	.results |= reverse | .text = .results[0].text	0.html: '<div>
		15-frame	.results[0].html |= sub("Oslo"; "oslo")	0.html: '<div>
		02-assignment	.results = [{"text": "5", "is_main_result": false}]	results: 1
		13-deep-list	.results[0].is_main_result = false | .text = null	0.main: False
		30-plot-show	.results[0].chart.type = "bar"	0.chart.type: 'bar', and 'line' is right
		57-display-objects	.results[5].json.a[0] = 1.5	5.json: {
	END
}

@test "a picture is one, of the same size but for a few pixels" {
	# bytes 16 to 23 of a PNG: width and height
	larger() { base64 -d | perl -0777 -pe 'substr($_, 19, 1) = chr(ord(substr($_, 19, 1)) + '"$1"')' | base64 -w 0; }
	png=$(jq -r .png "$out/30-plot-show.json")
	change 30-plot-show ".png = \"$(larger 3 <<<"$png")\" | .results[0].png = .png"
	run -0 compare --cell=30-plot-show "$out"
	change 30-plot-show ".png = \"$(larger 4 <<<"$png")\" | .results[0].png = .png"
	differs 30-plot-show "0.png: 'PNG 560x433'"
	change 30-plot-show '.png = "aGVsbG8=" | .results[0].png = .png'
	differs 30-plot-show "0.png: '5 bytes of no kind'"
}

@test "what changes from run to run is no difference" {
	change 44-plot-lines-as-value '.text = "[<matplotlib.lines.Line2D at 0x7e9bea543620>]" | .results[0].text = .text'
	change 80-warning '.stderr |= gsub("<cell>"; "<string>")'
	change 87-error-syntax '.error.value |= gsub("<cell>"; "<stdin>")'
	run -0 compare "$out"
}

@test "an object that is not strict JSON, not consistent, or not there" {
	differ <<-'END'
		02-assignment	.text = "5"	text is not the main result's
		05-display-several	.results[0].is_main_result = true	2 main results
		15-frame	.results[0]["text/html"] = ""	result 0 has the unknown key text/html
	END
	sed -i 's/"ok"/NaN/' "$out/01-last-value.json"
	differs 01-last-value 'ValueError: NaN is no JSON'
	sed -i 's/shown/\\ud800/' "$out/03-semicolon.json"
	differs 03-semicolon 'UnicodeEncodeError: '
	rm "$out/04-none.json"
	differs 04-none 'FileNotFoundError: '
}

@test "a difference that is stated is none, but must be" {
	stated=$BATS_TEST_TMPDIR/stated
	printf '%s\n' '# why' '01-last-value stdout it says more' '01-last-value +0 it shows more' \
		'05-display-several -1 it shows less' '05-display-several 1.text it is other' >"$stated"
	change 01-last-value '.stdout += "x" | .results = [.results[0] * {is_main_result: false}] + .results'
	change 05-display-several 'del(.results[1]) | .results[1].text = "[4]"'
	run -0 compare "$out"
	[[ "$output" = *"# stdout differs: it says more"*"# 1.text differs: it is other"* ]]
	stated=
	differs 04-none 'stdout is stated to differ, but does not' '04-none stdout no reason'
	differs 02-assignment '' '02-assignment -0 there is none'
	[[ "$output" = *'-0 is stated, and there is no such result'* ]]
	printf '05-no-cell stdout x\n' >"$BATS_TEST_TMPDIR/none"
	run -1 compare --cell=06-unicode "$out"
	[[ "$output" = *'# 05-no-cell is no cell'* ]]
}

@test "two backends give the same, but for time, cost and themselves" {
	cp -r "$out" "$BATS_TEST_TMPDIR/other"
	change 01-last-value '.timing = {run_ms: 1} | .backend = {name: "x"}'
	run -0 "$golden/compare" "$out" "$BATS_TEST_TMPDIR/other"
	change 30-plot-show '.png |= sub("J"; "K")'
	change 99-streams-of-python '.files = []'
	run -1 "$golden/compare" "$out" "$BATS_TEST_TMPDIR/other"
	[ "$(grep -c '^not ok' <<<"$output")" = 2 ]
}
