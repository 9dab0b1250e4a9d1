# SPDX-License-Identifier: Apache-2.0
# bats file_tags=sandbox
# What a program hands over beside its streams: values, tables, charts, an error; and
# the one JSON object that tells of all of it.

load helper
load results/helper

@test "-c and standard input with --json are cells, the rest are scripts; --cell and --script override" {
	printf 'print("a")\n"x" + "y"\n' >last.py
	cell <last.py
	[ "$(of '.results[0].text, .results[0].is_main_result, .text, .execution_count, .stdout')" = "'xy'
true
'xy'
1
a" ]
	cell -n -c '"x" + "y"'
	[ "$(of '.results | length')" = 1 ]
	cell -n last.py
	[ "$(of '(.results | length), .execution_count, .text')" = '0
null
null' ]
	cell -n --cell last.py
	[ "$(of .text)" = "'xy'" ]
	cell -n --script -c '"x"'
	[ "$(of '.results | length')" = 0 ]
	[ "$(pai -n --cell -c '"x"')" = "'x'" ]
	[ -z "$(pai -n -c '"x"')" ]
	[ "$(pai -n -p last.py)" = "a
'xy'" ]
	cell -n -c 'v = 5'
	[ "$(of '(.results | length), .text')" = '0
null' ]
	cell -n -c '6 * 7;'
	[ "$(of '.results | length')" = 0 ]
	refused 125 '--cell: a cell is Python, and no module' --cell -m platform
	cell -n -p -c '"x"'
	[ "$(of '.text, .stdout')" = "'x'" ]
	printf '#!/bin/bash\necho\n' >job
	refused 125 "--cell: 'job' is a shell program" ${PAI_IMAGE:+--image="$PAI_IMAGE"} --cell job
	# of --cell and --script the last counts; a default is for what it suits
	[ -z "$(pai -n --cell --script job)" ]
	PAI_DEFAULTS_CELL=true pai -n --json job >r.json
	[ "$(of '.execution_count, .limits.kill_after_ms')" = 'null
500' ]
}

@test "ndjson: what was printed before a result comes before it, however slow the reader is" {
	"${pai[@]}" --format=ndjson -n -c 'for i in range(3):
    print("x" * 199999)
    display(i)' > >(sleep 2; cat >lines.json; touch all)
	until [ -e all ]; do read -rt 0.1 <> <(:) || :; done
	# bytes before each result, at least
	run -0 jq -r 'if .type == "stdout" then .text | length elif .type == "result" then "-" else empty end' lines.json
	awk '/-/ {if (n < 200000 * ++k) exit 1; next} {n += $1} END {exit k != 3 || n != 600000}' <<<"$output"
}

@test "JSON stays valid: NaN, surrogates, control characters" {
	printf 'print("ok")\n[float("nan"), float("inf"), {"k": float("-inf")}]\n' | cell
	[ "$(of .text)" = "[nan, inf, {'k': -inf}]" ]
	printf 'from IPython.display import JSON\nJSON({"n": float("nan"), "s": "\\udce9", 3: [1.5, None, True]})\n' | cell
	[ "$(of '.results[0].json | [.n, .["3"][0], .["3"][2]] | tostring')" = '[null,1.5,true]' ]
	printf 'raise ValueError("bad name: caf\\udce9.txt")\n' | cell -1
	[ "$(of '.error.name, .exit_code')" = 'ValueError
1' ]
	[[ $(of .error.value) == 'bad name: caf'*'.txt' ]]
	printf 'print("".join(chr(i) for i in range(32)) + chr(34) + chr(0x2028))\n' | cell
	[ "$(of '.stdout | length')" = 35 ]
	run -1 env LC_ALL=C grep $'[\x01-\x09\x0b-\x1f\x7f]' r.json
}

@test "a table is HTML and text, with its size, and its cells are no markup; display() is there" {
	cell <<-'P'
		import pandas as pd
		df = pd.DataFrame({f"col{i:02d}": range(1000) for i in range(40)})
		df["note"] = "<b>&</b>"
		df
	P
	of '.results[0].html' >t.html
	grep -q '1000 rows × 41 columns' t.html
	grep -q '&lt;b&gt;&amp;&lt;/b&gt;' t.html
	[ "$(of '.results[0].text' | tail -n 1)" = '[1000 rows x 41 columns]' ]
	cat >mid.py <<-'P'
		import pandas as pd
		a = pd.DataFrame({"x": [1, 2]})
		print("first")
		display(a)
		print("second")
		a.T
	P
	cell <mid.py
	[ "$(of '.stdout, (.results | length), .results[0].is_main_result, .results[1].is_main_result')" = 'first
second

2
false
true' ]
	[ "$(of '.results[].html' | grep -c '<table')" = 2 ]
	[ "$(of '.results[0].data | tostring')" = '{"x":[1,2]}' ]
	# all of the columns or none: two of one name, or of one as text
	echo 'import pandas as pd
display(pd.DataFrame([[1, 2]], columns=["a", "a"]), pd.DataFrame([[1, 2]], columns=[1, "1"]))' | cell
	[ "$(of '[.results[] | has("html"), has("data")] | tostring')" = '[true,false,true,false]' ]
	# in a script too, but for the last expression
	cell -n mid.py
	[ "$(of '.results | length')" = 1 ]
	# for people
	run -0 --separate-stderr pai -n --cell mid.py
	[ "$output" = 'first
   x
0  1
1  2
second
   0  1
x  1  2' ]
}

@test "an error is an object: name, value, the program's own lines, no frame of ours" {
	cat >deep.py <<-'P'
		def g(x):
		    return 1 / x
		def f():
		    try:
		        {}["key"]
		    except KeyError:
		        g(0)

		f()
	P
	for way in --script --cell; do
		cell -1 -n $way deep.py
		[ "$(of '.status, .error.name, .error.value, .exit_code')" = 'error
ZeroDivisionError
division by zero
1' ]
		of .error.traceback >tb
		grep -q 'File ".*deep.py", line 2, in g' tb
		grep -q '    return 1 / x' tb
		grep -q "KeyError: 'key'" tb
		run -1 grep -iE 'ipython|_pai|sitecustomize|\[0m' tb
		[ "$(of .stderr)" = "$(cat tb)" ]
	done
	for row in 'def f(: pass|SyntaxError' 'raise KeyboardInterrupt|KeyboardInterrupt' 'raise ExceptionGroup("g", [ValueError(1)])|ExceptionGroup' \
		'f = lambda: f()
f()|RecursionError' 'class E(Exception):
    def __str__(self): raise ValueError
raise E()|E' 'assert 1 == 2, "no"|AssertionError' 'raise MemoryError|MemoryError'; do
		cell -1 -n -c "${row%|*}"
		[ "$(of .error.name)" = "${row##*|}" ]
		[ "$(of '.error.traceback | length < 262145')" = true ]
	done
	cell -3 -n -c 'import sys; sys.exit(3)'
	[ "$(of '.status, .error, .exit_code, .stderr')" = 'ok
null
3' ]
	cell -1 -n -c 'import sys; sys.exit("so it is")'
	[ "$(of '.stderr')" = 'so it is' ]
}

@test "the streams carry the program's bytes alone, whoever writes them; nothing there is a result" {
	cell <<-'P'
		import atexit, ctypes, os, subprocess, sys, threading
		atexit.register(print, "atexit")
		display("one")
		os.system("echo system")
		subprocess.run(["echo", "child"])
		ctypes.CDLL(None).puts(b"C")
		ctypes.CDLL(None).fflush(None)
		t = threading.Thread(target=lambda: print("thread")); t.start(); t.join()
		print("err", file=sys.stderr)
		os.write(1, b"raw\n")
		2
	P
	[ "$(of '.stdout | split("\n") | sort | join(" ")')" = ' C atexit child raw system thread' ]
	[ "$(of '.stderr, ([.results[].text] | join(" "))')" = "err

'one' 2" ]
	# every descriptor that a program could have, and the socket, without the run's word
	cell <<-'P'
		import os, socket
		forged = b"\x46\x00forged" + b"\x4a\x00\x01" + b"\x00" * 32
		for fd in range(3, 256):
		    try:
		        os.write(fd, forged)
		    except OSError:
		        pass
		s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
		for data in (forged, b"t" * 32 + b"J\x00\x01", b"", b"x" * 40000):
		    try:
		        s.sendto(data, "\0pai-results")
		    except OSError as e:
		        print(e.errno)
		os.closerange(3, 256)
		"real"
	P
	[ "$(of '([.results[].text] | join(" ")), .error')" = "'real'
null" ]
}

@test "what is too much is left out and said: large values, many results" {
	cell <<-'P'
		from IPython.display import HTML
		HTML("x" * (20 << 20))
	P
	[ "$(of '.results[0] | has("html"), has("text")')" = 'false
true' ]
	cell -n -c 'for i in range(1500): display(i)'
	[ "$(of '.results | length')" = 999 ]	# one place is for the main result
	of '.warnings[]' | grep -q '^501 results left out'
	run -0 --separate-stderr pai --json -n -c '"x" * (1 << 20)'
	[ "$(jq '.text | length' <<<"$output")" -ge 1000 ]
	cell -n -c 'x = []
for i in range(5000): x = [x]
from IPython.display import JSON
JSON(x)'
	[ "$(of '.exit_code')" = 0 ]
}

@test "input() without standard input ends at once; with one it is the program's" {
	begin=$SECONDS
	cell -1 -n -c 'input()'
	[ "$(of .error.name)" = EOFError ]
	[ $((SECONDS - begin)) -le 10 ]
	printf 'hello\n' | cell -c 'input().upper()'
	[ "$(of .text)" = "'HELLO'" ]
}

@test "a cell is a notebook's: await, magics, shell lines, display objects" {
	cell <<-'P'
		import asyncio
		await asyncio.sleep(0)
		!echo from bash
		%precision 3
		from IPython.display import Markdown, display
		display(Markdown("*hi*"))
		class T:
		    def _repr_html_(self): return "<i>t</i>"
		    def _repr_latex_(self): return "$t$"
		T()
	P
	[ "$(of '.results[0].markdown, .results[1].html, .results[1].latex')" = '*hi*
<i>t</i>
$t$' ]
	of .stdout | grep -q 'from bash'
	printf '%%%%bash\necho $((6 * 7))\n' | cell
	[ "$(of .stdout)" = 42 ]
	printf '%%cd -q /tmp\n%%pwd\n' | cell
	[ "$(of '.text, .stderr')" = "'/tmp'" ]
}

@test "in text a result is printed, whatever has become of sys.stdout" {
	for done in 'sys.stdout = io.StringIO(); print(1)' 'sys.stdout = None' 'sys.stdout.close()'; do
		[ "$(pai --cell -c "import io, sys
$done
6 * 7")" = 42 ]
	done
	[ "$(pai --cell -c 'import contextlib, io
with contextlib.redirect_stdout(io.StringIO()) as caught:
    print("printed"); display("shown")
caught.getvalue()')" = "'shown'
'printed\\n'" ]
	[ "$(pai --cell -c 'import os
os.set_blocking(1, False)
display("x" * 3000000)' | { sleep 1; wc -c; })" = 3000003 ]
	# nor does a stream that would end the program
	for way in 'stdout|6 * 7|[null,"42"]' 'stderr|1 / 0|["ZeroDivisionError",null]'; do
		IFS='|' read -r stream last wanted <<<"$way"
		run pai --json -c "import sys
class Odd:
    def flush(self, *text): raise SystemExit(9)
    write = flush
sys.$stream = Odd()
$last"
		[ "$(jq -c '[.error.name, .text]' <<<"$output")" = "$wanted" ]
	done
	[ "$(pai --cell -c 'display("\ud800")')" = "'\\ud800'" ]
}

@test "asyncio in a cell: a task without an await, asyncio.run beside one, a loop of one's own" {
	both='import asyncio
async def f(): return 3
async def g(): return asyncio.run(f())
'
	[ "$(pai --cell -c "$both"'
async def say(): print("begun")
task = asyncio.create_task(say())')" = begun ]
	[ "$(pai --cell -c "$both"'
print(asyncio.run(f()), await asyncio.gather(f(), g()), asyncio.run(f()))
asyncio.get_event_loop() is asyncio.get_running_loop()')" = '3 [3, 3] 3
True' ]
	[ "$(pai --cell -c "$both"'
loop = asyncio.new_event_loop()
loop.run_until_complete(loop.create_task(f()))')" = 3 ]
}

@test "an object that nobody could read is an error" {
	run -125 --separate-stderr bash -c '"$@" >&-' _ "${pai[@]}" --json -nc 1
	[ "$stderr" = 'pai-exec: --format=json: standard output is closed' ]
	run -125 --separate-stderr bash -c '"$@" >/dev/full' _ "${pai[@]}" --json -nc 1
	[[ $stderr == 'pai-exec: write the result to standard output: '* ]]
}

@test "a cell that ignores the interrupt has two seconds, and keeps what it gave" {
	cell -124 -n -t 1 -c 'display(1)
import time
while True:
    try: time.sleep(9)
    except KeyboardInterrupt: pass'
	[ "$(of '.status, .results[0].text')" = 'timeout
1' ]
	[ "$(of '.timing.run_ms > 2900 and .timing.run_ms < 9000')" = true ]
	cell -124 -n -t 1 -c 'import time
time.sleep(9)'
	[ "$(of '.status, .error.name')" = 'timeout
KeyboardInterrupt' ]
}

@test "a limit that is shorter than our own start shows none of it" {
	for t in 0.001s 0.005s 0.01s 0.02s; do
		for way in --cell --script; do
			cell -124 -n $way -t $t -k 5s -c 'while True: pass'
			! of .stderr | grep -E 'Fatal|sitecustomize|_pai' || return 1
		done
	done
}

@test "what a program has used up or broken takes nothing from its results and its error" {
	for way in --script --cell; do
		cell -1 -n $way -c 'fs = []
while True: fs.append(open("/dev/null"))'
		[ "$(of '.status, .error.name' | xargs)" = 'error OSError' ]
	done
	cell -n -c 'fs = []
try:
    while True: fs.append(open("/dev/null"))
except OSError: pass
len(fs) > 900'
	[ "$(of .text)" = True ]
	cell -n -c 'import sys
sys.stdout.write("hi"); display(1); sys.stdout = None
2'
	[ "$(of '.stdout, ([.results[].text] | join(" "))' | xargs)" = 'hi 1 2' ]
	cell -124 -n -t 1 -c 'while True: display({"text/plain": "x" * (14 << 20)}, raw=True)'
	of .error.traceback >tb
	[ -s tb ]
	run -1 grep _pai tb
}

@test "a program written for another place finds its way: Agg, SVG, %%capture, spawn" {
	for line in 'matplotlib.use("Agg")' 'plt.switch_backend("agg")' 'matplotlib.use("TkAgg")' \
		'matplotlib.use("module://matplotlib_inline.backend_inline")'; do
		cell -n --script -c "import matplotlib
import matplotlib.pyplot as plt
$line
plt.plot([1, 2]); plt.show()"
		[ "$(of '(.results | length), .stderr' | xargs)" = 1 ]
	done
	cell <<-'P'
		%config InlineBackend.figure_formats = ["svg"]
		import matplotlib.pyplot as plt
		plt.plot([1]);
	P
	of '.results[0].svg' | grep -q '<svg'
	printf '%%%%capture
import matplotlib.pyplot as plt
plt.plot([1]); plt.show()
import plotly.graph_objects as go
go.Figure(go.Bar(y=[1])).show()
!echo noisy
' | cell
	[ "$(of '.stdout, (.results | length)' | xargs)" = 0 ]
	cell <<-'P'
		import multiprocessing as mp
		def f(x): return x * x
		if __name__ == "__main__":
		    for way in "fork", "spawn", "forkserver":
		        with mp.get_context(way).Pool(2) as p: print(p.map(f, [1, 2]))
	P
	[ "$(of .stdout | grep . | sort -u)" = '[1, 4]' ]
	printf 'import sympy
sympy.init_printing()
sympy.Symbol("x")**2
' | cell
	[ "$(of '.results[0].latex')" = '$\displaystyle x^{2}$' ]
}

@test "shell has the same object" {
	cell -3 -n -l shell -c 'echo out; echo err >&2; exit 3'
	[ "$(of '.status, .exit_code, .stdout, .stderr, (.results | length), .error, .execution_count')" = 'ok
3
out

err

0
null
null' ]
}

@test "the example turns the object into a tool's output, with the image" {
	cp "$PAI_SOURCE/deploy/examples/tool-output.py" .
	[ "$(wc -l <tool-output.py)" -le 30 ]
	mkdir bin
	printf '#!/bin/bash\nexec %s "$@"\n' "${pai[*]@Q}" >bin/pai-exec
	chmod 755 bin/pai-exec
	printf '%s\n' 'import matplotlib.pyplot as plt' 'print("printed")' 'plt.plot([1, 2]);' '6 * 7' |
		PATH=$work/bin:$PATH python3 tool-output.py -t 30 >out.json
	jq -e 'any(.[]; .type == "text" and (.text | test("printed")))' out.json
	jq -e 'any(.[]; .type == "text" and (.text | test("42")))' out.json
	[ "$(jq -r '.[] | select(.type == "image_url").image_url.url' out.json | sed 's/^data:image\/png;base64,//' | base64 -d | head -c 4 | tail -c 3)" = PNG ]
	echo '1 / 0' | PATH=$work/bin:$PATH python3 tool-output.py | jq -e 'any(.[]; .text | test("ZeroDivisionError"))'
	# how it ended, and nothing of this host's
	for way in 'exit(3):exit status 3, signal None' 'import os; os.kill(os.getpid(), 9):exit status None, signal 9' \
		'while True: pass:Traceback.*CPU time limit of 200 ms reached'; do
		PATH=$work/bin:$PATH python3 tool-output.py --cpu-time=200ms <<<"${way%:*}" | jq -r '.[].text' >text
		[[ $(xargs -d '\n' <text) =~ ^(${way##*:})\ *$ ]] || { echo "$way"; cat text; return 1; }
	done
	# what is not all, or not text, is not taken for it
	echo 'print("x" * 99)' | PATH=$work/bin:$PATH python3 tool-output.py --max-stdout=9 | jq -e '.[0].text == "xxxxxxxxx\nstdout_truncated: True"'
	printf '%s' 'import os; os.write(2, b"\xff");' | PATH=$work/bin:$PATH python3 tool-output.py | jq -e '.[0].text == "/w==\nstderr_encoding: base64"'
	PATH=$work/bin:$PATH python3 tool-output.py --image=nope </dev/null | jq -e ".[].text | test(\"^failed: no image 'nope'\")"
}
