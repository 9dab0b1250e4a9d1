# SPDX-License-Identifier: Apache-2.0
# pai-session: sessions between their turns, without a sandbox. What a turn leaves is made
# by t/session-make.

load helper
load sessions/made

@test "where there are no sessions, there is nothing to list" {
	run -0 --separate-stderr sessions list
	[ -z "$output$stderr" ]
	[ "$(sessions list --json)" = '[]' ]
	[ ! -e s ]
	mkdir s
	run -0 --separate-stderr sessions list
	[ -z "$output$stderr" ]
	run -0 --separate-stderr sessions prune --older=1d
	[ -z "$output$stderr" ]
}

@test "list tells turns, bytes on disk, last use, backend and image" {
	turn a x=1
	turn b x=1
	turn b y=2
	run -0 --separate-stderr sessions list
	[ "${#lines[@]}" -eq 3 ]
	[[ ${lines[1]} =~ ^a\ +1\ +0\.[0-9]\ +[0-9-]+\ [0-9:]+\ +gvisor\ +default$ ]]
	[[ ${lines[2]} =~ ^b\ +2\  ]]
	sessions list --json | jq -e '
		map(.name) == ["a", "b"] and map(.turn) == [1, 2] and map(.kept) == [1, 2] and
		all(.usable and .reason == null and .bytes > 0 and .backend == "gvisor" and .waiting == 0)'
}

@test "list counts blocks, and a hard link once" {
	turn a big=x
	truncate -s 1G s/a/1/snapshot/hole
	[ "$(sessions list --json | jq '.[0].bytes < 1000000')" = true ]
	dd if=/dev/zero of=s/a/1/files/big bs=64K count=16 status=none
	before=$(sessions list --json | jq '.[0].bytes')
	ln s/a/1/files/big s/a/1/files/again
	[ "$(sessions list --json | jq '.[0].bytes')" -eq "$before" ]
	[ "$before" -ge 1048576 ]
}

@test "list names what cannot be used, and why" {
	turn a
	turn b
	truncate -s 3 s/a/1/snapshot/pages.img
	ln -s b s/link
	chmod g+w s/b
	mkdir s/.hidden
	touch s/notes
	run -0 --separate-stderr sessions list
	[[ $output == *"cannot be used: session 'a': turn 1: snapshot/pages.img: 3 bytes instead of 15"* ]]
	[[ $output == *"cannot be used: session 'b': $PWD/s/b: others can write it (mode 720); chmod go-w mends that"* ]]
	[[ $output == *"cannot be used: session 'link': $PWD/s/link is no folder (a symbolic link is not followed)"* ]]
	[[ $output != *hidden* ]]
	sessions list --json | jq -e 'map(.usable) == [false, false, false, false] and all(.reason | length > 10)'
}

@test "a folder that others can write, or another user's, has no sessions" {
	turn a
	chmod o+w s
	wrong 125 "--session-dir: s: others can write it (mode 702); chmod go-w mends that" list
	wrong 125 "--session-dir: s: others can write it (mode 702); chmod go-w mends that" put a -:x
	chmod 700 s
	run -0 sessions list
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	chown 12345 s
	wrong 125 "--session-dir: s: belongs to another user (uid 12345), not to uid 0; chown mends that" list
	# nor are root's put where a user's HOME is
	mkdir home
	chown 12345 home
	HOME=$PWD/home run -125 --separate-stderr "$PAI_BUILD/pai-session" list
	[ "$stderr" = "pai-session: $PWD/home belongs to another user (uid 12345): no session is put there; --session-dir=DIR says where" ]
}

