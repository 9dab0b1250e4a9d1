# SPDX-License-Identifier: Apache-2.0
# The configuration, as far as nothing is started.

load helper

# bad LINE:COLUMN:MESSAGE: standard input as a configuration is refused with that
bad() {
	cat >bad.yaml
	count=$((${count:-0} + 1))
	refused 125 "bad.yaml:$1" --config=bad.yaml -c 1
}

# as bad, for a .env file
bad_env() {
	cat >bad.env
	count=$((${count:-0} + 1))
	refused 125 "bad.env:$1" --config=bad.env -c 1
}

# settings ARG...: what --check shows as configured: key, value, origin
settings() {
	pai-exec --check --image=nope --json "$@" |
		jq -r '.config[] | select(.key != "defaults.format" and .key != "defaults.image") | "\(.key) \(.value) \(.from)"'
}

configured() { # configured TEXT ARG...: settings are that
	local wanted=$1 got
	shift
	got=$(settings "$@")
	[ "$got" = "$wanted" ] || { printf 'wanted:\n%s\ngot:\n%s\n' "$wanted" "$got"; return 1; }
}

@test "a key that is not known is told with its place and the nearest one" {
	bad '1:1: default: unknown key; the nearest one is defaults' <<<'default: {}'
	bad '1:1: timeout: unknown key; the nearest one is defaults.timeout' <<<'timeout: 10s'
	bad '2:3: defaults.time-out: unknown key; the nearest one is defaults.timeout' <<<$'defaults:\n  time-out: 10s'
	bad '2:3: defaults.mem: unknown key; the nearest one is defaults.memory' <<<$'defaults:\n  mem: 2G'
	bad '2:3: defaults.max_files: unknown key; the nearest one is defaults.max-files' <<<$'defaults:\n  max_files: 3'
	bad '3:3: code_interpreter.runsc: unknown key; the nearest one is code_interpreter.runsc_bin' \
		<<<$'code_interpreter:\n  backend: auto\n  runsc: /bin/x'
	bad '1:20: code_interpreter.kernel: unknown key; the nearest one is code_interpreter_vm.kernel' \
		<<<'code_interpreter: {kernel: /x}'
	bad '1:12: features.code-interpreter: unknown key; the nearest one is features.code_interpreter' \
		<<<'features: {code-interpreter: true}'
	bad '1:1: <<: unknown key; the nearest one is defaults.env' <<<'<<: {}'
	bad '2:3: defaults.code: belongs on the command line only' <<<$'defaults:\n  code: print(1)'
	bad '1:12: defaults.config: belongs on the command line only' <<<'defaults: {config: more.yaml}'
	bad '1:12: defaults.list-options: belongs on the command line only' <<<'defaults: {list-options: true}'
	[ "$count" = 12 ]
}

