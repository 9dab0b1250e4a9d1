# SPDX-License-Identifier: Apache-2.0
# bats file_tags=sandbox
# Sessions: what lives on from turn to turn, and what begins anew with each.

load helper
load sessions/helper

@test "twenty turns hold every kind of state, and leave the machine as it was" {
	python3 "$PAI_SOURCE/t/sessions/twenty.py" "--turns=$([ "$slow" = 1 ] && echo 20 || echo 4)" -- "${pai[@]}"
}

@test "case 042: generator, open file, lock, lambda, environment and working directory live on" {
	cat >s1.py <<-'P'
		import os, threading
		lock = threading.Lock()
		gen = (i * i for i in range(10))
		next(gen)
		log = open("log.txt", "a+")
		log.write("one\n")
		fn = lambda v: v + 1
		os.environ["MODE"] = "blue"
		os.makedirs("sub", exist_ok=True)
		os.chdir("sub")
	P
	cat >s2.py <<-'P'
		log.write("two\n")
		log.flush()
		print(next(gen), fn(1), lock.locked(), os.environ["MODE"], os.path.basename(os.getcwd()), open("../log.txt").read().split())
	P
	says '' -n s1.py
	says "1 2 False blue sub ['one', 'two']" -n s2.py
	run -1 --separate-stderr pai -n s2.py
	[[ $stderr = *NameError* ]]
}

@test "a turn is a cell: its number, _, Out and In go on, and its value is a result" {
	cell <<<'6 * 7'
	is '[.execution_count, .text, .results[0].is_main_result, .status]' '[1,"42",true,"ok"]'
	kept 1
	cell <<<'_ + 1'
	is '[.execution_count, .text]' '[2,"43"]'
	kept 2
	says "['1', '42', '43', '42', '6 * 7', '3']" <<<'[str(v) for v in (len(Out) - 1, Out[1], Out[2], _1, In[1].strip(), len(In) - 1)]'
	# a value, an assignment, a statement, a semicolon: what is a result is a notebook's
	printf 'v = 5\n' >four.py
	says '' -n four.py
	says 5 -n -c v
	says '' -n -c 'v;'
	cell -n -c v
	is '[.execution_count, .text, .stdout]' '[7,"5",""]'
	is .backend.start '"resumed"'
	# with no session there is none to tell of
	pai --json -n -c 1 >r.json
	is .session null
}

@test "case 046: figures of an earlier turn do not come back, nor are they drawn into" {
	pngs() { is '[(.results | map(select(.png)) | length), .stdout]' "$1"; }
	cell <<<'import matplotlib.pyplot as plt
plt.plot([1, 2])'
	pngs '[1,""]'
	cell <<<'print("no plot")'
	pngs '[0,"no plot\n"]'
	cell <<<'plt.plot([3, 1])
print(len(plt.gca().lines))'
	pngs '[1,"1\n"]'
	# an error between them takes nothing, and brings nothing back
	cell -1 <<<'fig, ax = plt.subplots(); ax.plot([1, 2]); 1 / 0'
	is '.results | map(select(.png)) | length' 1
	cell <<<'print(plt.get_fignums())'
	pngs '[0,"[]\n"]'
	# a figure that is held is drawn into and shown when it is asked for
	cell <<<'ax.plot([2, 1]); fig'
	pngs '[1,""]'
	cell -o out <<<'plt.bar(["a"], [1]); plt.show()'
	pngs '[1,""]'
	[ "$(ls out)" = figure-1.png ]
}

@test "case 047: the clock is right after a pause, and a sleep lasts as long as it says" {
	says '' <<<'import time; t0 = time.monotonic(); p0 = time.perf_counter()'
	[ "$slow" != 1 ] || read -rt 2 <> <(:) || :	# the pause is what is tested
	begin=$EPOCHREALTIME
	got=$(turn -n -c 'print(time.time())')
	awk "BEGIN {exit !($got > $begin - 2 && $got < $EPOCHREALTIME + 2)}"
	# the pause goes against no limit, ends no sleep early, and no clock goes back
	says 'slept True True True' --timeout=$((5 * slow))s <<<'a = time.time(), time.monotonic(), time.perf_counter()
time.sleep(3)
b = time.time(), time.monotonic(), time.perf_counter()
print("slept", *(2.9 < y - x < 4 for x, y in zip(a, b)))'
	says 'True True' <<<'print(time.monotonic() > t0, time.perf_counter() > p0)'
}