@test "sessions lie where XDG_STATE_HOME, the configuration or the option says" {
	mkdir -p state
	echo 1 | XDG_STATE_HOME=$PWD/state "$PAI_BUILD/pai-session" put a -:x
	[ -f state/pai/sessions/a/put-0/x ]
	echo 1 | "$PAI_BUILD/pai-session" put b -:x
	[ -f .local/state/pai/sessions/b/put-0/x ]
	[ "$(stat -c %a .local/state/pai/sessions)" = 700 ]
	echo 1 | PAI_DEFAULTS_SESSION_DIR=$PWD/env "$PAI_BUILD/pai-session" put c -:x
	[ -f env/c/put-0/x ]
	mkdir -p .config/pai
	echo "defaults: {session-dir: $PWD/conf}" >.config/pai/pai.yaml
	echo 1 | "$PAI_BUILD/pai-session" put d -:x
	[ -f conf/d/put-0/x ]
	echo 1 | sessions put e -:x
	[ -f s/e/put-0/x ]
	wrong 125 "--session-dir: make no/such/s: No such file or directory" --session-dir=no/such/s put a -:x
	HOME=/nowhere XDG_STATE_HOME='' run -0 "$PAI_BUILD/pai-session" --session-dir=s list
}

@test "what is not a name of a session, or no session, is said" {
	rule="is no name of a session: 1 to 64 letters, digits, '.', '_', '-', the first neither '.' nor '-'"
	for bad in '' .x ../x a/b 'a b' "$(printf 'a\033[2J')" "$(printf %065d 0)"; do
		run -125 --separate-stderr sessions show "$bad"
		[[ $stderr == "pai-session: '"*"' $rule" ]]
		[[ $stderr != *$'\033'* ]]
	done
	wrong 125 "'-x' $rule" show -- -x
	turn a
	for command in show log rewind rm; do
		wrong 1 "session 'none': there is none in $PWD/s" "$command" none
	done
	wrong 1 "session 'none': there is none in $PWD/s" fork none b
	wrong 1 "session 'none': there is none in $PWD/s" get none x
	wrong 125 "'.b' $rule" fork a .b
	: >file
	wrong 125 "--session-dir: file: Not a directory" --session-dir=file list
	wrong 1 "--session-dir: nowhere: there is no such folder of sessions" --session-dir=nowhere show a
}

@test "bad options and operands are named" {
	wrong 125 "no command; 'pai-session --help' shows all"
	wrong 125 "bla: unknown command; 'pai-session --help' shows all" bla
	wrong 125 "--bla: unknown option, or it takes no value; 'pai-session --help' shows all" list --bla
	wrong 125 "-x: unknown option, or it takes no value; 'pai-session --help' shows all" list -x
	wrong 125 "--json=1: unknown option, or it takes no value; 'pai-session --help' shows all" list --json=1
	wrong 125 "-o: needs a value behind it" get a x -o
	wrong 125 "list: too many operands; usage: pai-session list" list a
	wrong 125 "show: too few operands; usage: pai-session show NAME" show
	wrong 125 "fork: too few operands; usage: pai-session fork NAME NEW" fork a
	wrong 125 "prune: needs --older=TIME" prune
	wrong 125 "--older: 'soon' is not a time up to 36500d (as in 30d, 12h, 90m)" prune --older=soon
	wrong 125 "list: --older and --dry-run are options of prune" list --older=1d
	wrong 125 "show: --output is an option of get" show a -o x
	turn a
	run -125 --separate-stderr sessions rewind a x
	[[ $stderr == "pai-session: TURN: 'x' is not a number from 1 to "* ]]
	run -125 --separate-stderr sessions --lock-wait=soon show a
	[[ $stderr == "pai-session: --lock-wait: 'soon' is not a time "* ]]
	mkdir -p .config/pai
	echo 'defaults: {session-dirr: x}' >.config/pai/pai.yaml
	run -125 --separate-stderr sessions list
	[[ $stderr == 'pai-session: '*session-dirr* ]]
	run -0 sessions --help
	[[ $output == *'put    NAME SRC[:NAME]...'* ]]
	run -0 sessions --version
	[[ $output =~ ^pai-session\ [0-9] ]]
}

@test "show tells the facts, the kept turns and the files" {
	turn a x=1 sub/y=22
	turn a x=333
	echo 4444 | sessions put a -:in.csv
	run -0 --separate-stderr sessions show a
	[[ ${lines[2]} == 'turn      2' ]]
	[[ ${lines[3]} == 'kept      1 2' ]]
	[[ $output == *'backend   gvisor release-1'* ]]
	[[ $output == *'contexts  main'* ]]
	[[ $output == *'files                2  sub/y'*'3  x'* ]]
	[[ $output == *'waiting              5  in.csv'* ]]
	sessions show a --json | jq -e '.name == "a" and .turn == 2 and .kept == [1, 2] and .contexts == ["main"] and
		.files == [{path: "sub/y", size: 2}, {path: "x", size: 3}] and .waiting == [{path: "in.csv", size: 5}] and
		.backend == "gvisor" and .image == "default" and .cpus == 1 and .memory_bytes == 1073741824 and .saved > 0'
}

