# SPDX-License-Identifier: Apache-2.0
# bats file_tags=sandbox
# A tar from standard input (-i -), and one to standard output (-o -).

load helper

# What the program sees of /workspace: each entry with its mode.
list='import os
for r, ds, fs in sorted(os.walk(".")):
    for n in sorted(ds + fs):
        s = os.lstat(os.path.join(r, n))
        print(os.path.join(r, n)[2:], oct(s.st_mode & 0o7777), sep=" ")'

# A folder with most of what a folder can hold.
tree() {
	"${as_user[@]}" mkdir -p in/deep/er in/empty
	echo a >in/a
	echo b >in/deep/er/b
	odd="é $(printf 'x%.0s' {1..150})"
	echo x >"in/$odd"
	ln -s ../a in/deep/link
	chmod 640 in/a
	chmod 755 in/deep in/deep/er/b
}

# made PYTHON: bad.tar, by Python's tarfile, which lets one add anything
made() {
	python3 -c 'import io, sys, tarfile
t = tarfile.open("bad.tar", "w")
def add(name, type=tarfile.REGTYPE, data=b"", **more):
    m = tarfile.TarInfo(name)
    m.type, m.size = type, len(data)
    for k, v in more.items(): setattr(m, k, v)
    t.addfile(m, io.BytesIO(data))
'"$1"'
t.close()'
}

# not_taken MESSAGE ARG...: the tar on standard input is one line, 125, and nothing ran
not_taken() {
	local message=$1 status=0

	shift
	cat >given
	pai -i - "$@" -c 'print("ran")' <given >said 2>err || status=$?
	if [ "$status" != 125 ] || [ -s said ] || [ "$(cat err)" != "pai-exec: --input: $message" ]; then
		echo "wanted: $message"
		cat said err
		return 1
	fi
	pai --json -i - "$@" -c 'print("ran")' <given >r || [ $? = 125 ]
	[ "$(jq -c '[.status, .started]' r)" = '["failed",false]' ]
}

