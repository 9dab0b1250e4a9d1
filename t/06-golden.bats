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
	change 01-last-value '.stdout += "x"'
	differs 01-last-value "stdout: 'a\nb\nx'"
	change 04-none '.stderr = "w"'
	differs 04-none "stderr: 'w'"
	change 84-error '.exit_code = 0'
	differs 84-error 'exit: 0'
	change 85-error-chained '.error.name = "KeyError"'
	differs 85-error-chained "error: 'KeyError'"
	change 86-error-group '.error.value = ""'
	differs 86-error-group "error.value: ''"
	change 91-error-notes '.error.traceback = "\u001b[31m" + .error.traceback'
	differs 91-error-notes "the traceback has '\x1b'"
	change 94-error-name '.error.traceback |= sub("line 2"; "line 3")'
	differs 94-error-name 'traceback: '
	change 67-class-html-raises '.stderr = ""'
	differs 67-class-html-raises "shown: ['ValueError: no html']"
}

@test "a result that is missing, one too many, another order, another value" {
	change 05-display-several 'del(.results[0])'
	differs 05-display-several 'results: 4'
	change 34-plot-last-expression '.results += [.results[1]]'
	differs 34-plot-last-expression 'results: 3'
	change 23-frame-and-transposed '.results |= reverse | .text = .results[0].text'
	differs 23-frame-and-transposed '0.html: '
	change 15-frame '.results[0].html |= sub("Oslo"; "oslo")'
	differs 15-frame '0.html: '
	change 02-assignment '.results = [{"text": "5", "is_main_result": false}]'
	differs 02-assignment 'results: 1'
	change 13-deep-list '.results[0].is_main_result = false | .text = null'
	differs 13-deep-list '0.main: False'
	change 30-plot-show '.results[0].chart.type = "bar"'
	differs 30-plot-show "0.chart.type: 'bar', and 'line' is right"
	change 57-display-objects '.results[5].json.a[0] = 1.5'
	differs 57-display-objects '5.json: '
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
	sed -i 's/"ok"/NaN/' "$out/01-last-value.json"
	differs 01-last-value 'ValueError: NaN is no JSON'
	change 02-assignment '.text = "5"'
	differs 02-assignment "text is not the main result's"
	change 05-display-several '.results[0].is_main_result = true'
	differs 05-display-several '2 main results'
	change 15-frame '.results[0]["text/html"] = ""'
	differs 15-frame 'result 0 has the unknown key text/html'
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
