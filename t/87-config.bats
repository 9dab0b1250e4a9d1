# SPDX-License-Identifier: Apache-2.0
# bats file_tags=sandbox
# The configuration, where it needs a run to show.

load helper

rootfs=${PAI_IMAGE:-/var/lib/pai/images/default}/rootfs.erofs

# The image's root file system as a folder, once for all tests of this file.
setup_file() {
	command -v fsck.erofs >/dev/null || return 0
	fsck.erofs --extract="$BATS_FILE_TMPDIR/root" "${PAI_IMAGE:-/var/lib/pai/images/default}/rootfs.erofs" >/dev/null
	chmod 755 "$BATS_FILE_TMPDIR/root"
	chmod 711 "$BATS_FILE_TMPDIR"
}

teardown_file() { rm -rf "$BATS_FILE_TMPDIR/root"; }

# --image of the helper would go before what is configured here.
plain() { "${as_user[@]}" "$PAI_BUILD/pai-exec" "${fresh[@]}" "$@"; }

@test "defaults are as options, and options go before them" {
	mkdir -p .config/pai
	cat >.config/pai/pai.yaml <<-'END'
		defaults:
		  timeout: 1s
		  kill-after: 0
		  env: [GREETING=hello, NAME=file]
		  print-last: true
		  output-dir: out
	END
	run -124 --separate-stderr pai -c 'while True: pass'
	[ "$stderr" = 'pai-exec: time limit of 1 s reached' ]
	[ "$(pai -e NAME=option -c 'import os; open("x", "w"); os.environ["GREETING"], os.environ["NAME"]')" = "('hello', 'option')" ]
	[ -e out/x ]
	[ "$(pai -t 20s -l shell -c 'sleep 1.2; echo $GREETING')" = hello ]
	[ "$(PAI_DEFAULTS_PRINT_LAST=false pai -c '6 * 7')" = '' ]
}

@test "a list of modules makes a template, and a program that imports one uses it" {
	[ "${PAI_START:-}" != fresh ] || skip 'these runs use no template'
	export XDG_CACHE_HOME=$work/cache
	printf 'preload:\n  stats: [numpy, no_such_module, scipy.stats]\n' >p.yaml
	code='import sys; early = "scipy.stats" in sys.modules
import scipy.stats; print(early, scipy.stats.norm.cdf(0))'
	[ "$(pai --config=p.yaml --json --script -c "$code" | jq -r '.stdout, .backend.start' | xargs)" = 'True 0.5 cold' ]
	[ "$(pai --config=p.yaml --json --script -c "$code" | jq -r '.stdout, .backend.start' | xargs)" = 'True 0.5 warm' ]
	[ "$(cat "$work"/cache/pai/templates/*/modules)" = numpy,no_such_module,scipy.stats ]
	[ "$(pai --config=p.yaml --json --script -c 'import numpy, sys; print("scipy" in sys.modules)' | jq -r '.stdout, .backend.start' | xargs)" = 'False cold' ]
	[ "$(pai --json --script -c "$code" | jq -r '.stdout, .backend.start' | xargs)" = 'False 0.5 warm' ]
}

@test "runsc_bin is a name on PATH or a path" {
	mkdir bin
	cp "$(command -v runsc)" bin/my-runsc
	[ "$(PATH=$PWD/bin:$PATH PAI_CODE_INTERPRETER_RUNSC_BIN=my-runsc pai -c 'print(42)')" = 42 ]
	[ "$(PAI_CODE_INTERPRETER_RUNSC_BIN=$PWD/bin/my-runsc pai -c 'print(42)')" = 42 ]
	PAI_CODE_INTERPRETER_RUNSC_BIN=$PWD/bin/none run -125 --separate-stderr pai -c 'print(42)'
	[[ $stderr == *"gvisor: runsc_bin: $PWD/bin/none: No such file or directory"* ]]
	PAI_CODE_INTERPRETER_RUNSC_BIN=my-runsc run -125 --separate-stderr pai -c 'print(42)'
	# what gets runsc gets none of that name
	[ "${stderr_lines[-1]}" = 'pai-exec: gvisor: runsc_bin: my-runsc: not on PATH' ]
}