@test "a wrong value is told as on the command line, with its place" {
	bad "2:12: defaults.timeout: 'soon' is not a time from 1 ms to 604800 s or 'none' (as in 10, 1.5s, 2m, 1h)" \
		<<<$'defaults:\n  timeout: soon'
	bad "1:20: defaults.memory: '1M' is not a size from 64M to 1T (as in 512M or 2G)" <<<'defaults: {memory: 1M}'
	bad "1:18: defaults.cpus: '1.5' is not a number from 1 to 256" <<<'defaults: {cpus: 1.5}'
	bad "1:18: defaults.json: 'yes' is neither true nor false" <<<'defaults: {json: yes}'
	bad "1:22: defaults.language: 'perl' is neither python nor shell" <<<'defaults: {language: perl}'
	bad "1:21: defaults.backend: 'docker' is none of auto, firecracker, gvisor, off" <<<'defaults: {backend: docker}'
	bad "1:29: code_interpreter.backend: 'kvm' is none of auto, firecracker, gvisor, off" <<<'code_interpreter: {backend: kvm}'
	bad "1:30: features.code_interpreter: '1' is neither true nor false" <<<'features: {code_interpreter: 1}'
	bad "2:14: code_interpreter.runsc_bin: 'bin/runsc' is neither a name nor an absolute path" \
		<<<$'code_interpreter:\n  runsc_bin: bin/runsc'
	bad "1:35: code_interpreter.gvisor_rootfs: 'rootfs' is not an absolute path" <<<'code_interpreter: {gvisor_rootfs: rootfs}'
	local state='is not a plain path beneath /run, /tmp or /var of at most 64 bytes'
	for path in run /proc/x /run/ /run/../bin /run//x "/run/$(printf '%064d' 0)"; do
		bad "1:38: code_interpreter.gvisor_state_dir: '$path' $state" <<<"code_interpreter: {gvisor_state_dir: $path}"
	done
	bad "1:37: code_interpreter_vm.boot_timeout: '0' is not a time from 100 ms to 600 s (as in 10, 1.5s, 2m, 1h)" \
		<<<'code_interpreter_vm: {boot_timeout: 0}'
	bad "2:10: defaults.env: '=x' has no name before '='" <<<$'defaults:\n  env: [ =x]'
	bad "1:24: defaults.output-dir: an empty DIR" <<<'defaults: {output-dir: ""}'
	[ "$count" = 19 ]
}

@test "a name that is none is told with its place, not with an option that nobody gave" {
	rule="1 to 64 letters, digits, '.', '_', '-', the first neither '.' nor '-'"
	echo 'defaults: {session: a/b}' >d.yaml
	refused 125 "d.yaml:1: defaults.session: 'a/b' is no name of a session: $rule" --config=d.yaml -c 1
	PAI_DEFAULTS_CONTEXT=-x refused 125 "PAI_DEFAULTS_CONTEXT: defaults.context: '-x' is no name of a context: $rule" \
		--session=s -c 1
	refused 125 "--session: 'a/c' is no name of a session: $rule" --config=d.yaml --session=a/c -c 1
}

@test "a wrong type is told with its place" {
	bad '1:21: defaults.timeout: needs a text, not a list' <<<'defaults: {timeout: [1]}'
	bad '3:5: defaults.timeout: needs a text, not a map' <<<$'defaults:\n  timeout:\n    seconds: 1'
	bad '1:17: defaults.env: needs a text or a list of texts, not a map' <<<'defaults: {env: {A: 1}}'
	bad '3:7: a list or a map lies too deep' <<<$'defaults:\n  env:\n    - [A=1]'
	bad '3:7: defaults.env: needs texts in its list' <<<$'defaults:\n  env:\n    - ~'
	bad '2:11: defaults.timeout: has no value' <<<$'defaults:\n  timeout:'
	bad '1:19: defaults.image: has no value' <<<'defaults: {image: ~}'
	bad '1:11: defaults: needs keys beneath it, not a text' <<<'defaults: timeout'
	bad '1:11: features: needs keys beneath it, not a list' <<<'features: [code_interpreter]'
	bad '1:1: not a configuration: needs keys, not a text' <<<'timeout'
	bad '1:1: not a configuration: needs keys, not a list' <<<'- timeout'
	bad '1:3: a key is a text, not a list or a map' <<<'? [a]
: b'
}

@test "lists of modules are looked at" {
	bad "2:14: preload: 'x y' is not the name of a module" <<<$'preload:\n  mine: [os, "x y"]'
	bad "1:17: preload: 'a..b' is not the name of a module" <<<'preload: {mine: a..b}'
	bad "1:17: preload.mine: needs a text or a list of texts, not a map" <<<'preload: {mine: {os: 1}}'
	bad "1:11: preload.a b: the name of a list is at most 32 letters, digits, '_' and '-'" <<<'preload: {a b: [os]}'
	{
		echo preload:
		for i in $(seq 61); do echo "  l$i: [os]"; done
	} | bad '62:3: preload.l61: more than 64 lists'
	printf 'preload:\n  mine: [%s os]' "$(printf '%040d, ' {1..120} | sed 's/00/aa/g; s/0/a/g; s/[1-9]/b/g')" >long
	run -125 --separate-stderr pai-exec --config=long -c 1
	[[ $stderr =~ ^'pai-exec: long:2:'[0-9]+': preload: a list has more than 4000 bytes'$ ]]
}

