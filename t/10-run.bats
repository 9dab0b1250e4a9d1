# SPDX-License-Identifier: Apache-2.0
# bats file_tags=sandbox
# A program means here what it means under python3 or bash.

load helper

@test "a program from standard input" {
	[ "$(printf 'print(40+2)' | pai)" = 42 ]
	[ "$(printf 'print(40+2)' | pai -)" = 42 ]
}

@test "FILE, -c, -m and -l shell, with their arguments" {
	echo 'import sys; print(sys.argv)' >prog.py
	[ "$(pai prog.py a '' '-o x' </dev/null)" = "['prog.py', 'a', '', '-o x']" ]
	[ "$(pai -c 'import sys; print(sys.argv)' a -b)" = "['-c', 'a', '-b']" ]
	[ "$(pai -m platform </dev/null | cut -c 1-5)" = Linux ]
	echo 'import sys; print(__name__, sys.argv[1:], sys.path[0])' >mod.py
	[ "$(pai -i mod.py -m mod x)" = "__main__ ['x'] /workspace" ]
	[ "$(pai -l shell -c 'echo "$1-$#"' a b)" = a-2 ]
	printf '#!/usr/bin/env bash\narr=(x y); echo "${arr[1]} $1"\n' >job
	[ "$(pai job z)" = 'y z' ]
	mv job job.sh
	[ "$(pai job.sh z)" = 'y z' ]
	# a #! line with CR names bash all the same, which says what it thinks of CRs
	printf '#!/bin/bash\r\necho "$1" #\r\n' >crlf
	[ "$(pai crlf z)" = z ]
}

@test "one module namespace, pickle, getsource: from FILE and from standard input" {
	for way in file stdin; do
		if [ $way = file ]; then run -0 pai "$cases/scope.py"; else run -0 pai <"$cases/scope.py"; fi
		[ "$output" = "9 3.14 Box
def area(r): 1" ]
	done
}

@test "multiprocessing works with every start method" {
	for way in file stdin; do
		if [ $way = file ]; then run -0 pai "$cases/spawn.py"; else run -0 pai <"$cases/spawn.py"; fi
		[ "$output" = "fork [2, 4]
spawn [2, 4]
forkserver [2, 4]" ]
	done
}

@test "no frame of ours lies under the program" {
	cat >frames.py <<-'P'
		import inspect, sys, traceback
		print([(f.filename, f.function) for f in inspect.stack()])
		print(len(traceback.extract_stack()), sys.orig_argv, sys.gettrace(), sys.excepthook is sys.__excepthook__)
	P
	run -0 pai frames.py
	[ "$output" = "[('frames.py', '<module>')]
1 ['python3', 'frames.py'] None True" ]
}

@test "the program's text is taken as it is" {
	want='3
-
4
-
done
19 6
3'
	[ "$(pai "$cases/text.py")" = "$want" ]
	[ "$(pai <"$cases/text.py")" = "$want" ]
	run -0 pai < <(printf '\357\273\277print("ok")\r\nif True:\r\n    print("two")\r\n\r\n    print("three")')
	[ "$output" = "ok
two
three" ]
	run -0 pai < <(printf '')
	[ -z "$output" ]
	run -0 pai < <(printf '# only a comment\n')
	[ -z "$output" ]
	printf '# -*- coding: latin-1 -*-\nprint(ascii("\351"))\n' >latin.py
	[ "$(pai latin.py)" = "'\\xe9'" ]
}

@test "an empty text of -c is an empty program" {
	for words in '' --json '-l shell' --fresh; do
		# shellcheck disable=SC2086 # words
		run -0 pai $words -c ''
		[ "$words" = --json ] || [ -z "$output" ]
	done
	[ "$(pai --json -c '' | jq -c '[.status, .stdout, .results]')" = '["ok","",[]]' ]
}

@test "FILE may be a pipe, named or not, and standard input is the program's" {
	# a pipe belongs to who has made it
	# shellcheck disable=SC2016 # it is the inner shell's
	run -1 "${as_user[@]}" bash -c '"$@" <(echo "import sys; print(sys.argv[1:], sys.stdin.read())") a <<<data
		echo "print(3)" | "$@" /dev/stdin
		"$@" <(printf "#!/bin/bash\necho \$1\n") b
		"$@" <(printf "print(4)\n1/0\n")' _ "${pai[@]:${#as_user[@]}}"
	[ "${lines[*]:0:4}" = "['a'] data 3 b 4" ]
	[[ $output == *'File "/dev/fd/'*'", line 2, in <module>'* ]]
	"${as_user[@]}" mkfifo fifo
	# nobody writes: a signal ends the wait
	run -124 timeout 1 "${pai[@]}" fifo
	[ -z "$output" ]
	(echo 'print("later")' >fifo) &
	[ "$(pai fifo)" = later ]
	wait
}

@test "a program of 5 MB" {
	{ head -c 5000000 /dev/zero | tr '\0' '#'; printf '\nprint("end")\n'; } >long.py
	[ "$(pai long.py)" = end ]
	[ "$(pai <long.py)" = end ]
}

@test "a traceback names the program as the user did, with lines and source, without colours" {
	mkdir sub
	cp "$cases/trace.py" sub/
	for name in sub/trace.py "$cases/trace.py"; do
		run -1 --separate-stderr pai "$name"
		[ "$output" = before ]
		[ "$stderr" = "Traceback (most recent call last):
  File \"$name\", line 10, in <module>
    outer(0)
    ~~~~~^^^
  File \"$name\", line 3, in outer
    return inner(n)
  File \"$name\", line 6, in inner
    return 10 // n
           ~~~^^~~
ZeroDivisionError: integer division or modulo by zero

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File \"$name\", line 12, in <module>
    raise KeyError(\"no rate for zone 7\") from e
KeyError: 'no rate for zone 7'" ]
	done
	run -1 --separate-stderr pai <"$cases/trace.py"
	[[ $stderr == *'File "<stdin>", line 12, in <module>
    raise KeyError("no rate for zone 7") from e'* ]]
}

@test "a traceback has its source wherever the program goes, and whatever it opens no more" {
	printf '\fimport os\nx = "\342\200\250"; os.chdir("/tmp"); os.unlink(__file__)\nraise ValueError\n' >away.py
	run -1 --separate-stderr pai away.py
	[ "$stderr" = 'Traceback (most recent call last):
  File "away.py", line 3, in <module>
    raise ValueError
ValueError' ]
	# of what python3 itself does without, an error has no less
	for broken in 'builtins.open = None' 'builtins.len = None' 'traceback.print_exception = traceback.format_exception = None' \
		'sys.modules.clear()'; do
		echo "import builtins, sys, traceback; $broken
raise ValueError('x')" >broken.py
		run -1 pai --json broken.py
		[ "$(jq -c '[.status, .error.name, .error.value, (.error.traceback == .stderr)]' <<<"$output")" = '["error","ValueError","x",true]' ]
	done
}

@test "at its end a program finds all its own, cold and warm" {
	cat >end.py <<-'P'
		import builtins, os, sys
		class Last:
		    def __del__(self):
		        print("end", os is not None and os.getpid() > 1)
		last, cycle = Last(), Last()
		cycle.itself = cycle
		builtins.list = sys.modules = None
	P
	run -0 --separate-stderr pai end.py
	[ "$output" = $'end True\nend True' ]
	[ -z "$stderr" ]
	run -0 --separate-stderr pai -c 'import sys
sys.setprofile(lambda frame, *_: print(frame.f_code.co_name))'
	[ "$output" = '<module>' ]
	[ -z "$stderr" ]
}

@test "a module of the program's comes before one of a template or of ours" {
	for name in numpy json linecache re traceback; do
		echo 'mine = 1' >$name.py
		[ "$(pai -i $name.py -c "import $name; print($name.mine)")" = 1 ]
		rm $name.py
	done
	mkdir numpy
	echo x >numpy/data
	[ "$(pai -i numpy -c 'import numpy; print(numpy.arange(2))')" = '[0 1]' ]
	[ "$(pai -i numpy --cell -c 'import numpy; print(numpy.arange(2))')" = '[0 1]' ]
}

@test "a syntax error is told as python3 tells it, and nothing runs" {
	run -1 --separate-stderr pai < <(printf 'print(2)\nx = (1,\n')
	[ -z "$output" ]
	# bats takes leading blanks away
	[ "$stderr" = "File \"<stdin>\", line 2
    x = (1,
        ^
SyntaxError: '(' was never closed" ]
	# one that is found late, when the text is gone
	mkdir -p there && printf 'x = 1\nreturn x\n' >there/late.py
	for way in '<string>' '<stdin>' there/late.py; do
		case $way in
		'<string>') run -1 --separate-stderr pai -c "$(cat there/late.py)" ;;
		'<stdin>') run -1 --separate-stderr pai <there/late.py ;;
		*) run -1 --separate-stderr pai "$way" ;;
		esac
		[ "$stderr" = "File \"$way\", line 2
    return x
    ^^^^^^^^
SyntaxError: 'return' outside function" ]
	done
	# what it cannot read is told in python3's words, be it in a comment, without a frame of ours
	printf 'x = 1\nx = "\351"\n' >string.py
	printf 'print(1)\n# \351\n' >comment.py
	for name in string comment; do
		for way in "$name.py" '<stdin>' cell; do
			case $way in
			'<stdin>') run -1 --separate-stderr pai <"$name.py" ;;
			cell) way=$name.py && run -1 --separate-stderr pai --cell "$name.py" ;;
			*) run -1 --separate-stderr pai "$name.py" ;;
			esac
			[ -z "$output" ]
			[ "$stderr" = "SyntaxError: Non-UTF-8 code starting with '\\xe9' in file $way on line 2, but no encoding declared; see https://peps.python.org/pep-0263/ for details" ]
		done
	done
	# with an encoding, or a BOM, the compiler has the say
	for head in '# coding: utf-8\n' '\n#vim: fileencoding=utf-8\n' '\357\273\277'; do
		# shellcheck disable=SC2059 # escapes
		printf "${head}x = '\\351'\n" >said.py
		run -1 --separate-stderr pai said.py
		[[ $stderr == *'File "said.py", line '*'SyntaxError: (unicode error) '* && $stderr != *sitecustomize* && $stderr != *Traceback* ]]
	done
	printf 'print(1)\n\0' >nul.py
	run -1 --separate-stderr pai nul.py
	[[ $stderr == *'SyntaxError: source code '*'null bytes'* ]]
}

@test "warnings and logging on standard error are no failure" {
	run -0 --separate-stderr pai "$cases/chatty.py"
	[ "$output" = '0 failed, Error: none' ]
	[[ $stderr == *INFO:root:starting* && $stderr == *'UserWarning: old API'* && $stderr == *note* ]]
	run -3 --separate-stderr pai -c 'raise SystemExit(3)'
	[ -z "$stderr" ]
	[ -z "$output" ]
}

@test "asyncio.run works" {
	[ "$(pai "$cases/arun.py")" = ran ]
}

@test "--print-last prints the last expression's value, and nothing for None" {
	[ "$(pai -p -c 'x = 6
x * 7')" = 42 ]
	[ -z "$(pai -p -c 'None')" ]
	[ -z "$(pai -p -c 'x = 1')" ]
	[ "$(pai -p -c 'print(1)')" = 1 ]
	[ "$(printf '"a"\n"b"' | pai -p)" = "'b'" ]
	[ -z "$(pai -c '42')" ]
	run -1 --separate-stderr pai -p -c '1
1/0'
	[[ $stderr == *'File "<string>", line 2, in <module>
    1/0
    ~^~'* ]]
}

@test "files that were never closed are whole, atexit and threads run to their end" {
	cat >late.py <<-'P'
		import atexit, threading, time
		f = open("kept.txt", "w")
		f.write("text")
		atexit.register(print, "atexit")
		def late():
		    time.sleep(0.2)
		    print("thread")
		threading.Thread(target=late).start()
		print("main")
	P
	run -0 pai -o out late.py
	[ "$output" = "main
thread
atexit" ]
	[ "$(cat out/kept.txt)" = text ]
	# what holds itself is freed by the collector, after all else
	[ "$(pai -c 'class Ring:
    def __del__(self): print("freed")
ring = Ring()
ring.ring = ring')" = freed ]
}

@test "bash's rules for status, and the script is not its own standard input" {
	sh_is() { # sh_is STATUS OUTPUT SCRIPT
		run "-$1" --separate-stderr pai -l shell < <(printf '%b' "$3")
		[ "$output" = "$2" ] || { echo "$3: '$output'"; return 1; }
	}
	sh_is 1 b 'set -euo pipefail\narr=(a b)\necho "${arr[1]}"\nfalse | cat\necho never\n'
	sh_is 0 '' 'false | cat\n'
	sh_is 0 y 'yes | head -n 1\n'
	sh_is 3 out 'echo out; echo err >&2; exit 3\n'
	[ "$stderr" = err ]
	sh_is 127 '' 'nosuchcmd\n'
	[[ $stderr == *'nosuchcmd: command not found' ]]
	sh_is 0 $'42\ngot []' 'echo $((40+2)); read -r x; echo "got [$x]"\n'
	sh_is 137 '' 'kill -9 $$\n'
	[ "$stderr" = 'pai-exec: program killed by signal 9 (SIGKILL)' ]
}

@test "the status is the program's own, and JSON tells it from ours" {
	for n in 0 1 2 99 123 124 125 126 127 128 137 255; do
		run "-$n" pai --json -c "raise SystemExit($n)"
		[ "$(jq -c '[.exit_code, .status, .signal, .error]' <<<"$output")" = "[$n,\"ok\",null,null]" ]
	done
}

@test "crashes and exits are told apart, with what was printed before" {
	ends() { # ends STATUS LAST-LINE CODE
		run "-$1" --separate-stderr pai -c "print('x')
$3"
		[ "$output" = x ] && [ "${stderr##*$'\n'}" = "$2" ] || { echo "$output / $stderr"; return 1; }
	}
	ends 139 'pai-exec: program killed by signal 11 (SIGSEGV)' 'import ctypes; ctypes.string_at(0)'
	ends 134 'pai-exec: program killed by signal 6 (SIGABRT)' 'import os; os.abort()'
	ends 137 'pai-exec: program killed by signal 9 (SIGKILL)' 'import os; os.kill(os.getpid(), 9)'
	ends 143 'pai-exec: program killed by signal 15 (SIGTERM)' 'import os; os.kill(os.getpid(), 15)'
	ends 7 '' 'import os; os._exit(7)'
	ends 1 'bad input' 'import sys; sys.exit("bad input")'
	ends 44 '' 'import sys; sys.exit(300)'
	ends 0 '' 'exit()'
	ends 1 'ValueError: no' 'raise ValueError("no")'
}

@test "JSON tells a signal, an exception and an exit" {
	run -192 --separate-stderr pai -c 'import os; os.kill(os.getpid(), 64)'
	[ "$stderr" = 'pai-exec: program killed by signal 64' ]
	run -139 pai --json -c 'import ctypes; ctypes.string_at(0)'
	[ "$(jq -c '[.status, .signal, .exit_code]' <<<"$output")" = '["signal",11,null]' ]
	run -1 pai --json "$cases/trace.py"
	[ "$(jq -c '[.status, .exit_code, .stdout, .error.name, .error.value, (.error.traceback == .stderr)]' <<<"$output")" = \
		"[\"error\",1,\"before\\n\",\"KeyError\",\"'no rate for zone 7'\",true]" ]
	run -1 pai --json -c 'import sys; sys.exit("text")'
	[ "$(jq -c '[.status, .error, .stderr]' <<<"$output")" = '["ok",null,"text\n"]' ]
	# whatever its text does
	run -1 pai --script --json -c 'class Odd(Exception):
    def __str__(self): raise SystemExit(5)
raise Odd'
	[ "$(jq -c '[.status, .error.name]' <<<"$output")" = '["error","Odd"]' ]
	run -1 pai --json -c 'x = ('
	[ "$(jq -r .error.name <<<"$output")" = SyntaxError ]
}

@test "the program cannot forge a result" {
	run -5 pai --json "$cases/forge.py"
	[ "$(jq -c '[.exit_code, .results, (.stdout | length)]' <<<"$output")" = '[5,[],139]' ]
	run -6 --separate-stderr pai "$cases/fdspray.py"
	[ "$output" = 'still here' ]
	[ -z "$stderr" ]
	run -6 pai --json "$cases/fdspray.py"
	[ "$(jq -c '[.exit_code, .status, .error]' <<<"$output")" = '[6,"ok",null]' ]
}

@test "--env gives a variable, the caller's own stay outside" {
	export TOKEN=s3cret PASSED=yes
	run -0 pai -e A=1 -e B='x=y z' -e PASSED -e NOT_SET -e LANG=C -c 'import os
print([os.environ.get(n) for n in ("A", "B", "PASSED", "NOT_SET", "TOKEN", "LANG", "PAI_START")])'
	[ "$output" = "['1', 'x=y z', 'yes', None, None, 'C', None]" ]
}

@test "the caller's locale, time zone and python settings change nothing" {
	want="False False utf-8 UTF-8
5 b'\\xc3\\xbc.txt'
UTC Europe/Berlin False"
	hostile=(env API_TOKEN=s3cret LANG=xx_YY.UTF-8 LC_ALL=xx_YY.UTF-8 PYTHONIOENCODING=ascii
		PYTHONPATH=/nope TZ=Asia/Tokyo)
	run -0 "${hostile[@]}" "${pai[@]}" "$cases/env.py"
	[ "$output" = "$want" ]
	run -0 env LC_ALL=C "${pai[@]}" "$cases/env.py"
	[ "$output" = "$want" ]
}

@test "PAI_TRACE tells when each step was done" {
	PAI_TRACE=1 run -0 --separate-stderr pai -c 'print(1)'
	[ "$output" = 1 ]
	[ "$(grep -c '^pai-exec: trace: *[0-9.]* ms  ' <<<"$stderr")" = "${#stderr_lines[@]}" ]
	grep -q 'guest: program started' <<<"$stderr"
}

@test "--usage writes one line of time, memory and bytes" {
	run -0 --separate-stderr pai --usage -c 'print("x" * 9)'
	[[ $stderr =~ ^pai-exec:\ real=[0-9.]+\ user=[0-9.]+\ sys=[0-9.]+\ peak=[0-9]+\ stdout=10\ stderr=0\ start=(cold|warm)\ backend=[a-z]+$ ]]
	run -3 --separate-stderr pai --usage=line -c 'raise SystemExit(3)'
	[ -z "$stderr" ]
	[[ $(cat line) =~ ^real=.*\ stdout=0\  ]]
	run -125 --separate-stderr pai --usage=none/line -c 'print("ran")'
	[ -z "$output" ]
	[ "$stderr" = "pai-exec: --usage: 'none/line': No such file or directory" ]
}