@test "case 048: what must be fresh is fresh in each turn and in each copy; a seeded sequence goes on" {
	cat >draw.py <<-'P'
		import os, random, secrets, tempfile, uuid
		import numpy as np
		for v in (random.random(), uuid.uuid4(), uuid.uuid1(), os.urandom(8).hex(), secrets.token_hex(4), np.random.rand(), np.random.default_rng().random(), os.path.basename(tempfile.mkdtemp())):
		    print(v)
	P
	session=a turn -n draw.py >drawn
	session=b turn -n draw.py >>drawn
	cp -a sessions/a sessions/c
	for s in a c a c; do session=$s turn -n draw.py >>drawn; done
	[ "$(wc -l <drawn)" = 48 ]
	[ -z "$(sort drawn | uniq -d)" ]
	says '' <<<'import random, numpy as np
random.seed(1); np.random.seed(1); own = random.Random(1); rng = np.random.default_rng(1)
def four(): return random.random(), own.random(), float(np.random.rand()), float(rng.random())'
	for _ in 1 2 3; do turn -n -c 'print(four())'; done >sequence
	pai --cell -n -c 'import random, numpy as np
random.seed(1); np.random.seed(1); own = random.Random(1); rng = np.random.default_rng(1)
for _ in range(3): print((random.random(), own.random(), float(np.random.rand()), float(rng.random())))' >unbroken
	diff sequence unbroken
	# two copies go the same way: the seed is the user's
	cp -a sessions/s sessions/t
	[ "$(turn -n -c 'print(four())')" = "$(session=t turn -n -c 'print(four())')" ]
}

@test "case 015: await over cells: tasks go on, asyncio.run works in between, a pending one stops nothing" {
	says '' <<<'import asyncio
n = 0
async def count():
    global n
    while n < 3:
        n += 1
        await asyncio.sleep(0.01)
    return "counted"
async def main():
    await asyncio.sleep(0)
    return "ran"
task, queue, never = asyncio.ensure_future(count()), asyncio.Queue(), asyncio.ensure_future(asyncio.sleep(9999))
await asyncio.sleep(0)'
	says ran <<<'print(asyncio.run(main()))'
	says 'counted 3' <<<'print(await task, n)'
	says "True False" <<<'await queue.put(1); print(task.done(), never.done())'
	says '1' <<<'await queue.get()'
	cell -1 <<<'await asyncio.sleep(0); raise ValueError("in the loop")'
	kept 6
	says ran <<<'print(await main())'
}

@test "an error is a turn like any other: what was done before it is there, its lines of earlier cells too" {
	says '' <<<'def halve(n):
    return n / 0

class Broken(Exception):
    pass'
	cell -1 <<<'x = 7
halve(x)
x = 8'
	is '[.status, .error.name, .exit_code]' '["error","ZeroDivisionError",1]'
	kept 2
	of .error.traceback >tb
	grep -q '    return n / 0' tb
	grep -q '^    halve(x)$' tb
	run -1 grep -E '_pai|sitecustomize|IPython/core/interactiveshell' tb
	says 7 <<<x
	cell -1 <<<'raise Broken("of an earlier cell")'
	is '[.error.name, .error.value]' '["Broken","of an earlier cell"]'
	cell -1 <<<'def f(: pass'
	is '[.error.name, .execution_count]' '["SyntaxError",5]'
	kept 5
	says "(7, 'def halve(n):')" <<<'import inspect; (x, inspect.getsource(halve).splitlines()[0])'
	# two functions of one name and line, of two cells: each has its own text
	says '' <<<'def g(): raise KeyError("first")
first = g'
	says '' <<<'def g(): raise KeyError("second")'
	cell -1 <<<'first()'
	of .error.traceback | grep -q 'raise KeyError("first")'
	cell <<<'%tb'
	of .stderr | grep -q '^KeyError'
	cell <<<'import traceback; traceback.print_last()'
	of .stderr >tb
	grep -q 'raise KeyError("first")' tb
	[ "$(grep -cE '_pai|IPython' tb)" = 0 ]
}

@test "what a cell puts in the place of builtins, or takes from modules, costs no later error its words" {
	cell -1 <<<'import builtins, traceback
builtins.open = traceback.format_exception = None
1/0'
	is '[.error.name, (.stderr | test("_pai"))]' '["ZeroDivisionError",false]'
	says 42 <<<'6 * 7'
	cell -1 <<<'import sys
sys.modules.clear(); raise KeyError'
	is '.error.name' '"KeyError"'
	cell -1 <<<'6 * 7'	# IPython needs them
	is '[.error.value, (.stderr | length > 0)]' $'["\'warnings\'",true]'
	kept 4
}