@test "what is no YAML, or more than is needed, is told with its place" {
	bad '2:1: not YAML: found character that cannot start any token' <<<$'defaults:\n\ttimeout: 1'
	bad "2:1: not YAML: did not find expected ',' or '}'" <<<'defaults: {timeout: 1'
	bad '2:3: not YAML: control characters are not allowed' <<<$'defaults:\n  \x01'
	bad '1:4: not YAML: invalid leading UTF-8 octet' <<<$'a: \xff'
	bad '1:11: an anchor (x) cannot stand here' <<<'defaults: &x {}'
	bad '2:11: an alias (*x) cannot stand here' <<<$'features: {}\ndefaults: *x'
	bad '1:21: a tag (tag:yaml.org,2002:str) cannot stand here' <<<'defaults: {timeout: !!str 10}'
	bad '2:1: a second document cannot stand here' <<<$'defaults: {}\n--- {}'
	bad '3:3: defaults.timeout: stands here for the second time' <<<$'defaults:\n  timeout: 1\n  timeout: 2'
	bad '2:1: defaults: stands here for the second time' <<<$'defaults: {}\ndefaults: {}'
	bad '1:19: a text has a NUL byte' <<<'defaults: {image: "a\0b"}'
	bad '1:19: a text has more than 4096 bytes' <<<"defaults: {image: $(printf '%05000d' 0)}"
	bad '1:1: more than 65536 bytes' <<<"# $(printf '%066000d' 0)"
}

@test "a .env file is looked at as closely" {
	bad_env '2:1: PAI_CODE_INTERPRETER_BACKENT: unknown variable; the nearest one is PAI_CODE_INTERPRETER_BACKEND' \
		<<<$'# none\nPAI_CODE_INTERPRETER_BACKENT=gvisor'
	bad_env "1:30: PAI_CODE_INTERPRETER_BACKEND: 'x' is none of auto, firecracker, gvisor, off" \
		<<<'PAI_CODE_INTERPRETER_BACKEND=x'
	bad_env '1:1: not NAME=VALUE' <<<'PAI TRACE=1'
	bad_env '1:8: not NAME=VALUE' <<<'export 1A=2'
	bad_env '1:7: A: a quote has no end on its line' <<<'A="bcd'
	bad_env '1:8: A: a text behind the quotes' <<<"A='bc' d"
	bad_env '1:4: a NUL byte' < <(printf 'A=b\0\n')
	echo 'PAI_TRACE=1' >trace.env
	run -125 --separate-stderr pai-exec --config=trace.env -c 1
	[[ $stderr == 'pai-exec: trace.env:1:1: PAI_TRACE: unknown variable; '* ]]
}

@test "a file that others can write, or that is none, is refused" {
	echo 'defaults: {}' >open.yaml
	chmod 664 open.yaml
	refused 125 'open.yaml:1:1: others can write it; chmod go-w mends that' --config=open.yaml -c 1
	chmod 646 open.yaml
	refused 125 'open.yaml:1:1: others can write it; chmod go-w mends that' --config=open.yaml -c 1
	mkfifo fifo.yaml
	refused 125 "--config: 'fifo.yaml': not a regular file" --config=fifo.yaml -c 1
	PAI_CONFIG=/ refused 125 "PAI_CONFIG: '/': not a regular file" -c 1
	mkdir -p here/pai/pai.yaml
	XDG_CONFIG_HOME=$PWD/here refused 125 "'$PWD/here/pai/pai.yaml': not a regular file" -c 1
	refused 125 "--config: 'none.yaml': No such file or directory" --config=none.yaml -c 1
	PAI_CONFIG=none.yaml refused 125 "PAI_CONFIG: 'none.yaml': No such file or directory" -c 1
	chmod 644 open.yaml
	echo 'PAI_DEFAULTS_CPUS=1' >.env
	chmod 666 .env
	refused 125 '.env:1:1: others can write it; chmod go-w mends that' --config=open.yaml -c 1
	[ "$(id -u)" = 0 ] || return 0
	chown 12345 open.yaml
	refused 125 'open.yaml:1:1: belongs to another user (uid 12345)' --config=open.yaml -c 1
}

