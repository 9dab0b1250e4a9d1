# SPDX-License-Identifier: Apache-2.0
# The command line, as far as nothing is started.

load helper

@test "an unknown option is named, with the way out" {
	refused 125 "--no-such-option: unknown option; 'pai-exec --help' shows all" --no-such-option
	refused 125 "--no-such: unknown option; 'pai-exec --help' shows all" --no-such=3
	refused 125 "-Z: unknown option; 'pai-exec --help' shows all" -Z
	refused 125 "-é: unknown option; 'pai-exec --help' shows all" -né -c 1
	refused 125 "-\\xe9: unknown option; 'pai-exec --help' shows all" $'-\xe9'
}

@test "an ambiguous option is told as such" {
	refused 125 "--i: could be several options; 'pai-exec --help' shows all" --i=x
}

@test "an option without its value is named" {
	refused 125 "--timeout: needs TIME behind it" --timeout
	refused 125 "--output-dir: needs DIR behind it" -o
	refused 125 "--json: takes no value" --json=yes
}

@test "a bad time names the option and the value" {
	local tail="is not a time from 1 ms to 604800 s or 'none' (as in 10, 1.5s, 2m, 1h)"
	for bad in soon -1 0 1e9 '' ' 1' 1.0005 8d; do
		refused 125 "--timeout: '$bad' $tail" --timeout="$bad" x.py
	done
	refused 125 "--kill-after: 'none' is not a time from 0 s to 3600 s (as in 10, 1.5s, 2m, 1h)" -k none x.py
}

@test "a bad size or count names the option and the value" {
	local tail='(as in 512M or 2G)'
	refused 125 "--memory: '99999999999T' is not a size from 64M to 1T $tail" --memory=99999999999T
	refused 125 "--memory: '1M' is not a size from 64M to 1T $tail" --memory=1M
	refused 125 "--disk: '1.5G' is not a size from 1M to 1T $tail" --disk=1.5G
	refused 125 "--pids: '1' is not a number from 2 to 32768" --pids=1
	refused 125 "--cpus: '0' is not a number from 1 to 256" --cpus=0
	refused 125 "--max-stdout: '0' is not a size from 1 to 1T or 'none' $tail" --max-stdout=0
	refused 125 "--cpu-time: '0' is not a time from 10 ms to 604800 s or 'none' (as in 10, 1.5s, 2m, 1h)" --cpu-time=0
	refused 125 "--status-fd: '-1' is not a number from 0 to 1048576" --status-fd=-1 x.py
	refused 125 '--status-fd: descriptor 77 is not open for writing' --status-fd=77 -c 1
}

@test "a bad word names the option, the value and the words that are right" {
	refused 125 "--language: 'perl' is neither python nor shell" -l perl
	refused 125 "--color: 'red' is none of auto, always, never" --color=red x.py
	refused 125 "--format: 'xml' is none of text, json, ndjson" --format=xml x.py
	refused 125 "--backend: 'docker' is none of auto, firecracker, gvisor, off" -b docker x.py
	refused 125 'switched off by --backend=off' -b off -c 1
}