@test "-i -: a tar from standard input is in /workspace before the program starts" {
	tree
	tar -cf in.tar in
	run -0 pai -i - -c "$list" <in.tar
	[ "$output" = "in $(printf '0o%o' "0$(stat -c %a in)")
in/a 0o640
in/deep 0o755
in/empty $(printf '0o%o' "0$(stat -c %a in/empty)")
in/$odd $(printf '0o%o' "0$(stat -c %a "in/$odd")")
in/deep/er $(printf '0o%o' "0$(stat -c %a in/deep/er)")
in/deep/link 0o777
in/deep/er/b 0o755" ]
	run -0 pai -i - -c 'import os, sys
print(open("in/deep/er/b").read(), os.readlink("in/deep/link"), os.listdir(), sys.stdin.read() == "", end="")' <in.tar
	[ "$output" = "b
 ../a ['in'] True" ]
}

@test "-i -: a tar that gzip packed goes in too, and one of ./ leaves /workspace usable" {
	tree
	chmod 500 in
	tar -C in -czf in.tgz .
	chmod 700 in
	run -0 pai -i - -c 'import os; open("new", "w"); print(sorted(os.listdir())[:4])' <in.tgz
	[ "$output" = "['a', 'deep', 'empty', 'new']" ]
}

@test "-i -: a sparse file may be larger than --disk and --memory" {
	truncate -s 5G sparse
	echo end >>sparse
	[ "$(tar -cS sparse | pai -i - -c 'f = open("sparse", "rb"); f.seek(-4, 2); print(f.tell(), f.read())')" = "5368709120 b'end\\n'" ]
}

@test "-i -: what it brought counts as input: only what is new or changed is kept" {
	tree
	tar -c in | pai -i - -o out -c 'open("in/a", "w").write("changed"); open("in/empty/new", "w").write("n")'
	[ "$(cd out && find . -type f | sort | xargs)" = './in/a ./in/empty/new' ]
	[ "$(cat out/in/a out/in/empty/new)" = changedn ]
}

@test "-i -: with other inputs, a program FILE and arguments; one name twice is refused" {
	tree
	echo 'import os, sys; print(sorted(os.listdir()), sorted(os.listdir("in")) > [], sys.argv[1:])' >job.py
	echo 1 >data
	run -0 pai -i data -i - -i data:in/data job.py x < <(tar -c in)
	[ "$output" = "['data', 'in', 'job.py'] True ['x']" ]
	tar -c in | not_taken "'in/a' is in the tar from standard input too" -i data:in/a
	"${as_user[@]}" mkdir -p other/in
	tar -c in | not_taken "'in' is in the tar from standard input too" -i other/in
	tar -c job.py >job.tar
	run -125 --separate-stderr pai -i - job.py <job.tar
	[ "$stderr" = "pai-exec: --input: 'job.py' is in the tar from standard input too" ]
}

@test "-i -: a tar that is damaged, cut short, empty or none is one line, and nothing runs" {
	head -c 100000 /dev/urandom >blob
	tar -cf whole.tar blob job* 2>/dev/null || tar -cf whole.tar blob
	head -c 50000 whole.tar | not_taken 'the tar from standard input is cut short'
	# where an entry ends: many readers see nothing wrong
	head -c $((512 + 100352)) whole.tar | not_taken 'the tar from standard input is cut short'
	gzip <whole.tar | head -c 60000 | not_taken 'the tar from standard input is cut short'
	not_taken 'standard input is empty, and no tar' </dev/null
	echo hello | not_taken 'the tar from standard input is none'
	printf 'x' | not_taken 'the tar from standard input is none'
	head -c 20000 /dev/urandom | sed 's/^/x/' | not_taken 'the tar from standard input is none'
}

@test "-i -: a compression that the image cannot undo is named" {
	run -0 pai -l shell -nc 'command -v xz || :'
	[ -z "$output" ] || skip 'this image has xz'
	echo 1 >f
	tar -c f | xz | not_taken 'the tar from standard input is compressed, and the image has no xz'
}

@test "-i -: what -i would refuse in a folder is refused in a tar" {
	made 'add("d/pipe", tarfile.FIFOTYPE)'
	not_taken "'d/pipe' in the tar from standard input is neither a file nor a folder nor a link" <bad.tar
	made 'add("disk", tarfile.BLKTYPE, devmajor=8)'
	not_taken 'the tar from standard input: disk: Cannot mknod: Operation not permitted' <bad.tar
	made 'add("/".join(["d"] * 70), data=b"x")'
	not_taken 'the tar from standard input: more than 64 folders deep' <bad.tar
	made 'add("big", data=bytes(3000000))'
	not_taken 'the tar from standard input does not fit into --disk' --disk=1M <bad.tar
}

@test "-i -: no name and no link in a tar leads out of /workspace, no set-uid bit comes in" {
	for name in /abs/olute ../up d/../../other; do
		made "add('$name', data=b'1')"
		not_taken 'the tar from standard input names what lies outside of /workspace' <bad.tar
	done
	made 'add("f", tarfile.LNKTYPE, linkname="/etc/passwd")'
	not_taken 'the tar from standard input names what lies outside of /workspace' <bad.tar
	made 'add("way", tarfile.SYMTYPE, linkname="/tmp"); add("suid", data=b"5", mode=0o4755); add("shut", data=b"6", mode=0)
add("closed", tarfile.DIRTYPE, mode=0); add("closed/f", data=b"7", mode=0)'
	run -0 pai -i - -c 'import os
print(oct(os.stat("suid").st_mode), open("shut").read(), open("closed/f").read(), os.readlink("way"), os.stat("suid").st_uid)' <bad.tar
	[ "$output" = "0o100755 6 7 /tmp 1000" ]
	# through a link that the tar itself brought
	made 'add("way", tarfile.SYMTYPE, linkname="/home/user"); add("way/.profile", data=b"evil")'
	not_taken 'the tar from standard input: way/.profile: Cannot open: Not a directory' <bad.tar
}

@test "-i -: standard input can be given to one thing only" {
	for words in '-i -' '-i - -'; do
		# shellcheck disable=SC2086 # words
		refused 125 "--input: '-' takes standard input, so the program must come from FILE, --code or --module" $words
	done
	refused 125 '--input: standard input cannot be read twice' -i - -i - -c 1
	run script -qec "${pai[*]} -i - -c 1" /dev/null
	[[ $output == *"pai-exec: --input: '-' takes a tar, but standard input is a terminal"* ]]
	# -n says what is so anyway; a file of that name has another
	echo 1 >./-
	run -0 pai -n -i - -i ./-:dash -c 'import os; print(sorted(os.listdir()))' < <(tar -c -- ./-)
	[ "$output" = "['-', 'dash']" ]
}

@test "-i -: a tar that comes slowly costs neither the boot's deadline nor the program's time" {
	head -c 100000 /dev/urandom >blob
	tar -cf whole.tar blob
	printf 'code_interpreter_vm:\n  boot_timeout: 5s\n' >slow.yaml
	# the wait is what is tested: longer than both limits
	{ head -c 40000 whole.tar; read -rt 7 <> <(:) || :; tail -c +40001 whole.tar; } |
		pai --config=slow.yaml -t 5s -i - -c 'import os; print(os.path.getsize("blob"))' >said
	[ "$(cat said)" = 100000 ]
}

@test "-i -: a signal ends a run that still reads its tar, and nothing is left" {
	mkfifo given
	"${pai[@]}" -i - -o out -c 'print("ran")' <given >said 2>err &
	pid=$!
	exec 9>given
	printf 'x' >&9
	"$PAI_SOURCE/t/until-running" "$pid"
	kill -TERM "$pid"
	status=0
	wait "$pid" || status=$?
	exec 9>&-
	[ "$status" = 143 ]
	[ ! -s said ]
	[ -z "$(ls out)" ]
}

# What is made for the tests of -o -, and what is printed at the same time.
make='import os
print("out"); os.makedirs("d/e/empty"); open("d/f", "w").write("x" * 1000); open("z", "w")
print("err", file=__import__("sys").stderr)
long = "n" * 120 + "/" + "é" * 100; os.mkdir("n" * 120); open(long, "w").write("long")
for n in (b"-rf", b"caf\xe9", "é".encode(), b"new\nline", b"m" * 100, b"\xe9" * 120): open(n, "wb").write(n)
os.chmod("d/f", 0o755); os.chmod("z", 0o600); os.utime("d/f", (1, 1234567890)); os.symlink("z", "link"); print("end")'

@test "-o -: the tar holds what -o DIR would keep, for GNU tar, Python and bsdtar" {
	run -0 --separate-stderr pai -q -o dir -c "$make"
	pai -o - -c "$make" >o.tar 2>err
	# the program's own output is on standard error, in its order
	[ "$(cat err)" = "out
err
end
pai-exec: 'link' not kept: symlink" ]
	mkdir gnu python bsd
	tar -tf o.tar >names
	tar -xf o.tar -C gnu 2>err
	[ ! -s err ]
	diff -r dir gnu
	[ "$(cd dir && find . -printf '%P %m\n' | sort | sha256sum)" = "$(cd gnu && find . -printf '%P %m\n' | sort | sha256sum)" ]
	[ "$(stat -c %Y gnu/d/f)" = 1234567890 ]
	python3 -c 'import os, tarfile
with tarfile.open("o.tar") as t:
    assert {m.type for m in t} == {tarfile.REGTYPE, tarfile.DIRTYPE}
    me = os.stat("dir")
    assert {(m.uid, m.gid) for m in t} == {(me.st_uid, me.st_gid)}
    assert {m.name for m in t} == {os.path.relpath(os.path.join(r, n), "dir") for r, ds, fs in os.walk("dir") for n in ds + fs}
    t.extractall("python")'
	diff -r dir python
	if command -v bsdtar >/dev/null; then
		bsdtar -xf o.tar -C bsd
		diff -r dir bsd
	else
		echo '# no bsdtar here: not read by it' >&3
	fi
}

@test "-o -: numbers that a header cannot hold, and an empty tar" {
	pai -o - -c 'import os
open("far", "w"); os.utime("far", (1 << 40, 1 << 40)); open("old", "w"); os.utime("old", (-5, -5))' >o.tar
	python3 -c 'import tarfile; t = tarfile.open("o.tar"); assert [m.mtime for m in t] == [(1 << 33) - 1, 0], [m.mtime for m in t]'
	pai -o - -c 'print("nothing")' >o.tar 2>err
	[ "$(cat err)" = nothing ]
	[ "$(tar -tvf o.tar)" = '' ]
	[ "$(stat -c %s o.tar)" = 1024 ]
}

@test "-o - into -i -: a round trip, and a chain of runs" {
	head -c 3000000 /dev/urandom >blob
	sum=$(sha256sum <blob)
	pai -i blob -o - -c 'import os
os.rename("blob", "moved"); os.makedirs("a/b"); open("a/b/tool.sh", "w").write("#"); os.chmod("a/b/tool.sh", 0o755)' |
		pai -i - -o - -c 'import os
print(sorted(os.listdir()), oct(os.stat("a/b/tool.sh").st_mode)); os.rename("moved", "again")' 2>said |
		pai -i - -o out -c 'import os; print(os.listdir()); os.rename("again", "last")' >last
	[ "$(cat said last)" = "['a', 'moved'] 0o100755
['again']" ]
	[ "$(sha256sum <out/last)" = "$sum" ]
}

@test "-o -: a run that fails, is stopped or interrupted gives the files that it made" {
	status=0
	pai -o - -c 'open("f", "w").write("x"); 1/0' >o.tar 2>err || status=$?
	[ "$status $(tar -tf o.tar)" = '1 f' ]
	status=0
	pai -o - -t 1s -k 0 -c 'open("f", "w").write("x")
while True: pass' >o.tar 2>err || status=$?
	[ "$status $(tar -tf o.tar)" = '124 f' ]
	mkfifo up
	"${pai[@]}" -o - -c 'import time
open("f", "w").write("x"); print("up", flush=True)
time.sleep(600)' >o.tar 2>up &
	pid=$!
	exec 5<up	# stays open: a reader that goes away would end it
	read -ru 5 _
	kill -INT "$pid"
	status=0
	wait "$pid" || status=$?
	[ "$status $(tar -tf o.tar)" = '130 f' ]
}

@test "-o -: what the caps leave out is a 125, and the tar is whole without it" {
	status=0
	pai --max-files=2 -o - -c 'for n in "abc": open(n, "w").write("12345678")' >o.tar 2>err || status=$?
	cat err
	[ "$status $(tar -tf o.tar | xargs)" = '125 a b' ]
	[ "$(cat err)" = "pai-exec: 'c' not kept: limit --max-files=2" ]
}

@test "-o -: a reader that goes away ends the run as SIGPIPE would" {
	{ status=0; pai -o - -c 'open("f", "wb").write(bytes(5000000))' || status=$?; echo "$status" >s; } | head -c 1000 >start
	[ "$(cat s)" = 141 ]
	[ "$(stat -c %s start)" = 1000 ]
}

@test "-o -: a slow reader has it all, beyond the program's limit too" {
	# the wait is what is tested: longer than what the end of a run may take
	pai -t 2s -k 0 -o - -c 'open("f", "wb").write(bytes(5000000))
while True: pass' 2>err | { head -c 100000; read -rt 4 <> <(:) || :; cat; } >o.tar || :
	[ "${PIPESTATUS[0]}" != 125 ]
	tar -xf o.tar
	[ "$(stat -c %s f)" = 5000000 ]
}

@test "-o -: a sandbox that lies or dies in the middle leaves no tar that looks whole" {
	for fault in short-file lost-file; do
		mkdir "$fault"
		cp "$PAI_BUILD/t/fake-$fault" "$fault/runsc"
		status=0
		PATH=$work/$fault:/usr/bin:/bin pai --fresh -b gvisor -o - -nc 1 >o.tar 2>err || status=$?
		[ "$status" = 125 ]
		[ "$(wc -l <err)" = 1 ]
		run -2 tar -tf o.tar
		run -2 tar -xf o.tar
		run -1 python3 -c 'import tarfile; list(tarfile.open("o.tar"))'
		run -1 python3 -c 'import sys, tarfile
for m in tarfile.open(fileobj=open("o.tar", "rb"), mode="r|"): print(m.name)'
	done
	[ "$(cat err)" = "pai-exec: the sandbox died before the program's end" ]
}

@test "-o -: standard output that cannot take a tar is refused before anything starts" {
	export PATH=/usr/bin:/bin	# without a runsc
	run -125 pai --json -o - -c 1
	[ "$(jq -r .error.value <<<"$output")" = "--output-dir: '-' takes standard output, where --json puts its object" ]
	run script -qec "${pai[*]} -o - -c 1" /dev/null
	[[ $output == *"pai-exec: --output-dir: '-' writes a tar, but standard output is a terminal"* ]]
	pai -o - -c 1 >both 2>&1 || [ $? = 125 ]
	[ "$(cat both)" = "pai-exec: --output-dir: '-' writes a tar, but standard output and standard error are one file" ]
	run -125 --separate-stderr bash -c '"$@" >&-' sh "${pai[@]}" -o - -c 1
	[ "$stderr" = "pai-exec: --output-dir: '-' writes a tar, but standard output is closed" ]
	# a default gives way to what was asked for
	printf 'defaults:\n  json: true\n' >c.yaml
	run -125 --separate-stderr pai --config=c.yaml -o - -c 1
	[[ ${stderr_lines[0]} == 'pai-exec: no sandbox backend'* ]]
}