@test "gvisor_state_dir is where runsc keeps its state, and nothing of it is left" {
	export XDG_CACHE_HOME=$work/cache PAI_CODE_INTERPRETER_GVISOR_STATE_DIR=/run/pai-test/gvisor
	for _ in 1 2 3; do
		[ "$(pai -c 'print(42)')" = 42 ]
	done
	[ ! -e /run/pai-test ]
}

@test "boot_timeout bounds the start" {
	[ -x "$PAI_BUILD/t/fake-hang" ] || skip 'the fakes are not built'
	begin=$SECONDS
	PAI_CODE_INTERPRETER_RUNSC_BIN=$PAI_BUILD/t/fake-hang PAI_CODE_INTERPRETER_VM_BOOT_TIMEOUT=1s \
		run -125 --separate-stderr pai --fresh -c 'print(42)'
	[[ $stderr == *'the sandbox did not start within 1 s' ]]
	[ $((SECONDS - begin)) -lt 5 ]
}

@test "an EROFS file goes in the place of the image, warm too" {
	export XDG_CACHE_HOME=$work/cache PAI_CODE_INTERPRETER_GVISOR_ROOTFS=$rootfs
	plain --json -c 'print(42)' >one
	plain --json -c 'print(42)' >two
	[ "$(field image.name one)" = "$rootfs" ]
	[[ $(field image.digest one) =~ ^stat:[0-9a-f]{64}$ ]]
	[ "$(field stdout two)" = 42 ]
	[ "${PAI_START:-}" = fresh ] || [ "$(field backend.start two)" = warm ]
	[ "$(plain --image="${rootfs%/*}" --json -c 0 | jq -r .image.name)" = "${rootfs%/*}" ]
}

@test "a folder goes in the place of the image, cold" {
	[ -d "$BATS_FILE_TMPDIR/root" ] || skip 'fsck.erofs is missing'
	export XDG_CACHE_HOME=$work/cache PAI_CODE_INTERPRETER_GVISOR_ROOTFS=$BATS_FILE_TMPDIR/root
	cat >code.py <<-'END'
		import os, numpy
		try:
		    open("/usr/x", "w")
		except OSError:
		    print("refused")
		open("made", "w").write("kept")
		print(os.getuid(), numpy.arange(3).sum())
	END
	for _ in 1 2; do
		plain --json -o out code.py >got
		[ "$(field stdout got)" = $'refused\n1000 3' ]
		[ "$(field backend.start got)" = cold ]
		[ "$(cat out/made)" = kept ]
	done
	[ ! -e "$BATS_FILE_TMPDIR/root/usr/x" ]
	[ ! -e "$work/cache/pai/templates" ] || [ -z "$(ls "$work/cache/pai/templates")" ]
}

@test "the sample of the documents runs where its files are" {
	[ "${PAI_AS:-}" != user ] && [ "$(id -u)" = 0 ] || skip 'mounting needs root'
	sed -n '/sample.yaml <<-/,/^\tEND/{//!p;}' "$PAI_SOURCE/t/05-config.bats" | cut -c 3- >sample.yaml
	grep -q 'kernel: …' sample.yaml
	[ "$(unshare -m bash -ec 'mount -t tmpfs t /opt
		mkdir -p /opt/pai/firecracker
		ln -s "$1" /opt/pai/firecracker/rootfs
		shift
		"$@"' - "$rootfs" "$PAI_BUILD/pai-exec" --config=sample.yaml -c 'print(42)')" = 42 ]
}

@test "--check runs its program with what is configured" {
	printf 'code_interpreter:\n  gvisor_rootfs: %s\ndefaults: {env: [A=1], print-last: true, language: shell}\n' "$rootfs" >c.yaml
	run -0 plain --config=c.yaml --check
	[[ $output == *'a program ran in '*"code_interpreter.gvisor_rootfs = $rootfs, by c.yaml:2"* ]]
	# nothing goes in, nothing is kept
	printf 'defaults: {session: s, session-dir: sessions, output-dir: "-", input: "-", cell: true}\n' >>c.yaml
	sed -i '/^defaults: {env/d' c.yaml
	run -0 plain --config=c.yaml --check
	[ ! -e sessions ]
}
