# SPDX-License-Identifier: Apache-2.0
# bats file_tags=sandbox
# Files in and files out.

load helper

@test "the sales example: a table, a chart that opens, a workbook" {
	d=$PAI_SOURCE/deploy/examples
	run -0 pai -i "$d/sales.csv" -o out "$d/sales.py"
	[ "${lines[0]}" = '        orders  units    revenue' ]
	[ "${lines[2]}" = 'South      976   5313  493180.10' ]
	[ "$(ls out)" = 'chart.png
report.xlsx' ]
	[ "$(head -c 8 out/chart.png | od -An -tx1)" = ' 89 50 4e 47 0d 0a 1a 0a' ]
	# read back by another program: the image's own, in another run
	run -0 pai -i out/report.xlsx -i out/chart.png -c 'import openpyxl, PIL.Image
print(openpyxl.load_workbook("report.xlsx")["regions"]["D2"].value, PIL.Image.open("chart.png").size)'
	[ "$output" = '493180.1 (1080, 540)' ]
}

@test "standard input, arguments and files together" {
	printf 'n\n1\n2\n' >data.csv
	cat >job.py <<-'P'
		import sys
		rows = sys.stdin.read().split()[1:]
		with open(sys.argv[1], "w") as f:
		    print(sum(map(int, rows)), file=f)
		print(sys.argv[2])
	P
	[ "$(pai -o out job.py a b <data.csv)" = b ]
	[ "$(cat out/a)" = 3 ]
}

@test "a workbook is byte for byte the same outside" {
	[ "$(pai -o out "$cases/book.py")" = "$(sha256sum <out/t.xlsx | cut -d ' ' -f 1)" ]
	python3 -m zipfile -t out/t.xlsx
}

@test "links are not followed and not made, hard links are files" {
	run -0 --separate-stderr pai -o out "$cases/links.py"
	[ -z "$(find out -type l)" ]
	[ "$(cd out && find . -type f | sort | xargs)" = './hard.txt ./real/ok.txt' ]
	[ "$(cat out/hard.txt out/real/ok.txt)" = 'ok
ok' ]
	[ "$(sort <<<"$stderr")" = "pai-exec: 'inner.txt' not kept: symlink
pai-exec: 'passwd.txt' not kept: symlink
pai-exec: 'rootdir' not kept: symlink
pai-exec: 'up' not kept: symlink" ]
}

@test "nothing is written through a link in DIR, and that is a 125" {
	"${as_user[@]}" mkdir out victim
	ln -s "$PWD/victim" out/real
	run -125 --separate-stderr pai -o out "$cases/links.py"
	[ -z "$(ls victim)" ]
	[[ $stderr == "pai-exec: folder 'real' not kept: "* ]]
	[ "$(cat out/hard.txt)" = ok ]
	run -125 pai --json -o out "$cases/links.py"
	[ "$(jq -c '[.status, .exit_code, .error.code]' <<<"$output")" = '["failed",0,"output"]' ]
}

@test "a FIFO, a socket or a device in the output does not hang and is named" {
	run -0 --separate-stderr pai -o out -t 20 "$cases/special.py"
	[ "$(ls -A out)" = data.txt ]
	[ "$stderr" = "pai-exec: 'pipe' not kept: special
pai-exec: 'sock' not kept: special" ]
}

@test "odd names keep their bytes, and the JSON list is valid" {
	run -0 pai --json -o out "$cases/names.py"
	[ "$(jq '.files | length' <<<"$output")" = 12 ]
	[ "$(jq -r '.files[].path' <<<"$output" | grep -c '^caf\\xe9.bin$')" = 1 ]
	run -0 python3 - <<-'P'
		import os
		ok = 0
		for r, _, fs in os.walk("out"):
		    for f in fs:
		        ok += open(os.path.join(r, f), encoding="utf-8").read() in (f, "latin")
		print(ok, os.path.exists(b"out/caf\xe9.bin"))
	P
	[ "$output" = '12 True' ]
	cp out/-rf './-in put é.txt'
	run -0 pai -i './-in put é.txt' -c 'import os; print(os.listdir())'
	[ "$output" = "['-in put é.txt']" ]
}

@test "files belong to the caller, with plain modes" {
	umask 022
	run -0 pai -o out "$cases/modes.py"
	me=$(id -u)
	[ "${PAI_AS:-}" != user ] || me=12345
	[ "$(find out -type f -printf '%f %U %m\n' | sort)" = "in.txt $me 600
locked.txt $me 600
tool.sh $me 755" ]
	[ "$(cat out/locked.txt out/shut/in.txt)" = 'in
1' ]
	umask 077
	run -0 pai -o private "$cases/modes.py"
	[ "$(find private -type f -perm /077)" = '' ]
}

@test "an input is a copy: the host's stays, what is unchanged does not come back" {
	mkdir a
	echo 1 >a/data.csv
	echo 2 >same.txt
	run -0 pai -i a/data.csv -i same.txt -i "$cases/rewrite.py" -o out "$cases/rewrite.py"
	[ "$(cat a/data.csv)" = 1 ]
	[ "$(ls out)" = data.csv ]
	[ "$(cat out/data.csv)" = changed ]
}

@test "more empty files, arguments and variables than the channel holds at once" {
	"${as_user[@]}" mkdir many
	(cd many && seq 6000 | "${as_user[@]}" xargs touch)
	v=$(head -c 100000 /dev/zero | tr '\0' x)
	mapfile -t args < <(seq 50000)
	SECONDS=0
	run -0 pai -i many -e A="$v" -e B="$v" -e C="$v" -c 'import os, sys
print(len(os.listdir("many")), len(os.environ["C"]), len(sys.argv))' "${args[@]}"
	[ "$output" = '6000 100000 50001' ]
	[ "$SECONDS" -lt 20 ]	# a boot that did not go on had 30
}

@test "a file of /proc, whose size is told as 0, goes in whole" {
	run -0 pai -i /proc/self/mountinfo -i /proc/cpuinfo:c/info -c 'print(min(len(open(f).read()) for f in ("mountinfo", "c/info")) > 100)'
	[ "$output" = True ]
	"${as_user[@]}" mkdir empty
	"${as_user[@]}" touch empty/f
	run -0 pai -i empty -c 'import os; print(os.path.getsize("empty/f"))'
	[ "$output" = 0 ]
}

@test "a folder of DIR where a file comes, and a file where a folder comes, stay and are told" {
	"${as_user[@]}" mkdir -p out/x
	"${as_user[@]}" touch out/d
	run -125 --separate-stderr pai -o out -c 'import os; open("x", "w"); os.mkdir("d"); open("y", "w")'
	[ "$stderr" = "pai-exec: folder 'd' not kept: File exists
pai-exec: 'x' not kept: in_the_way" ]
	[ "$(find out -type f | sort | xargs)" = 'out/d out/y' ]
	run -125 --separate-stderr pai -o out -c 'open("x", "w")'
	[ "$stderr" = "pai-exec: 'x' not kept: Is a directory" ]
}

@test "folders go in and come out, links inside stay links" {
	"${as_user[@]}" mkdir -p in/deep/er out
	chmod 755 in
	echo x >in/deep/er/f
	ln -s deep/er/f in/link
	chmod 750 in/deep
	echo old >out/kept
	run -0 pai -i in -i in/deep:other/place -o out -c 'import os
print(open("in/link").read().strip(), os.readlink("in/link"), oct(os.stat("in/deep").st_mode))
os.makedirs("new/empty"); open("in/deep/g", "w").write("g"); open("other/place/h", "w").write("h")'
	[ "$output" = 'x deep/er/f 0o40750' ]
	[ "$(cd out && find . | sort | xargs)" = '. ./in ./in/deep ./in/deep/g ./kept ./new ./new/empty ./other ./other/place ./other/place/h' ]
}

@test "the folders that a named input lies in are not the program's; an empty one that it makes is" {
	echo 1 >a.csv
	pai -i a.csv:data/deep/a.csv -o out -n -c 1
	[ -z "$(ls -A out)" ]
	pai -i a.csv:data/deep/a.csv -o out -n -c 'import os; os.mkdir("data/new"); open("data/b", "w")'
	[ "$(cd out && find . | sort | xargs)" = '. ./data ./data/b ./data/new' ]
	# the same for the next turn, and for one that meets it
	for turn in 1 2; do
		pai --session-dir=. --session=s -i a.csv:"more$turn/a.csv" -o "out$turn" -n -c "import os; os.mkdir('new$turn')"
		[ "$(ls -A "out$turn")" = "new$turn" ]
	done
	mkdir data
	pai -i a.csv:data/a.csv -i data -o last -n -c 1
	[ -z "$(ls -A last)" ]
}

@test "SRC is the whole text if such a path exists, else split at the last colon" {
	echo a >x:y
	echo b >x
	run -0 pai -i x:y -i x:z -i x:q/r -c 'import os
for r, d, f in sorted(os.walk(".")): print(r, sorted(f))'
	[ "$output" = ". ['x:y', 'z']
./q ['r']" ]
}

@test "/mnt/data is /workspace, which is the working directory and holds the inputs only" {
	echo 1 >d
	run -0 pai -i d -c 'import os
print(os.getcwd(), os.path.realpath("/mnt/data"), os.listdir(), os.path.expanduser("~"))'
	[ "$output" = "/workspace /workspace ['d'] /home/user" ]
}

@test "files are kept when the program fails, is killed or exits in a hurry" {
	for end in '1/0' 'import os; os._exit(3)' 'import os; os.kill(os.getpid(), 9)'; do
		rm -rf out
		run pai -o out -c "open('f', 'w').write('x')
$end"
		[ "$(cat out/f)" = x ]
	done
}

@test "too many or too large files: what fits is kept, the status is 125" {
	run -125 --separate-stderr pai -o out -c 'for i in range(1100): open(f"{i:04}", "w").write("x")'
	[ "$(find out -type f | wc -l)" = 1000 ]
	[ "$stderr" = "pai-exec: '1000' not kept: limit --max-files=1000" ]
	run -125 --separate-stderr pai -o big --disk=100M -c 'open("big", "w").truncate(1 << 40); open("small", "w").write("s")'
	[ "$(ls big)" = small ]
	[ "$stderr" = "pai-exec: 'big' not kept: limit --max-output=512M" ]
}

@test "a disk that fills up while files are kept is told, and no part of a file stays" {
	[ "$(id -u)" = 0 ] && [ "${PAI_AS:-}" != user ] || skip 'needs root to mount'
	mkdir small
	mount -t tmpfs -o size=1m tmpfs small
	run -125 --separate-stderr pai -o small -c 'open("a", "w").write("x" * 600000); open("b", "w").write("x" * 600000); open("c", "w").write("c")'
	left=$(ls -A small)
	umount small
	[ "$left" = 'a
c' ]
	[ "$stderr" = "pai-exec: 'b' not kept: No space left on device" ]
}

@test "DIR that is deleted while the program runs is told" {
	"${as_user[@]}" mkdir gone
	mkfifo go
	pai -o gone -c 'import sys
sys.stdin.read(); open("f", "w").write("x")' <go 2>err &
	pid=$!
	exec 9>go
	"$PAI_SOURCE/t/until-running" "$pid"
	rmdir gone
	exec 9>&-
	status=0
	wait "$pid" || status=$?
	[ "$status" = 125 ]
	[[ $(cat err) == "pai-exec: 'f' not kept: "* ]]
}

@test "inputs that do not fit into --disk are told, and nothing runs" {
	head -c 3000000 /dev/zero >big
	run -125 --separate-stderr pai --disk=1M -i big -c 'print("ran")'
	[ -z "$output" ]
	[[ $stderr == *"the inputs do not fit into --disk ('big')" ]]
}

@test "without -o nothing of the program stays on the host" {
	pai -c 'open("f", "w").write("x")'
	[ -z "$(ls -A)" ]
}

@test "--max-files and --max-output bound what is kept, and say what was left" {
	run -125 --separate-stderr pai --max-files=2 -o out -c 'for n in "abc": open(n, "w").write("12345678")'
	[ "$(ls out)" = 'a
b' ]
	[ "$stderr" = "pai-exec: 'c' not kept: limit --max-files=2" ]
	run -125 --separate-stderr pai --max-output=20 -o less -c 'for n in "abc": open(n, "w").write("12345678")'
	[ "$stderr" = "pai-exec: 'c' not kept: limit --max-output=20" ]
	[ "$(cat less/b)" = 12345678 ]
	run -0 pai --max-files=3000 -o many -c 'import os
for n in range(2500): open(str(n), "w").write(str(n) * 9)'
	[ "$(find many -type f | wc -l) $(cat many/2499)" = '2500 249924992499249924992499249924992499' ]
}

@test "--include and --exclude choose what is kept, and the rest does not count" {
	cat >make.py <<-'P'
		import os
		for d in "data/raw", "data/tmp", "deep/a/b":
		    os.makedirs(d)
		for f in "a.csv", "b.txt", "data/raw/c.csv", "data/raw/d.txt", "data/tmp/e.csv", "deep/a/b/f.csv":
		    open(f, "w").write(f)
		for n in range(100):
		    open(f"data/tmp/{n}", "w")
		os.mkfifo("fifo")
	P
	run -0 --separate-stderr pai --include='*.csv' --exclude=tmp --max-files=3 -o o1 make.py
	[ "$(cd o1 && find . -type f | sort | xargs)" = './a.csv ./data/raw/c.csv ./deep/a/b/f.csv' ]
	[ -z "$stderr" ]
	run -0 pai --include='data/**/*.txt' --include=deep -o o2 make.py
	[ "$(cd o2 && find . -type f | sort | xargs)" = './data/raw/d.txt ./deep/a/b/f.csv' ]
	run -0 pai --exclude=data --exclude='/*.*' --exclude=fifo --json -o o3 make.py
	[ "$(jq -c '[[.files[].path], .skipped]' <<<"$output")" = '[["deep/a/b/f.csv"],[]]' ]
}

@test "--no-clobber replaces nothing, keeps the rest and tells" {
	run -0 pai -o out -c 'open("a", "w").write("old")'
	run -125 --separate-stderr pai --no-clobber -o out -c 'for n in "ab": open(n, "w").write("new")'
	[ "$stderr" = "pai-exec: 'a' not kept: it is there already (--no-clobber)" ]
	[ "$(cat out/a out/b)" = 'oldnew' ]
	run -125 pai --no-clobber --json -o out -c 'open("a", "w"); raise SystemExit(3)'
	[ "$(jq -c '[.status, .exit_code, .skipped]' <<<"$output")" = '["failed",3,[{"path":"a","reason":"exists"}]]' ]
}

@test "--manifest is what sha256sum -c reads, whatever the names" {
	run -0 pai -o out --manifest=m -c 'import os
os.mkdir("d")
for n in "a", "d/b c", "new\nline", "back\\slash", "ret\rurn", "größe", "-dash", "# hash":
    open(n, "w").write(n * 1000)'
	(cd out && sha256sum --quiet --strict -c ../m)
	[ "$(grep -c '^# size [0-9]*$' m) $(grep -vc '^# size' m)" = '8 8' ]
	grep -qx '# size 1000' m
	# an old one is replaced whole; one that a program's file pushes out is told
	run -0 pai -o out2 --manifest=m -c 'open("x", "w")'
	[ "$(wc -l <m)" = 2 ]
	run -125 --separate-stderr pai -o out2 --manifest=out2/m -c 'open("m", "w").write("mine")'
	[ "$stderr" = "pai-exec: --manifest: an output has taken the place of 'out2/m'" ]
	[ "$(cat out2/m)" = mine ]
	# in a DIR that is to be made
	run -0 pai -o out3 --manifest=out3/m --usage=out3/u -c 'open("x", "w")'
	(cd out3 && sha256sum --quiet --strict -c m)
	[[ $(cat out3/u) == real=* ]]
	run -0 --separate-stderr pai -o out3 --usage=out3/x -c 'open("x", "w")'
	[ "$stderr" = "pai-exec: --usage: an output has taken the place of 'out3/x'" ]
}

@test "an input named usercustomize.py is data, not a part of the start" {
	echo 'print("it ran")' >usercustomize.py
	run -0 pai -i usercustomize.py -c 'print(1); import usercustomize'
	[ "$output" = '1
it ran' ]
}