@test "pai-image warm takes the named image, else the one that the configuration names" {
	export PAI_CODE_INTERPRETER_GVISOR_ROOTFS=/none/rootfs
	run -125 --separate-stderr "$PAI_BUILD/pai-image" warm ./named
	[[ $stderr == "pai-image: no image './named'"* ]]
	run -125 --separate-stderr "$PAI_BUILD/pai-image" warm
	[ "$stderr" = 'pai-image: gvisor_rootfs: /none/rootfs: No such file or directory' ]
	unset PAI_CODE_INTERPRETER_GVISOR_ROOTFS
	PAI_DEFAULTS_IMAGE=./preset run -125 --separate-stderr "$PAI_BUILD/pai-image" warm
	[[ $stderr == "pai-image: no image './preset'"* ]]
}

@test "with --json a bad configuration is one object on standard output" {
	echo 'default: 1' >bad.yaml
	run -125 --separate-stderr pai-exec --json --config=bad.yaml -c 1
	[ -z "$stderr" ]
	[ "$(jq -r '.error.code, .error.value' <<<"$output")" = 'usage
bad.yaml:1:1: default: unknown key; the nearest one is defaults' ]
}

@test "--help and --version go without a configuration" {
	echo 'x: 1' >bad.yaml
	pai-exec --config=bad.yaml --help | grep -q -- --config
	pai-exec --version --config=none.yaml | grep -q pai-exec
}

@test "an empty configuration is one" {
	for text in '' '# nothing' '---' '{}' 'defaults:' $'features:\ncode_interpreter:\npreload: ~\ndefaults: {}'; do
		echo "$text" >empty.yaml
		configured '' --config=empty.yaml
	done
}

@test "later goes before earlier" {
	mkdir -p .config/pai given
	printf 'defaults:\n  timeout: 2\n  pids: 20\n  cpus: 2\n  memory: 200M\n' >.config/pai/pai.yaml
	echo 'PAI_DEFAULTS_PIDS=30' >.config/pai/.env
	printf 'defaults: {cpus: 4, memory: 400M}' >given/my.yaml
	echo 'PAI_DEFAULTS_MEMORY=500M' >given/.env
	configured 'defaults.timeout 2 '"$PWD"'/.config/pai/pai.yaml:2
defaults.pids 30 '"$PWD"'/.config/pai/.env:1
defaults.cpus 2 '"$PWD"'/.config/pai/pai.yaml:4
defaults.memory 200M '"$PWD"'/.config/pai/pai.yaml:5'
	export PAI_CONFIG=given/my.yaml
	configured 'defaults.timeout 2 '"$PWD"'/.config/pai/pai.yaml:2
defaults.pids 30 '"$PWD"'/.config/pai/.env:1
defaults.cpus 4 given/my.yaml:1
defaults.memory 500M given/.env:1'
	echo 'defaults: {}' >nothing.yaml
	PAI_DEFAULTS_CPUS=6 configured 'defaults.timeout 7 --timeout
defaults.pids 30 '"$PWD"'/.config/pai/.env:1
defaults.cpus 6 PAI_DEFAULTS_CPUS
defaults.memory 200M '"$PWD"'/.config/pai/pai.yaml:5' --config=nothing.yaml -t 7
	mkdir -p elsewhere/pai
	PAI_CONFIG='' XDG_CONFIG_HOME=$PWD/elsewhere configured ''
	PAI_CONFIG='' XDG_CONFIG_HOME='' configured 'defaults.timeout 2 '"$PWD"'/.config/pai/pai.yaml:2
defaults.pids 30 '"$PWD"'/.config/pai/.env:1
defaults.cpus 2 '"$PWD"'/.config/pai/pai.yaml:4
defaults.memory 200M '"$PWD"'/.config/pai/pai.yaml:5'
}

@test "--check --json has a variable whose name fills its value to the last byte" {
	local n
	for n in 507 508 509 510; do
		[ "$(settings -e "$(printf "%0${n}d" 0)=x" | cut -d ' ' -f 1)" = defaults.env ]
	done
}

@test "the system's file comes first" {
	mkdir -p .config/pai
	echo 'defaults: {timeout: 1, cpus: 1}' >system.yaml
	echo 'defaults: {timeout: 2}' >.config/pai/pai.yaml
	in_system=(bwrap --dev-bind / / --tmpfs /etc --ro-bind system.yaml /etc/pai/pai.yaml)
	"${in_system[@]}" true 2>/dev/null || skip 'bwrap cannot make a root here'
	run -1 --separate-stderr env -u PAI_CONFIG_NOSYSTEM "${in_system[@]}" "$PAI_BUILD/pai-exec" --check --image=nope
	[[ $output == *"defaults.timeout = 2, by $PWD/.config/pai/pai.yaml:1"* ]]
	[[ $output == *'defaults.cpus = 1, by /etc/pai/pai.yaml:1'* ]]
	run -1 --separate-stderr "${in_system[@]}" "$PAI_BUILD/pai-exec" --check --image=nope
	[[ $output != */etc/pai* ]]
}

@test "lists of all places add up, and values of variables are not shown" {
	printf 'defaults:\n  env: [A=secret, B]\n  input: data.csv\n' >one.yaml
	configured 'defaults.env A=… one.yaml:2
defaults.env B one.yaml:2
defaults.input data.csv one.yaml:3
defaults.env C=… --env' --config=one.yaml -e C=secret
	run -1 pai-exec --config=one.yaml --check --image=nope
	[[ $output != *secret* ]]
}

@test "a .env file has quotes and comments, and others' variables" {
	printf '%s\r\n' '# a comment' '' 'export PAI_DEFAULTS_TIMEOUT="12"   # more' "PAI_DEFAULTS_IMAGE='a # b'" \
		'PAI_DEFAULTS_ENV=A=b#c # d' 'OTHER="x y"' 'DATABASE_URL=postgres://x?a=b' 'PAI_DEFAULTS_OUTPUT_DIR="a\"b\\c\d"' \
		'PAI_DEFAULTS_CPUS=' >my.env
	configured 'defaults.timeout 12 my.env:3
defaults.env A=… my.env:5
defaults.output-dir a"b\c\d my.env:8' --config=my.env
	printf '\xef\xbb\xbfPAI_DEFAULTS_CPUS=2\nexport  PAI_DEFAULTS_PIDS=20\n\texport\tPAI_DEFAULTS_TIMEOUT=3\n' >my.env
	configured 'defaults.cpus 2 my.env:1
defaults.pids 20 my.env:2
defaults.timeout 3 my.env:3' --config=my.env
}

@test "variables of the environment are keys, and a misspelt one is told" {
	PAI_CODE_INTERPRETER_VM_KERNEL=/k PAI_CODE_INTERPRETER_RUNSC_BIN='' configured \
		'code_interpreter_vm.kernel /k PAI_CODE_INTERPRETER_VM_KERNEL'
	PAI_DEFAULTS_FOO=1 PAI_OTHER=1 configured ''
	PAI_CODE_INTERPRETER_KERNEL=/k refused 125 \
		'PAI_CODE_INTERPRETER_KERNEL: unknown variable; the nearest one is PAI_CODE_INTERPRETER_VM_KERNEL' -c 1
	PAI_CODE_INTERPRETER_BACKEND=x refused 125 \
		"PAI_CODE_INTERPRETER_BACKEND: 'x' is none of auto, firecracker, gvisor, off" -c 1
}

@test "switched off says by whom" {
	printf 'features:\n  code_interpreter: false\n' >no.yaml
	refused 125 'switched off by no.yaml:2 (features.code_interpreter)' --config=no.yaml -c 1
	refused 125 'switched off by no.yaml:2 (features.code_interpreter)' --config=no.yaml -b gvisor -c 1
	printf 'code_interpreter:\n  backend: off\n' >off.yaml
	refused 125 'switched off by off.yaml:2 (code_interpreter.backend)' --config=off.yaml -c 1
	printf 'defaults: {backend: off}' >off.yaml
	refused 125 'switched off by off.yaml:1 (code_interpreter.backend)' --config=off.yaml -c 1
	PAI_CODE_INTERPRETER_BACKEND=off refused 125 \
		'switched off by PAI_CODE_INTERPRETER_BACKEND (code_interpreter.backend)' -c 1
	PAI_FEATURES_CODE_INTERPRETER=False refused 125 \
		'switched off by PAI_FEATURES_CODE_INTERPRETER (features.code_interpreter)' -c 1
	run -127 --separate-stderr pai-exec --config=off.yaml -b auto none.py
	run -1 pai-exec --check --config=no.yaml
	[[ $output == *'switched off by no.yaml:2 (features.code_interpreter)'*'no sandbox backend works here' ]]
}

@test "a default gives way where it does not suit, an option does not" {
	# after all that is said of options, before anything starts
	passes() {
		run -125 --separate-stderr pai-exec --config=d.yaml --image=./none "$@" </dev/null
		[[ $stderr$output == *"no image './none'"* ]] || { echo "$*: $stderr"; return 1; }
	}
	echo 'echo' >job.sh
	printf '#!/usr/bin/env -S bash -e\necho\n' >job
	echo 'print()' >job.py
	echo 'defaults: {print-last: true, language: shell}' >d.yaml
	passes -m x
	passes -p -c x
	passes --cell -c x
	passes job.sh
	refused 125 '--module: names a Python module, not a shell program' -l shell -m x
	refused 125 "--print-last: 'job' is a shell program" -p job
	echo 'defaults: {session: s, cell: true, manifest: m, context: c, max-stdout: 1G, input: "-", output-dir: "-"}' >d.yaml
	for words in job.sh job '-m x' '-l shell -c x' '--script -c x' '-i - -c x' '--json -c x' '--format=ndjson job.py'; do
		# shellcheck disable=SC2086 # words
		passes $words
	done
	passes
	refused 125 '--script: a turn of a session is a cell' --config=d.yaml --script --session=t -c x
	refused 125 "--session: 'job' is a shell program" --config=d.yaml --session=t job
	refused 125 "--cell: 'job.sh' is a shell program" --config=d.yaml --cell job.sh
	refused 125 '--cell: a cell is Python, not a shell program' --config=d.yaml --cell -l shell -c x
}

@test "usage, which an option may have without a value, is a switch or a file" {
	passes() {
		run -125 --separate-stderr "$@" --image=./none -c 1
		[[ $stderr == *"no image './none'"* ]] || { echo "$*: $stderr"; return 1; }
	}
	echo 'defaults: {usage: none/line}' >file.yaml
	echo 'defaults: {usage: true}' >on.yaml
	refused 125 "--usage: 'none/line': No such file or directory" --config=file.yaml -c 1
	PAI_DEFAULTS_USAGE=false passes pai-exec --config=file.yaml
	passes pai-exec --config=on.yaml
	[ "${#stderr_lines[@]}" = 2 ]
	[[ $stderr == *'pai-exec: real='* ]]
	[ ! -e true ]
	[ ! -e false ]
}

@test "a default of the language is for what does not tell its own" {
	echo 'defaults: {language: shell}' >d.yaml
	printf '#!/usr/bin/env python3\n' >job
	cp job job.py
	# a shell program has no last expression
	for words in job job.py; do
		run -125 --separate-stderr pai-exec --config=d.yaml --image=./none -p $words
		[[ $stderr == "pai-exec: no image './none'"* ]]
		refused 125 "--print-last: '$words' is a shell program" -l shell -p $words
	done
}

@test "the root file system that is configured is named where it cannot be used" {
	mkdir -m 755 folder
	echo text >text
	for path in folder text none; do
		PAI_CODE_INTERPRETER_GVISOR_ROOTFS=$PWD/$path run -125 --separate-stderr pai-exec -c 1
		echo "$stderr" >>said
	done
	sed "s|$PWD|PWD|" said >got
	cat >wanted <<-'END'
		pai-exec: gvisor_rootfs: PWD/folder: has no program usr/lib/pai/pai-guest; pai-image build makes an image that has
		pai-exec: gvisor_rootfs: PWD/text: neither a folder nor an EROFS file; pai-image build makes one
		pai-exec: gvisor_rootfs: PWD/none: No such file or directory
	END
	diff wanted got
	PAI_CODE_INTERPRETER_GVISOR_ROOTFS=$PWD/none run -125 --separate-stderr pai-exec --image=./no -c 1
	[[ $stderr == "pai-exec: no image './no'"* ]]
}

@test "the sample of the documents is a configuration as it stands" {
	cat >sample.yaml <<-'END'
		features:
		  code_interpreter: true
		code_interpreter:
		  backend: auto                # auto | firecracker | gvisor | off
		  runsc_bin: runsc
		  gvisor_rootfs: /opt/pai/firecracker/rootfs     # an EROFS file, or a folder (cold starts only)
		  gvisor_state_dir: /run/pai/gvisor              # where the run's private state is mounted
		code_interpreter_vm:
		  firecracker_bin: firecracker
		  kernel: …
		  rootfs: …
		  boot_timeout: 30s
	END
	configured 'features.code_interpreter true sample.yaml:2
code_interpreter.backend auto sample.yaml:4
code_interpreter.runsc_bin runsc sample.yaml:5
code_interpreter.gvisor_rootfs /opt/pai/firecracker/rootfs sample.yaml:6
code_interpreter.gvisor_state_dir /run/pai/gvisor sample.yaml:7
code_interpreter_vm.firecracker_bin firecracker sample.yaml:9
code_interpreter_vm.kernel … sample.yaml:10
code_interpreter_vm.rootfs … sample.yaml:11
code_interpreter_vm.boot_timeout 30s sample.yaml:12' --config=sample.yaml
	sed -n '/^\.Bd -literal/,/^\.Ed/{/^\./!p;}' "$PAI_SOURCE/man/pai-exec.yaml.5" >man.yaml
	[ "$(settings --config=man.yaml | wc -l)" = 9 ]
}

@test "every key is in the man page, and no other" {
	page=$PAI_SOURCE/man/pai-exec.yaml.5
	pai-exec --list-keys | cut -f 1 | grep -v '^defaults\.' >keys
	awk '$1 == ".It" && $2 == "Ic" && $4 == ":" {
		if (NF == 4) block = $3; else print block "." $3 }' "$page" >told
	diff <(sort keys) <(sort told)
	for key in PAI_CODE_INTERPRETER_BACKEND PAI_CODE_INTERPRETER_VM_KERNEL PAI_FEATURES_CODE_INTERPRETER PAI_DEFAULTS_MAX_FILES; do
		pai-exec --list-keys | cut -f 3 | grep -qx "$key"
	done
}
