# SPDX-License-Identifier: Apache-2.0
# bats file_tags=sandbox
# Clones of templates: fast, each different, and never the reason of a failure.

load helper

# Each test has a cache of its own.
own_cache() {
	[ "${PAI_START:-}" != fresh ] || skip 'these runs use no template'
	export XDG_CACHE_HOME=$work/cache
	templates=$work/cache/pai/templates
}

start_of() { jq -r .backend.start; }

@test "the first run is cold and leaves a template, the next are clones" {
	own_cache
	[ "$(pai --json --script -c 'print(1)' | start_of)" = cold ]
	[ "$(pai --json --script -c 'print(1)' | start_of)" = warm ]
	[ "$(echo 'print(1)' | pai --json --script | start_of)" = warm ]
	echo 'print(1)' >f.py
	[ "$(pai --json --script f.py | start_of)" = warm ]
	[ "$(pai --json --script --fresh f.py | start_of)" = cold ]
	[ "$(find "$templates" -mindepth 1 -maxdepth 1 -type d | wc -l)" = 1 ]
}

@test "the template is chosen by the program's imports" {
	own_cache
	for code in 'import numpy' 'import os, pandas as pd' 'from matplotlib import pyplot'; do
		pai -c "$code"
	done
	[ "$(for m in "$templates"/*/modules; do cut -d , -f -4 "$m"; echo; done | grep . | sort)" = 'numpy
numpy,pandas
numpy,pandas,matplotlib.pyplot,openpyxl' ]
	[ "$(pai --json --script -c 'if True:
	import numpy.random
import sys
print("pandas" in sys.modules)' | jq -r '.stdout, .backend.start' | xargs)" = 'False warm' ]
	[ "$(pai --json --script -c 'import pandas, sys
print("matplotlib" in sys.modules)' | jq -r '.stdout, .backend.start' | xargs)" = 'False warm' ]
}

@test "a cell has a template of its own, with the shell in it; a script's has none of that" {
	own_cache
	code='import sys; print("IPython.core.interactiveshell" in sys.modules, "prompt_toolkit" in sys.modules)'
	[ "$(pai --json -c "$code" | jq -r '.stdout, .backend.start' | xargs)" = 'True False cold' ]
	[ "$(pai --json -c "$code" | jq -r '.stdout, .backend.start' | xargs)" = 'True False warm' ]
	[ "$(pai --json -c 0 | jq -r '.text, .backend.start' | xargs)" = '0 warm' ]
	[ "$(pai --json --script -c "$code" | jq -r '.stdout, .backend.start' | xargs)" = 'False False cold' ]
	[ "$(pai --cell -c '6 * 7')" = 42 ]
	[ "$(for m in "$templates"/*/modules; do cat "$m"; echo; done | grep . | sort | xargs)" = '- -,_pai.cell' ]
}

@test "variables that act at python's start make the run cold" {
	own_cache
	pai -c 0
	for v in PYTHONOPTIMIZE=1 TZ=Asia/Tokyo OMP_NUM_THREADS=2 LANG=C LC_ALL=C MPLBACKEND=svg; do
		[ "$(pai --json --script -e "$v" -c 0 | start_of)" = cold ]
	done
	[ "$(pai --json --script -e PLAIN=1 -c 'import os; print(os.environ["PLAIN"])' | jq -r '.stdout, .backend.start' | xargs)" = '1 warm' ]
	[ "$(pai -e TZ=Asia/Tokyo -c 'import time; print(time.tzname[0])')" = JST ]
}

@test "-v says why a run is cold" {
	own_cache
	pai -c 0
	run -0 pai -v -c 0
	[[ $output != *'cold start'* ]]
	for way in '--fresh -c 0:--fresh' '-m this:a module' '-l shell -c true:a shell program' '-e TZ=UTC -c 0:--env=TZ acts at the start'; do
		# shellcheck disable=SC2086 # options
		run -0 pai -v ${way%%:*}
		[[ $output == *"pai-exec: cold start: ${way#*:}"* ]] || { echo "$way: $output"; return 1; }
	done
	: >"$work/file"
	XDG_CACHE_HOME=$work/file run -0 pai -v -c 0
	[[ $output == *'pai-exec: cold start: neither XDG_CACHE_HOME nor HOME is '* ]]
}

@test "a template that vanishes at any moment costs time, never the run" {
	own_cache
	pai -c 0
	touch go
	(
		while [ -e go ]; do
			for t in "$templates"/*-*/ "$templates"/[0-9a-f]*/; do
				[ ! -d "$t" ] || rm -rf "$t"
			done
			read -rt "0.0$((RANDOM % 100))" <> <(:) || :
		done
	) 3>&- &
	for _ in $(seq 30); do
		run -0 --separate-stderr pai -c 'print(1)'
		[ "$output$stderr" = 1 ] || { rm go; false; }
	done
	rm go
	wait
}

@test "clones differ" {
	own_cache
	local n=${PAI_CLONES:-12}
	for _ in $(seq "$n"); do
		pai -c 'import numpy, random, uuid, os, tempfile, socket, secrets, multiprocessing
for v in (random.random(), uuid.uuid4(), uuid.uuid1(), numpy.random.rand(), os.urandom(8).hex(), tempfile.mkdtemp(),
          socket.gethostname(), secrets.token_hex(8), multiprocessing.current_process().authkey.hex()): print(v)' >>all
	done
	[ "$(wc -l <all)" = $((9 * n)) ]
	[ -z "$(sort all | uniq -d)" ]
}

@test "a program that seeds itself gets the usual numbers, cold and warm" {
	own_cache
	code='import numpy, random
random.seed(7); numpy.random.seed(7); print(random.random(), numpy.random.rand(), hash("x"))'
	[ "$(pai -c "$code")" = "$(pai -c "$code")" ]
	[ "$(pai -c "$code")" = "$(pai --fresh -c "$code")" ]
}

@test "the clock of a clone is right, and a pause eats no limit" {
	own_cache
	pai -c 0
	before=$(date +%s)
	inside=$(pai -c 'import time; print(int(time.time()))')
	[ "$inside" -ge "$before" ]
	[ "$inside" -le $(($(date +%s) + 1)) ]
	[ "$(pai -t 10s -c 'import time; t = time.monotonic(); time.sleep(1); print(0.9 < time.monotonic() - t < 5)')" = True ]
}

@test "what was imported early looks as if just imported" {
	own_cache
	code='import gc, logging, threading, atexit, sys, warnings
import matplotlib, matplotlib.pyplot as plt, pandas
print(gc.isenabled(), gc.get_threshold(), logging.root.handlers, threading.active_count())
print(plt.get_fignums(), matplotlib.rcParams == matplotlib.rcParamsDefault or matplotlib.rcParams["backend"], pandas.get_option("display.max_rows"))
print(len(warnings.filters), sys.argv, __name__, sys.path[0])
import decimal, locale, numpy, os, signal, tempfile, matplotlib.units
print(numpy.geterr(), numpy.get_printoptions(), decimal.getcontext(), locale.setlocale(locale.LC_ALL))
print(sorted(os.environ), sys.getrecursionlimit(), tempfile.tempdir, sys.flags, sys.gettrace(), len(sys.meta_path))
print([(s, signal.getsignal(s)) for s in signal.valid_signals() if signal.getsignal(s) not in (0, None)])
print(sorted(map(str, matplotlib.units.registry)), logging.root.level, sorted(os.listdir("/tmp")), os.listdir())
print(gc.callbacks, [t.name for t in threading.enumerate()], sys.excepthook, sys.stdout.line_buffering)'
	pai -c "$code" >first
	pai -c "$code" >warm
	pai --fresh -c "$code" >cold
	cmp warm cold
	cmp first cold
}

@test "files that a clone's program never closed are whole at its end" {
	own_cache
	code='import pandas
class Holder: pass
h = Holder(); h.f = open("held", "w"); h.f.write("text")
f = open("plain", "w"); f.write("text")
pandas.mine = open("hung", "w"); pandas.mine.write("text"); pandas.mine.flush()'
	pai -o a -c "$code"
	pai -o b -c "$code"
	[ "$(cat a/held a/plain a/hung b/held b/plain b/hung)" = texttexttexttexttexttext ]
}

@test "a damaged template costs time, not the run, and is made again" {
	own_cache
	pai -c 0
	t=$(find "$templates" -mindepth 1 -maxdepth 1 -type d)
	for fault in truncate garbage missing; do
		case $fault in
		truncate) "${as_user[@]}" truncate -s -100 "$t/pages.img" ;;
		garbage) head -c "$(stat -c %s "$t/checkpoint.img")" /dev/urandom | "${as_user[@]}" dd "of=$t/checkpoint.img" status=none ;;
		missing) rm "$t/checkpoint.img" ;;
		esac
		run -0 --separate-stderr pai --json --script -c 'print("ran")'
		[ "$(jq -r '.stdout, .backend.start' <<<"$output" | xargs)" = 'ran cold' ]
		run -0 pai -c 'print("again")'
		[ "$output" = again ]
		[ "$(pai --json --script -c 0 | start_of)" = warm ]
		t=$(find "$templates" -mindepth 1 -maxdepth 1 -type d)
	done
}