@test "log has a line for each turn, and its JSON is the array of them" {
	for _ in 1 2 3 4; do turn a; done
	run -0 --separate-stderr sessions log a
	[ "${#lines[@]}" -eq 5 ]
	[[ ${lines[4]} =~ ^\ +4\ +[0-9-]+\ [0-9:]+\ +ok\ +0\ +1\.500\ +main\ +9\ ab12 ]]
	# no name of a program's file moves a cursor
	[[ $output == *'a\x1b[2Jb.csv'* ]]
	[[ $output != *$'\033'* ]]
	sessions log a --json | jq -e 'map(.turn) == [1, 2, 3, 4] and all(.code.bytes == 9)'
	[ "$(sessions log a --json | jq -r '.[0].files[0]' | od -An -c | grep -c 033)" -eq 1 ]
}

@test "fork makes a session of the last turn and the files that wait" {
	turn a x=1
	turn a x=2
	echo in | sessions put a -:in
	sessions fork a b
	[ "$(cd s/b && find . | sort | tr '\n' ' ')" = './2 ./2/files ./2/files/x ./2/log ./2/session.json ./2/sizes ./2/snapshot ./2/snapshot/pages.img ./lock ./put-2 ./put-2/in ' ] ||
		[ "$(cd s/b && find . | wc -l)" -eq 12 ]
	turn b x=3
	turn a x=4
	[ "$(sessions get a x -o -)" = 4 ]
	[ "$(sessions get b x -o -)" = 3 ]
	[ "$(sessions rewind b --json)" = '{"name":"b","turn":2}' ]
	[ "$(sessions get b x -o -)" = 2 ]
	[ "$(sessions fork a c --json)" = '{"name":"c","turn":3,"from":"a"}' ]
	[ -z "$(find s -name '.*' -mindepth 1)" ]
}

@test "fork copies no bytes on one file system" {
	turn a
	sessions fork a b
	# a hard link, or else a reflink
	[ "$(stat -c %i s/a/1/snapshot/pages.img)" = "$(stat -c %i s/b/1/snapshot/pages.img)" ] ||
		cp --reflink=always s/a/1/snapshot/pages.img s/clone
}

@test "fork replaces nothing" {
	turn a x=1
	turn b x=2
	wrong 125 "session 'b': there is one already" fork a b
	ln -s nowhere s/c
	wrong 125 "session 'c': there is one already" fork a c
	[ "$(sessions get b x -o -)" = 2 ]
	truncate -s 1 s/a/1/log
	run -125 --separate-stderr sessions fork a d
	[ ! -e s/d ]
}

@test "what a killed fork left is taken away by the next" {
	turn a x=1
	mkdir -p s/.b.part/1/snapshot
	touch s/.b.part/lock
	sessions fork a b
	[ ! -e s/.b.part ]
	[ "$(sessions get b x -o -)" = 1 ]
}

@test "rewind goes one turn back, or to one that is kept" {
	turn a x=1
	turn a x=2
	echo in | sessions put a -:in
	[ "$(sessions rewind a)" = 'a: turn 1' ]
	[ "$(sessions get a x -o -)" = 1 ]
	# what waited still does
	[ "$(sessions get a in -o -)" = in ]
	wrong 1 "session 'a': there is no turn before the last; kept: 1" rewind a
	turn a x=22
	turn a x=33
	wrong 1 "session 'a': turn 1 is not kept; kept: 2, 3" rewind a 1
	wrong 1 "session 'a': turn 4 is not kept; kept: 2, 3" rewind a 4
	[ "$(sessions rewind a 3)" = 'a: turn 3' ]
	[ "$(sessions rewind a 2 --json)" = '{"name":"a","turn":2}' ]
	[ "$(sessions get a x -o -)" = 22 ]
	sessions log a --json | jq -e 'map(.turn) == [1, 2]'
	[ -z "$(find s -name '*.gone')" ]
}

