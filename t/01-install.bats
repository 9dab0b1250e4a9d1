# SPDX-License-Identifier: Apache-2.0
# What make install puts where, what messages and man pages say of that, and that
# make uninstall takes it all away.

load helper

# made ARG...: make in the build folder, as no part of the make that runs the tests
made() { env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -s -C "$build" "$@"; }

setup_file() {
	export dest=$BATS_FILE_TMPDIR/dest build=${PAI_BUILD:-$BATS_TEST_DIRNAME/..}
	made install "DESTDIR=$dest" >"$BATS_FILE_TMPDIR/log" 2>&1
}

# scripts_of PROGRAM: their folder, by its own word
scripts_of() {
	PATH=/nonexistent "$1" --check |
		sed -n 's|^gvisor .*: not on PATH; \(.*\)/get-runsc installs it$|\1|p'
}

@test "what messages name as a cure is installed where they name it" {
	at=$(scripts_of "$(find "$dest" -path '*/bin/pai-exec')")
	[[ $at == /* ]]
	grep -rl 'program_deploy()' "$PAI_SOURCE"/{lib,cmd} --include=*.c |
		xargs grep -hoE '%s/[a-z]+[a-z/-]+' | sed 's/%s//; s|/etc$||' | sort -u >named
	for name in /apparmor/pai-exec /build-image /get-runsc; do
		grep -qx "$name" named
	done
	while read -r name; do
		[ -e "$dest$at$name" ] || { echo "no $at$name"; return 1; }
	done <named
	# nor do the scripts name a source tree
	run -1 grep -rE '^[^#]*deploy/' "$dest$at" --include='*-*' --exclude=go.mod
}

@test "in a build folder they name the source tree's" {
	[ "$(scripts_of "$PAI_BUILD/pai-exec")" = "$(realpath "$PAI_SOURCE/deploy")" ]
}

@test "the profile for AppArmor has the programs where they are installed" {
	bin=$(find "$dest" -path '*/bin/pai-exec')
	grep -qF "profile pai-exec $(dirname "${bin#"$dest"}")/pai-{exec,image} " "$(find "$dest" -path '*/apparmor/pai-exec')"
}

@test "what man pages name in /usr/share is installed" {
	share=$(dirname "$(find "$dest" -path '*/share/pai-exec' -type d)")
	cat "$PAI_SOURCE"/man/*.[15] | sed -n 's|.*Pa /usr/share/\([^ ]*\).*|\1|p' >named
	grep -q examples named
	while read -r name; do
		[ -e "$share/$name" ] || { echo "no $share/$name"; return 1; }
	done <named
	[ -x "$share/doc/pai-exec/examples/parallel.sh" ]
	diff -r "$PAI_SOURCE/deploy/systemd" "$share/doc/pai-exec/examples/systemd"
	for file in "$PAI_SOURCE"/deploy/examples/*; do
		cmp "$file" "$share/doc/pai-exec/examples/${file##*/}"
	done
}

@test "get-runsc: what it gets off PATH is told, for that is where it is looked for" {
	get_runsc=$PAI_SOURCE/deploy/get-runsc
	mkdir -p bin old home/.local/bin
	printf '#!/bin/sh\necho systrap\n' >bin/runsc
	printf '#!/bin/sh\n' >old/runsc
	chmod 755 bin/runsc old/runsc
	[ "$(PATH=$PWD/bin:/usr/bin:/bin "$get_runsc" 2>&1)" = "$PWD/bin/runsc" ]
	for path in /usr/bin:/bin "$PWD/old:/usr/bin:/bin"; do
		PATH=$path run -0 --separate-stderr "$get_runsc" "$PWD/bin"
		[ "$output" = "$PWD/bin/runsc" ]
		[ "$stderr" = "get-runsc: PATH does not find it: export PATH=$PWD/bin:\$PATH" ]
	done
	# an option is no folder
	for word in --old --new=x; do
		run -1 "$get_runsc" "$word"
		[ "$output" = "get-runsc: $word: [--new] [DIR] is all that it takes" ]
	done
}

@test "the tarball has what README.md and lib/README.md name" {
	made distdir "distdir=$work/tar" >log 2>&1
	grep -hoE '(deploy|t|debian|\.ci)/[a-z/][a-z0-9/._-]*[a-z]' "$PAI_SOURCE"/{,lib/}README.md | sort -u >named
	grep -qx deploy/try named
	while read -r name; do
		[ ! -e "$PAI_SOURCE/$name" ] || [ -e "tar/$name" ] || { echo "no $name"; return 1; }
	done <named
	[ ! -e tar/t/unit/str ]
	[ -x tar/deploy/check ]
	[ -x tar/debian/rules ]
	[ -x tar/t/sandbox ]
}

@test "make uninstall leaves no file, and no folder of ours" {
	made uninstall "DESTDIR=$dest" >log 2>&1
	find "$dest" ! -type d -o -name pai-exec -o -name _pai >left
	cat left
	[ ! -s left ]
}