@test "a cache that cannot be used costs nothing but time" {
	own_cache
	: >"$work/file"
	XDG_CACHE_HOME=$work/file run -0 pai -c 'print(1)'
	[ "$output" = 1 ]
	"${as_user[@]}" mkdir -p "$work/shut/pai"
	chmod 777 "$work/shut/pai"
	XDG_CACHE_HOME=$work/shut run -0 pai -c 'print(1)'
	[ "$output" = 1 ]
}

@test "20 first runs at once: one makes the template, all run" {
	own_cache
	for i in $(seq 20); do pai -c "print($i)" >"n$i" 2>&1 & done
	wait
	[ "$(cat n* | sort -n | xargs)" = "$(seq 20 | xargs)" ]
	[ "$(find "$templates" -mindepth 1 -maxdepth 1 -type d | wc -l)" = 1 ]
}

@test "kill -9 while a template is made: the next run works, no debris stays" {
	own_cache
	for _ in $(seq "${PAI_KILLS:-10}"); do
		rm -rf "$templates"/[0-9a-f]*
		"${pai[@]}" -c 'import numpy' </dev/null >/dev/null 2>&1 &
		read -rt "0.$(printf %03d $((RANDOM % 400)))" <> <(:) || :
		kill -KILL $! 2>/dev/null || :
		wait $! || :
		[ "$(pai -c 'import numpy; print(1)')" = 1 ]
	done
	# the keeper of the last one may hold the makers' lock for a moment
	for _ in $(seq 20); do
		[ "$(pai --json --script -c 'import numpy' | start_of)" != warm ] || break
	done
	ls -la "$templates" # shown if the next line fails
	[ -z "$(find "$templates" -mindepth 1 -maxdepth 1 -name '*.*' ! -name .lock)" ]
}

@test "a clone's usage is the program's alone" {
	own_cache
	for start in cold warm; do
		[ "$(pai --json --script -c 'import pandas' | jq -r '.backend.start')" = $start ]
	done
	[ "$(pai --json --script -c 'import pandas' | jq '.usage.user_ms < 150')" = true ]
}