@test "rewind helps where the last turn is damaged, and says so" {
	turn a x=1
	turn a x=2
	truncate -s 2 s/a/2/snapshot/pages.img
	run -125 --separate-stderr sessions fork a b
	[[ $stderr == *"pai-session rewind"* ]]
	[ "$(sessions rewind a)" = 'a: turn 1' ]
	[ "$(sessions get a x -o -)" = 1 ]
	truncate -s 2 s/a/1/snapshot/pages.img
	run -1 --separate-stderr sessions rewind a
}

@test "rm leaves nothing, and removes what it can" {
	turn a x=1
	turn b
	sessions fork a c
	sessions rm a c
	[ "$(ls -A s)" = b ]
	run -1 --separate-stderr sessions rm none b
	[ "$stderr" = "pai-session: session 'none': there is none in $PWD/s" ]
	[ -z "$(ls -A s)" ]
	turn a
	[ "$(sessions rm a --json)" = '{"removed":["a"]}' ]
	turn a
	# a damaged one too, but nothing through a link
	rm -r s/a/1/snapshot
	mkdir outside
	touch outside/canary
	ln -s "$PWD/outside" s/a/1/snapshot
	sessions rm a
	[ -e outside/canary ]
	ln -s "$PWD/outside" s/l
	run -125 --separate-stderr sessions rm l
	[ -e outside/canary ]
}

@test "prune removes what was not used for so long" {
	turn old
	turn new
	turn damaged
	truncate -s 1 s/damaged/1/log
	touch -d '40 days ago' s/old s/damaged
	mkdir s/.x.part s/.y.gone
	touch -d '2 hours ago' s/.x.part
	run -0 --separate-stderr sessions prune --older=30d --dry-run
	[ "$output" = $'damaged: would be removed\nold: would be removed' ]
	[ "$(sessions prune --older=2592000 --dry-run)" = "$output" ]	# seconds
	[ -e s/old ]
	[ "$(sessions prune --older=41d --json)" = '{"removed":[],"bytes":0,"dry_run":false}' ]
	[ ! -e s/.x.part ]
	[ -e s/.y.gone ]
	# what is no session and has the name of one is neither old nor an error
	touch -d '40 days ago' s/file
	ln -s new s/link
	run -0 --separate-stderr sessions prune --older=30d --dry-run
	[ "$output" = $'damaged: would be removed\nold: would be removed' ]
	run -0 --separate-stderr sessions prune --older=30d --json
	[ -z "$stderr" ]
	jq -e '.removed == ["damaged", "old"] and .bytes > 0' <<<"$output"
	[ "$(cd s && echo *)" = 'file link new' ]
}