@test "a value that is too long is cut, not what is wrong with it" {
	long=$(printf '%05000d' 0)
	for words in "--timeout=s$long=is not a time" "--backend=$long=is none of auto" "-o $long=File name too long" \
		"-m $long=has 1 to 4096 bytes" "-i $long=SRC:NAME gives it one" "--image=./$long=does not exist"; do
		# shellcheck disable=SC2086 # words
		run -125 --separate-stderr pai-exec ${words%=*} -c 1
		[[ $stderr == 'pai-exec: '*"${words##*=}"* && ${#stderr} -lt 500 ]] || { echo "$stderr"; return 1; }
	done
	run -126 --separate-stderr pai-exec "$(printf 'é%.0s' {1..300})"
	[[ $stderr == "pai-exec: 'éé"*éé…éé*"éé': File name too long" ]]
	printf 'defaults: {memory: %s}' "${long:1000}" >long.yaml
	run -125 --separate-stderr pai-exec --config=long.yaml -c 1
	[[ $stderr == "pai-exec: long.yaml:1:20: defaults.memory: '000"*'(as in 512M or 2G)' ]]
}

@test "options that do not go together are refused" {
	refused 125 '--print-last: a shell program has no last expression' -p -l shell -c x
	refused 125 '--print-last: cannot be used with --module' -p -m x
	refused 125 '--module: there is a program already' -c 1 -m x
	refused 125 "--env: '=x' has no name before '='" -e =x
	refused 125 '--output-dir: an empty DIR' -o '' x.py
	refused 125 '--include: a GLOB has 1 to 4096 bytes' --include= x.py
	refused 125 '--manifest: needs --output-dir' --manifest=m x.py
	refused 125 "--manifest: 'no/such': No such file or directory" -o o --manifest=no/such x.py
}

@test "FILE that is not there is 127, one that cannot be read 126" {
	refused 127 "'none.py': No such file or directory" none.py
	refused 127 "'': no such file" ''
	mkdir folder
	refused 126 "'folder': is a folder" folder
	refused 126 "'/dev/null': is neither a regular file nor a pipe" /dev/null
	head -c 1100000 /dev/zero >long
	run -126 --separate-stderr pai-exec --disk=1M <(cat long)
	[[ $stderr == "pai-exec: '/dev/fd/"*"': more than --disk has room for" ]]
	run -125 --separate-stderr prlimit --stack=131072 "$PAI_BUILD/pai-exec" -c 1
	[ "$stderr" = "pai-exec: the caller's limit of the stack is 131072 (ulimit -s): too low" ]
}

@test "inputs are looked at before anything starts" {
	mkdir a b
	echo 1 >a/data.csv
	echo 2 >b/data.csv
	mkfifo fifo
	refused 125 "--input: 'none.csv': No such file or directory" -i none.csv -c 1
	refused 125 "--input: 'fifo' is neither a file nor a folder" -i fifo -c 1
	refused 125 "--input: '/dev/null' is neither a file nor a folder" -i /dev/null -c 1
	refused 125 "--input: 'a/data.csv' and 'b/data.csv' would both be 'data.csv' in /workspace; SRC:NAME gives one another name" \
		-i a/data.csv -i b/data.csv -c 1
	for words in '-i a/data.csv:x -i b/data.csv:x/y' '-i b/data.csv:x/y -i a/data.csv:x'; do
		# shellcheck disable=SC2086 # words
		refused 125 "--input: 'b/data.csv' would be 'x/y' in /workspace, where 'a/data.csv' is the file 'x'; SRC:NAME gives one another name" $words -c 1
	done
	refused 125 "--input: '/' has no name of its own; SRC:NAME gives it one" -i / -c 1
	refused 125 "--input: 'a/data.csv': '../x' cannot be a name in /workspace" -i a/data.csv:../x -c 1
	mkfifo a/pipe
	refused 125 "--input: 'a/pipe' is neither a file nor a folder nor a link" -i a -c 1
}

@test "DIR that cannot take files is named" {
	echo >file
	refused 125 "--output-dir: 'file': Not a directory" -o file -c 1
	for dir in no/such no/such//; do
		refused 125 "--output-dir: '$dir': there is no folder 'no' to make it in; mkdir -p makes both" -o "$dir" -c 1
	done
	refused 125 "--output-dir: make 'file/such': Not a directory" -o file/such -c 1
	run -125 pai-exec --json -o no/such -c 1
	[ "$(jq -r '[.started, .error.code] | @tsv' <<<"$output")" = $'false\toutput' ]
	[ ! -e no ]
}

@test "an image that cannot be used is named, with the cure" {
	mkdir -m 755 empty torn open new
	refused 125 "no image 'nope': neither $HOME/.local/share/pai/images/nope nor /var/lib/pai/images/nope exists; pai-image build --name=nope makes it" \
		--image=nope -c 1
	refused 125 "no image './nope': ./nope does not exist" --image=./nope -c 1
	export XDG_DATA_HOME=$work/data
	mkdir -p data/pai/images
	ln -s "$work/torn" data/pai/images/default
	refused 125 "--image: '..' is not the name of an image" --image=.. -c 1
	refused 125 "image './empty': ./empty/image.json: No such file or directory" --image=./empty -c 1
	echo '{"format": 1, "rootfs": {"digest": "sha256:00", "size": 100}}' | tee torn/image.json >open/image.json
	echo torn >torn/rootfs.erofs
	refused 125 "image './torn': ./torn/rootfs.erofs: 5 bytes instead of 100" --image=./torn -c 1
	refused 125 "image 'default': $work/data/pai/images/default/rootfs.erofs: 5 bytes instead of 100; pai-image build makes it" -c 1
	mkdir -m 755 half
	echo '{"format": 1, "rootfs": {"digest": "sha256:00", "size": 5}, "vmlinux": {"digest": "sha256:00", "size": 5}}' >half/image.json
	cp torn/rootfs.erofs half/vmlinux
	refused 125 "image './half': ./half/rootfs.erofs: No such file or directory" --image=./half -c 1
	cp torn/rootfs.erofs half/
	refused 125 "image './half': ./half/image.json: not an image description" --image=./half -c 1
	chmod 666 open/image.json
	refused 125 "image './open': ./open/image.json: others can write it; chmod go-w mends that" --image=./open -c 1
	echo '{"format": 9}' >new/image.json
	refused 125 "image './new': ./new/image.json: format 9 is newer than this pai-exec (1)" --image=./new -c 1
	echo '{"format": ' >new/image.json
	run -125 --separate-stderr pai-exec --image=./new -c 1
	[[ $stderr == "pai-exec: image './new': ./new/image.json: line "* ]]
}

@test "an image that may not be read is not one that is missing" {
	local lesser=()
	[ "$(id -u)" != 0 ] || lesser=(setpriv '--bounding-set=-dac_override,-dac_read_search')
	mkdir -p shut/pai/images/nope
	chmod 0 shut
	XDG_DATA_HOME=$work/shut run -125 "${lesser[@]}" "$PAI_BUILD/pai-exec" --image=nope -c 1
	chmod 700 shut
	[ "$output" = "pai-exec: image 'nope': $work/shut/pai/images/nope: Permission denied" ]
}

@test "with --json a failure is one object on standard output" {
	run -125 pai-exec --max-stderr=257M --json -c 1
	[ "$(jq -r .error.value <<<"$output")" = '--max-stderr: at most 256M with --json' ]
	run -125 --separate-stderr pai-exec --json --timeout=soon x.py
	# what depends on other options is not known yet
	[ "$(jq -c '.limits | [.disk_bytes, .max_stdout_bytes, .pids]' <<<"$output")" = '[null,null,256]' ]
	[ -z "$stderr" ]
	[ "$(jq -r '[.schema, .status, .started, .error.code] | @tsv' <<<"$output")" = $'pai-exec/1\tfailed\tfalse\tusage' ]
	run -127 --separate-stderr pai-exec --json none.py
	[ "$(jq -r '.error.code, .error.value' <<<"$output")" = "not_found
'none.py': No such file or directory" ]
}

@test "with --format=ndjson a failure before the start is one line, the end" {
	for words in '--timeout=soon' '--image=./none -c 1' '-o -'; do
		# shellcheck disable=SC2086 # words
		run -125 --separate-stderr pai-exec --format=ndjson $words
		[ -z "$stderr" ]
		[ "$(jq -r '[.type, .schema, .status, .started] | @tsv' <<<"$output")" = $'end\tpai-exec/1\tfailed\tfalse' ]
	done
	[ "$(jq -r .error.value <<<"$output")" = "--output-dir: '-' takes standard output, where --format=ndjson puts its lines" ]
	run -125 --separate-stderr pai-exec --timeout=soon --format ndjson
	[ "$(jq -r .type <<<"$output")" = end ]
	[ "$(pai-exec --json --format=ndjson --format=json --image=./none -c 1 | jq -r .stdout)" = '' ]
	run -125 --separate-stderr pai-exec --json --format=text --image=./none -c 1
	[ -z "$output" ]
}

@test "what is written as JSON is what the schema says" {
	python3 -c 'import jsonschema' 2>/dev/null || skip 'python3-jsonschema is missing'
	mkdir json
	for format in json ndjson; do
		pai-exec --format=$format --timeout=soon >json/usage-$format || :
		pai-exec --format=$format --image=./none -c 1 >json/image-$format || :
		pai-exec --format=$format -- $'none\xff\x1b' >json/file-$format || :
	done
	run -0 "$PAI_SOURCE/t/json-check" json
	[ "$output" = '# 6 objects are as the schema says' ]
	# a schema that lets all pass proves nothing
	jq -c '.status = "fine"' json/usage-json >wrong
	jq -c '.more = 1' json/usage-json >extra
	jq -c '.type = "start"' json/usage-ndjson >first
	sed 's/"warnings":/"warnings":[],"warnings":/' json/usage-json >twice
	for file in wrong extra first twice; do
		run -1 "$PAI_SOURCE/t/json-check" $file
	done
}

@test "every key and word of the JSON is in its man page, and no other" {
	page=$PAI_SOURCE/man/pai-exec-result.5
	jq -r '.["$defs"] | to_entries[] | select(.key != "limits") | .value | .. | .properties? // empty | keys[]' \
		"$PAI_SOURCE/deploy/schema/pai-exec-1.schema.json" | sort -u >keys
	sed -nE 's/^\.(It )?Va //p' "$page" | tr -s ' ,.:;()' '\n' | grep -E '^[a-z]' | sort -u >told
	diff keys told
	sed -n 's/.*{ "\([a-z_]*\)", 12[5-7] }.*/\1/p' "$PAI_SOURCE/lib/base/err.c" >words
	[ "$(wc -l <words)" -gt 9 ]
	jq -r '.. | .enum? // empty | .[] | strings' "$PAI_SOURCE/deploy/schema/pai-exec-1.schema.json" >>words
	while read -r word; do
		grep -qE "(^\.(Li|It|It Li|Qq) .*|, )\b$word\b" "$page" || { echo "man: $word"; return 1; }
	done <words
}

@test "every option is in --help, which fits a screen of 80 x 40" {
	run -0 pai-exec --help
	! grep -E '.{81}' <<<"$output" || return 1
	[ "${#lines[@]}" -le 38 ]	# blank ones are not in there
	while IFS=$'\t' read -r name _; do
		grep -q -- "$name" <<<"$output" || { echo "help: $name"; return 1; }
	done < <(pai-exec --list-options)
	[ "$(pai-exec --list-options | wc -l)" -ge 20 ]
}

@test "every option is in the man page, and none that is not in the table" {
	page=$PAI_SOURCE/man/pai-exec.1
	while IFS=$'\t' read -r name _ letter _; do
		grep -qE "Fl Fl ${name#--}( |$)" "$page" || { echo "man: $name"; return 1; }
		[ "$letter" = - ] || grep -qE "^\.It Fl $letter Fl Fl ${name#--}( |$)" "$page" || { echo "man: -$letter"; return 1; }
	done < <(pai-exec --list-options)
	while read -r name; do
		pai-exec --list-options | grep -q "^--$name	" || { echo "not an option: --$name"; return 1; }
	done < <(grep -oE 'Fl Fl [a-z-]+' "$page" | cut -c 7- | sort -u)
}

@test "the man pages have no fault that mandoc knows of, and refer to pages that exist" {
	command -v mandoc >/dev/null || skip 'mandoc is missing'
	# Ours and those of other packages that are meant, for a machine may have no pages. Not
	# -W base: by that a page refers to none but those of the base system in /usr/share/man.
	mkdir -p all/man1 all/man5
	cp "$PAI_SOURCE"/man/*.1 all/man1
	cp "$PAI_SOURCE"/man/*.5 all/man5
	touch all/man1/{bwrap,gzip,pip,python3,tar,timeout}.1
	MANPATH=$PWD/all run -0 --separate-stderr mandoc -T lint -W style "$PAI_SOURCE"/man/*.[15]
	[ -z "$output" ]
	# and a fault would be seen
	rm all/man1/tar.1
	MANPATH=$PWD/all run -1 --separate-stderr mandoc -T lint -W style "$PAI_SOURCE"/man/*.[15]
	[[ $output == *'not found: Xr tar 1'* ]]
}

@test "a screen of 80 columns breaks no example of the man pages, and no line is longer" {
	command -v mandoc >/dev/null || skip 'mandoc is missing'
	for page in "$PAI_SOURCE"/man/*.[15]; do
		mandoc -T utf8 -O width=78 "$page" | sed 's/.\x08//g' >shown
		! LC_ALL=C.UTF-8 grep -E '.{81}' shown || { echo "$page"; return 1; }
		sed -nE 's/^\.D[1l] ([$#] )/\1/p' "$page" | sed 's/\\(dq/"/g; s/\\e/\\/g; s/\\&//g' | while IFS= read -r line; do
			grep -qF -- "$line" shown || { echo "$page: $line"; return 1; }
		done
	done
}

# told PAGE OPTION: what the man page says of it, on one line
told() {
	awk -v name="Fl Fl ${2#--}( |\$)" '/^\.(It|Sh|Ss) / { on = $0 ~ name } on' "$1" |
		sed 's/^\.Pq Cm \(.*\)/(\1)/; s/^\.Pq \(.*\)/(\1)/; s/^\.[A-Z][a-z] //' | tr '\n' ' '
}

@test "a default is the same in the man page, in --help and in what is done" {
	done_=$(pai-exec --json --script --image=./none -c 1 | jq -r '.limits | to_entries[] | "\(.key) \(.value)"') || :
	n=0
	while IFS=$'\t' read -r program page name default; do
		[[ $(told "$PAI_SOURCE/man/$page" "$name") == *"($default"[\),\;\ ]* ]] || { echo "$page: $name: not ($default)"; return 1; }
		[[ $("$PAI_BUILD/$program" --help | grep -- "$name\b") == *"($default"[\),\;]* ]] || { echo "--help: $name: not ($default)"; return 1; }
		limit=$(sed -nE "s/^$(tr - _ <<<"${name#--}")(_ms|_bytes|) //p" <<<"$done_")
		[ "$program" = pai-exec ] || limit=
		case $limit in
		'' | "$default") ;;
		null) [ "$default" = none ] ;;
		10485760) [ "$default" = none ] ;; # with --json
		*) awk -v limit="$limit" '{ exit limit != $1 * (/G/ ? 2 ^ 30 : /M/ ? 2 ^ 20 : /s/ ? 1000 : 1) }' <<<"$default" ||
			{ echo "$name: $limit"; return 1; } ;;
		esac
		n=$((n + 1))
	done < <(for program in pai-exec pai-image pai-session; do
		"$PAI_BUILD/$program" --list-options | grep -v ^--older | # (30d, 12h) is how to write it
			sed -nE "s/^(--[a-z-]+)\t.*\(([0-9][0-9.a-zA-Z]*|none|auto|main|text)[;,)].*/$program\t$program.1\t\1\t\2/p"
	done)
	[ "$n" = 18 ] || { echo "$n defaults"; return 1; }
}

@test "the bounds of the man page are those of the options" {
	page=$PAI_SOURCE/man/pai-exec.1
	told=$(sed -n '/^The bounds are/,/^\.Pp/p' "$page" | tr '\n' ' ')
	sizes='--max-output --max-stdout --max-stderr'
	[[ $told == *' 1 to 1T for the other sizes. '* ]]
	while read -r least most name; do
		[[ $sizes == *"$name"* || $told == *"$least to $most for .Fl Fl ${name#--} "* ]] || { echo "$name"; return 1; }
		for value in "$least" "$most"; do
			refused 125 "switched off by --backend=off" "$name=$value" -b off -c 1
		done
		beyond=$((${most//[^0-9]/} + 1))${most//[0-9]/}
		run -125 --separate-stderr pai-exec "$name=$beyond" -c 1
		[[ $stderr == "pai-exec: $name: '$beyond' is not a "* ]]
	done <<-'END'
		1ms 7d --timeout
		10ms 7d --cpu-time
		0 1h --kill-after
		0 1d --lock-wait
		1 256 --cpus
		64M 1T --memory
		1M 1T --disk
		2 32768 --pids
		1 200000 --max-files
		1 1000 --keep-turns
		1 1T --max-output
		1 1T --max-stdout
		1 1T --max-stderr
	END
}

@test "every word of error.code and of skipped.reason is in the man page, and no other" {
	page=$PAI_SOURCE/man/pai-exec-result.5
	diff <(sed -nE 's/.*\[ERR_[A-Z_]+\] = \{ "([a-z_]+)".*/\1/p' "$PAI_SOURCE/lib/base/err.c" | grep -vx none | sort -u) \
		<(sed -n '/^a word for it/,/^\.It/p' "$page" | sed -nE 's/^\.Li ([a-z_]+).*/\1/p' | sort -u)
	diff <(grep -oE '(reason = |\] = \{ |\{ E[A-Z]+, )"[a-z_]+"' "$PAI_SOURCE/lib/out/outdir.c" | cut -d '"' -f 2 | sort -u) \
		<(sed -n '/^\.It Va skipped/,/^\.It Va session/p' "$page" | sed -nE 's/^\.Li ([a-z_]+).*/\1/p' | sort -u)
}

@test "every command and option of pai-image is in its man page, and no other" {
	while IFS=$'\t' read -r word _; do
		case $word in
		--*) grep -qE "Fl Fl ${word#--}( |$)" "$PAI_SOURCE/man/pai-image.1" ;;
		*) grep -qE "^\.It Cm $word( |$)" "$PAI_SOURCE/man/pai-image.1" ;;
		esac
	done < <("$PAI_BUILD/pai-image" --list-options)
	for program in pai-image pai-session; do
		diff <(grep -v Xr "$PAI_SOURCE/man/$program.1" | grep -v 'Nm pai-exec' | grep -oE 'Fl Fl [a-z-]+' | cut -c 7- | sort -u | grep -vx image) \
			<("$PAI_BUILD/$program" --list-options | sed -n 's/^--\([a-z-]*\).*/\1/p' | sort -u)
	done
}

@test "pai-image list has each image, whatever its name" {
	mkdir -p $'data/pai/images/\xff'
	XDG_DATA_HOME=$PWD/data run -1 --separate-stderr "$PAI_BUILD/pai-image" list --json
	jq -e 'map(select(.path | startswith("'"$PWD"'/data/"))) | map(.name, .good) == ["\\xff", false]' <<<"$output"
}

@test "--check takes no program" {
	refused 125 '--check: takes no program' --check x.py
	refused 125 '--check: takes no program' --check -c 1
}

@test "--check without an image says so, and is 1" {
	run -1 pai-exec --check --image=nope
	[[ $output == *"no image 'nope'"*'no program can be run here: there is no image for it' ]]
	[[ $output != *'the image has no kernel'* ]]
	run -1 pai-exec --check --json --image=nope
	[ "$(jq -r '.works, .schema' <<<"$output")" = 'false
pai-exec-check/1' ]
}

@test "--version and --help go to standard output, and fail if that is full" {
	[[ $(pai-exec --version) == 'pai-exec '[0-9]* ]]
	run -125 bash -c '"$0" --help >/dev/full' "$PAI_BUILD/pai-exec"
	run -125 bash -c '"$0" --version >/dev/full' "$PAI_BUILD/pai-exec"
}

@test "a message stays one printable line whatever is in the name" {
	run -127 --separate-stderr pai-exec $'a\nb\x1b[2J\xff'
	[ "$stderr" = "pai-exec: 'a\\x0ab\\x1b[2J\\xff': No such file or directory" ]
}
