# SPDX-License-Identifier: Apache-2.0
# pai-session put and get: files of sessions between their turns, without a sandbox.

load helper
load sessions/made

@test "put makes a session, and replaces a file as a whole" {
	mkdir -p in/sub
	echo 1 >in/a
	echo 2 >in/sub/b
	chmod 755 in/a
	[ -z "$(sessions put a in in/a:c.txt 2>&1)" ]
	[ "$(cd s/a/put-0 && find . -type f | sort | tr '\n' ' ')" = './c.txt ./in/a ./in/sub/b ' ]
	[ "$(stat -c %a s/a/put-0/in/a)" = 755 ]
	echo 3 | sessions put a -:in/a --json | jq -e '. == {name: "a", turn: 0, files: [{path: "in/a", size: 2}]}'
	[ "$(cat s/a/put-0/in/a)" = 3 ]
	[ "$(stat -c %a s/a/put-0/in/a)" = 644 ]
	[ "$(cat s/a/put-0/in/sub/b)" = 2 ]
	# the turn that takes them takes them away
	turn a
	[ ! -e s/a/put-0 ]
	echo 4 | sessions put a -:d
	[ -f s/a/put-1/d ]
}

@test "a umask that shuts the user out shuts no session" {
	umask 777
	echo 1 | sessions put a -:in/x
	sessions fork a b
	umask 022
	[ "$(find s ! -type l -printf '%m %P\n' | grep -v '^[67]')" = '' ]
	[ "$(cat s/b/put-0/in/x)" = 1 ]
}

@test "put looks at all before it puts anything" {
	echo 1 >a
	mkdir d
	ln -s a d/link
	mkfifo p
	wrong 125 "'none': No such file or directory" put a a none
	wrong 125 "'d/link' is a symbolic link: files and folders can be put" put a a d
	wrong 125 "'p' is neither a file nor a folder" put a p
	wrong 125 "'a': '../x' cannot be a name in /workspace" put a a:../x
	wrong 125 "'a' and 'd' would both be 'x' in /workspace; SRC:NAME gives one another name" put a a:x d:x
	wrong 125 "'a' and standard input would both be 'x' in /workspace" put a a:x -:x
	wrong 125 "'-' has no name of its own; -:NAME gives it one" put a -
	wrong 125 "'-:y': standard input can be put once" put a -:x -:y
	wrong 125 "'-:/x': '/x' cannot be a name in /workspace" put a -:/x
	wrong 125 "'-:': '' cannot be a name in /workspace" put a -:
	[ ! -e s/a ]
}

@test "put follows no link that was planted, and a file is no folder" {
	turn a
	echo 1 | sessions put a -:x
	mkdir outside
	ln -s "$PWD/outside" s/a/put-1/dir
	ln -s "$PWD/outside/new" s/a/put-1/file
	run -125 --separate-stderr sessions put a -:dir/x <<<1
	[ -z "$(ls outside)" ]
	sessions put a -:file <<<1
	[ -z "$(ls outside)" ]
	[ "$(cat s/a/put-1/file)" = 1 ]
	wrong 125 "session 'a': put: x/y: Not a directory" put a -:x/y
	[ -z "$(find s/a -name '*.part')" ]
}

@test "get takes files and folders, those that wait first" {
	turn a x=1 sub/y=2 sub/z=3
	sessions put a -:x <<<waits
	sessions put a -:sub/y <<<waits
	run -0 --separate-stderr sessions get a x sub
	[ -z "$output$stderr" ]
	[ "$(cat x)" = waits ]
	[ "$(cat sub/y sub/z)" = $'waits\n3' ]
	sessions get a sub/z -o new.txt
	wrong 125 "--output: 'no/such': there is no folder 'no' to make it in; mkdir -p makes both" get a sub/z -o no/such/z
	[ "$(cat new.txt)" = 3 ]
	mkdir dir
	sessions get a sub/z /workspace/x -o dir
	[ "$(cat dir/z dir/x)" = 3waits ]
	sessions get a sub -o copy
	[ "$(cat copy/z)" = 3 ]
	sessions get a . -o all
	[ "$(cd all && find . -type f | sort | tr '\n' ' ')" = './sub/y ./sub/z ./x ' ]
	[ "$(sessions get a sub/y sub/z -o -)" = $'waits\n3' ]
	sessions get a sub/z x -o two/ --json | jq -e '.name == "a" and .turn == 1 and (.files | map(.path)) == ["z", "x"] and
		.files[0].size == 1 and (.files[0].sha256 | length) == 64'
}

@test "get tells what is not there before it writes anything" {
	turn a x=1 sub/y=2
	for no in none sub/none x/y; do
		wrong 1 "session 'a': '$no' is not there" get a x "$no"
	done
	[ ! -e x ]
	for no in ../x /etc/passwd sub/../x ''; do
		wrong 125 "'$no' cannot be a name in /workspace" get a "$no"
	done
	wrong 125 "'sub' is a folder: standard output takes files" get a sub -o -
	wrong 125 "--json: standard output has the file, by -o -" get a x -o - --json
	turn b
	wrong 1 "session 'b': 'x' is not there" get b x
}

@test "get writes through no link, and follows none" {
	turn a x=1 sub/y=2
	mkdir outside to
	echo canary >outside/x
	ln -s "$PWD/outside/x" to/x
	sessions get a x -o to
	[ "$(cat outside/x)" = canary ]
	[ ! -L to/x ]
	[ "$(cat to/x)" = 1 ]
	ln -s "$PWD/outside" to/sub
	run -125 --separate-stderr sessions get a sub -o to
	[ ! -e outside/y ]
	# in the session
	ln -s "$PWD/outside" s/a/1/files/l
	run -125 --separate-stderr sessions get a l
	run -1 --separate-stderr sessions get a l/x
	run -125 --separate-stderr sessions get a . -o all
	[ ! -e all/l ]
	mkfifo s/a/1/files/p
	run -125 --separate-stderr timeout 10 "$PAI_BUILD/pai-session" --session-dir=s get a p
}

@test "files have plain modes" {
	turn a x=1
	chmod 4755 s/a/1/files/x
	sessions get a x
	[ "$(stat -c %a x)" = 755 ]
	touch suid
	chmod 6777 suid
	sessions put a suid
	[ "$(stat -c %a s/a/put-1/suid)" = 755 ]
}

@test "a path that is too long for /workspace is an error, not another name" {
	local d f n
	d=$(printf 'd%.0s' {1..255})
	f=$(printf 'f%.0s' {1..200})
	n=$(printf 'n%.0s' {1..200})
	mkdir long
	(cd long && for _ in {1..15}; do mkdir "$d" && cd "$d"; done && echo 1 >"$f")
	run -125 --separate-stderr sessions put a "long:$n"
	[[ $stderr == "pai-session: 'long': '"*"' would have a path of 4241 bytes (at most 4096)" ]]
	[ ! -e s/a ]
	[ -z "$(sessions put a long:nn 2>&1)" ]
	run -125 --separate-stderr sessions get a nn -o "$n"
	[[ $stderr == "pai-session: 'nnn"*"' would have a path of more than 4096 bytes" ]]
	[ "$(find "$n" -type f | wc -l)" = 0 ]
}