@test "a folder that is no session's is none, and nothing of it is removed" {
	turn a x=1
	turn a x=2
	mkdir -p s/docs s/photos/2024 s/empty s/.x.part s/.y.gone
	touch s/docs/b s/photos/2024/p s/.x.part/b s/.y.gone/b s/a/note
	touch -d '40 days ago' s/* s/.x.part s/.y.gone
	[ "$(sessions list --json | jq -c 'map(.name)')" = '["a"]' ]
	for name in docs photos empty; do
		wrong 1 "session '$name': $PWD/s/$name is no session" show $name
		wrong 1 "session '$name': $PWD/s/$name is no session" rm $name
	done
	[ "$(find s/docs s/photos s/empty | wc -l)" = 6 ]
	# nor is a file put beside them, or a turn made there
	wrong 125 "session 'docs': $PWD/s/docs is a folder of other files ('b')" put docs "$BATS_TEST_FILENAME"
	wrong 125 "session 'photos': $PWD/s/photos is a folder of other files ('2024')" put photos "$BATS_TEST_FILENAME"
	sessions put empty "$BATS_TEST_FILENAME"
	sessions rm empty
	# what somebody has laid into a session's folder is his
	touch -d '40 days ago' s/*
	wrong 125 "session 'a': 'note' in its folder is none of its files; nothing is removed" prune --older=30d
	wrong 125 "session 'a': 'note' in its folder is none of its files; nothing is removed" rm a
	[ -e s/a/1 ]
	[ -e s/a/note ]
	[ -e s/docs/b ]
	[ -e s/photos/2024/p ]
	[ -e s/.x.part/b ]
	[ -e s/.y.gone/b ]
	[ "$(sessions get a x -o -)" = 2 ]
}

@test "two callers take turns; who waits too long is told who has it" {
	turn a
	mkfifo hold
	"$PAI_BUILD/t/session-make" s a 0 <hold >held &
	holder=$!
	exec 9>hold
	for _ in $(seq 500); do [ -s held ] || read -rt 0.01 <> <(:) || :; done
	wrong 125 "session 'a': process $holder has it; waited 50 ms (--lock-wait)" rm a --lock-wait=50ms
	for command in 'fork a b' 'rewind a' 'put a -:x'; do
		# shellcheck disable=SC2086
		run -125 --separate-stderr sessions --lock-wait=0 $command <<<1
		[[ $stderr == *"process $holder has it"* ]]
	done
	# but one may look, and take files out
	run -0 sessions show a
	run -0 sessions list
	sessions prune --older=0
	[ -e s/a ]
	PAI_DEFAULTS_LOCK_WAIT=30s sessions rm a 9>&- &
	exec 9>&-
	wait "$holder"
	wait $!
	[ -z "$(ls -A s)" ]
}

@test "a lock of a killed process is free" {
	turn a
	mkfifo hold
	"$PAI_BUILD/t/session-make" s a 0 <hold >held &
	holder=$!
	exec 9>hold
	for _ in $(seq 500); do [ -s held ] || read -rt 0.01 <> <(:) || :; done
	kill -9 "$holder"
	wait "$holder" || :
	exec 9>&-
	sessions --lock-wait=5s rm a
}

@test "what killed runs left is swept by the next turn" {
	turn a x=1
	mkdir -p s/a/2.part/snapshot s/a/0.gone s/a/put-0
	touch s/a/2.part/snapshot/pages.img s/a/put.part
	turn a
	[ "$(cd s/a && echo *)" = '1 2 lock' ]
}

@test "a session of another format is refused, both are named" {
	turn a
	sed -i '1s/.*/pai-session 2/' s/a/1/sizes
	wrong 125 "session 'a': turn 1: it is of format 2, this pai-exec knows 1" show a
}

@test "a session can be moved and copied, holes and links do not matter" {
	turn a x=1
	cp -r s/a s/b
	mkdir t
	mv s/a t/c
	[ "$(sessions get b x -o -)" = 1 ]
	"$PAI_BUILD/pai-session" --session-dir=t show c
	"$PAI_BUILD/t/session-make" t c 2
}

@test "a reader that goes away is no message, a full output is" {
	for i in 1 2 3; do turn "a$i"; done
	run -0 --separate-stderr bash -c "'$PAI_BUILD/pai-session' --session-dir=s list | true"
	[ -z "$stderr" ]
	[ -c /dev/full ] || skip 'no /dev/full'
	for command in list 'list --json' 'show a1' 'log a1' --help --version; do
		# shellcheck disable=SC2086
		run -125 --separate-stderr bash -c "'$PAI_BUILD/pai-session' --session-dir=s $command >/dev/full"
		[ "$stderr" = 'pai-session: write to standard output: it failed' ]
	done
	run -125 --separate-stderr bash -c "'$PAI_BUILD/t/session-make' s a1 2 x=1 && '$PAI_BUILD/pai-session' --session-dir=s get a1 x -o - >/dev/full"
	[ "$stderr" = 'pai-session: write to standard output: No space left on device' ]
}

@test "every command and option of pai-session is in its man page" {
	man=$PAI_SOURCE/man/pai-session.1
	while IFS=$'\t' read -r word _; do
		if [[ $word == --* ]]; then
			grep -qE "Fl Fl ${word#--}( |$)" "$man"
		else
			grep -qE "^\.(Cm|It Cm) $word( |$)" "$man"
		fi
	done < <(sessions --list-options)
}