@test "sys.exit ends the turn with its status, and the kernel lives on" {
	cell -3 <<<'import sys; x = 1; sys.exit(3)'
	is '[.status, .exit_code, .error]' '["ok",3,null]'
	kept 1
	says 1 <<<x
	run -1 --separate-stderr turn -n -c 'x = 2; sys.exit("so it is")'
	[ "$stderr" = 'so it is' ]
	says 2 -n -c 'x'
	says '' -n -c 'x = 3; exit()'
	says 3 -n -c x
	run -44 turn -n -c 'sys.exit(300)'
	says 3 -n -c x
}

@test "threads and children print in the turn in which they do, and not in another" {
	says up <<<'import subprocess, threading, sys
go = threading.Event()
done = threading.Event()
def late():
    go.wait()
    print("late", flush=True)
    done.set()
threading.Thread(target=late, daemon=True).start()
child = subprocess.Popen(["sh", "-c", "read line; echo child $line; read line"], stdin=subprocess.PIPE, text=True)
print("up")'
	says 'between' <<<'print("between")'
	says late <<<'go.set(); done.wait(); None'
	run -0 --separate-stderr turn <<<'import time
child.stdin.write("says so\n"); child.stdin.flush()
begin = time.monotonic()
while time.monotonic() - begin < 30 and "S (sleeping)" not in open(f"/proc/{child.pid}/status").read(): time.sleep(0.01)
child.stdin.close(); print("waited", child.wait())'
	[ "$(sort <<<"$output")" = 'child says so
waited 1' ]
}

@test "magics, shell lines and their folder live on; a module that was changed is loaded anew" {
	turn <<<'%mkdir -p d
%cd -q d' 2>err
	[ ! -s err ]
	says /workspace/d -n -c '!pwd'
	says 'env: MODE=green' -n -c '%env MODE=green'
	says green -n -c 'import os; print(os.environ["MODE"])'
	says "'%.2f'" -n -c '%precision 2'
	says '3.14' -n -c '3.14159'
	cell <<<'%%capture held
print("captured")'
	is .stdout '""'
	says 'captured' -n -c 'held.show()'
	turn -n -c '%cd -q /workspace'
	says 1 <<<'open("own.py", "w").write("def f(): return 1\n")
import own; own.f()'
	echo 'def f(): return 22' >own.py
	says 22 -i own.py -n -c 'import importlib; importlib.reload(own).f()'
}

@test "standard input is each turn's own; without any input() ends at once" {
	printf 'name = input("who? ")\nprint("hello", name)\n' >ask.py
	[ "$(echo Ada | turn ask.py)" = 'who? hello Ada' ]
	[ "$(echo Bob | turn ask.py)" = 'who? hello Bob' ]
	cell -1 -n ask.py
	is .error.name '"EOFError"'
	cell -1 <<<'input()'	# the cell itself was what there was to read
	is .error.name '"EOFError"'
	printf 'import sys\nprint(len(sys.stdin.buffer.read()))\n' >count.py
	[ "$(head -c 3000000 /dev/zero | turn count.py)" = 3000000 ]
	[ "$(turn count.py </dev/null)" = 0 ]
	[ "$(turn count.py <&-)" = 0 ]
	# what a turn leaves unread is no later turn's
	yes | head -c 1000000 | says 'y' -c 'print(input())'
	[ "$(echo Eve | turn ask.py)" = 'who? hello Eve' ]
	says Eve -n -c 'print(name)'
}

@test "-i puts a file in, or in the place of an older one; -o keeps what this turn made or changed, and no more" {
	echo one >data.csv
	says one -i data.csv <<<'print(open("data.csv").read().strip())'
	echo two >data.csv
	says 'one' <<<'print(open("data.csv").read().strip()); open("made.txt", "w").write("1"); open("stays.txt", "w").write("s");'
	says two -i data.csv -o out <<<'print(open("data.csv").read().strip()); open("new.txt", "w").write("2");'
	[ "$(ls out)" = new.txt ]
	says '' -o out2 <<<'open("made.txt", "a").write("2"); import os; os.mkdir("d"); open("d/f", "w").write("3");'
	[ "$(cd out2 && find . -type f | sort | xargs)" = './d/f ./made.txt' ]
	[ "$(cat out2/made.txt)" = 12 ]
	says '' -o out3 -n -c 'None'
	[ ! -e out3 ] || [ -z "$(ls out3)" ]
	cell -o out4 -n -c 'os.remove("made.txt"); open("data.csv", "a").write("three");'
	is '[.files[].path]' '["data.csv"]'
	[ "$(cat data.csv)" = two ]
	says "['d', 'data.csv', 'new.txt', 'stays.txt']" -n -c 'print(sorted(os.listdir()))'
	# a program by FILE is an input like another
	echo 'print("job", 1)' >job.py
	says 'job 1' -n -o out5 job.py
	echo 'print("job", 2)' >job.py
	says 'job 2' -n -o out5 job.py
	[ ! -e out5 ] || [ -z "$(ls out5)" ]
	tar -c data.csv | says two -i - -c 'print(open("data.csv").read().strip())'
	# whatever their names are
	cell -o odd -n -c 'open(b"/workspace/bad\xff", "w").close()'
	is '[.status, .session.state, .files[0].path]' '["ok","kept","bad\\xff"]'
	[ -e odd/$'bad\xff' ]
	run -0 pai-session log s --json
	jq -e '.[-1].files == ["bad\\xff"]' <<<"$output"
}

@test "--context: kernels of one session share /workspace, and no variables" {
	says '' --context=a <<<'x = "a"; open("f", "w").write("of a");'
	says '' --context=b <<<'x = "b"'
	says 'a of a' --context=a -n -c 'print(x, open("f").read())'
	says 'b of a' --context=b -n -c 'print(x, open("f").read())'
	cell -1 -n -c x
	is '[.error.name, .execution_count]' '["NameError",1]'
	kept 5
	cell --context=b -n -c x
	is '[.text, .execution_count]' '["'"'b'"'",3]'
	for bad in ../x '' a/b -x .h "$(printf 'x%.0s' $(seq 65))"; do
		away context "${turns[@]}" --session=s --context="$bad" -n -c 1
	done
	away context "${pai[@]}" --context=a -n -c 1
	says b --context=b -n -c 'print(x)'
}

@test "%pip install --no-index of a wheel lasts over the turns" {
	[ "$(pai -n -l shell -c 'type -P pip3 || echo none')" != none ] || skip 'this image has no pip'
	mkdir wheels
	python3 - <<-'P'
		import zipfile
		info = "tiny_pkg-1.0.dist-info/"
		with zipfile.ZipFile("wheels/tiny_pkg-1.0-py3-none-any.whl", "w") as z:
		    z.writestr("tiny_pkg/__init__.py", "answer = 42\n")
		    z.writestr(info + "METADATA", "Metadata-Version: 2.1\nName: tiny-pkg\nVersion: 1.0\n")
		    z.writestr(info + "WHEEL", "Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
		    z.writestr(info + "RECORD", f"tiny_pkg/__init__.py,,\n{info}METADATA,,\n{info}WHEEL,,\n{info}RECORD,,\n")
	P
	cell -i wheels -t 60s -n -c '%pip install --no-index --find-links=wheels tiny-pkg'
	of .stdout | grep -q 'Successfully installed tiny-pkg-1.0'
	says 42 -n -c 'import tiny_pkg; tiny_pkg.answer'
	says '42' -n -c '!python3 -c "import tiny_pkg; print(tiny_pkg.answer)"'
	says 42 --context=other -n -c 'import tiny_pkg; tiny_pkg.answer'
	cell -1 -n -c '%pip install no-such-package'
	of .stderr | grep -q 'there is no network here'
	kept 5
	run -1 pai -n -c 'import tiny_pkg'
}

@test "the README's session does what it says" {
	cp "$PAI_SOURCE/deploy/examples/sales.csv" .
	mkdir bin
	printf '#!/bin/bash\nexec %s "$@"\n' "${pai[*]@Q}" >bin/pai-exec
	printf '#!/bin/bash\nexec %s "$@"\n' "${as_user[*]@Q} ${PAI_BUILD@Q}/pai-session" >bin/pai-session
	chmod 755 bin/*
	sed -n 's/^    //p' "$PAI_SOURCE/README.md" | grep -E '^pai-(exec --session|session)' >calls
	[ "$(wc -l <calls)" = 4 ]
	PATH=$work/bin:$PATH XDG_STATE_HOME=$work/state bash -euo pipefail calls >said </dev/null
	grep -q '<table' said
	[ "$(head -c 4 out/figure-1.png | tail -c 3)" = PNG ]
	[ -d state/pai/sessions/other ]
}

@test "three calls: a table is read, described as HTML, and plotted as PNG" {
	cp "$PAI_SOURCE/deploy/examples/sales.csv" .
	cell -i sales.csv -n -c 'import pandas as pd; df = pd.read_csv("sales.csv")'
	is '[.results[], .stdout]' '[""]'
	cell -n -c 'df.describe()'
	of '.results[0].html' | grep -q '<table'
	cell -n -c 'df.plot();'
	is '[.results[] | has("png")]' '[true]'
	kept 3
}
