# SPDX-License-Identifier: Apache-2.0
#: title a session's kernel goes on where it stopped, with its files, threads, children
#: turns 0 0 0
#: out 4 one True
#: out child 1
#: out 9 one True
#: out child 2
#: out ['unflushed'] [(1,), (2,)]
import os
import sqlite3
import subprocess
import threading
import time

gen = (i * i for i in range(10))
next(gen), next(gen)
log = open("log.txt", "w")
log.write("unflushed")
gone = open("gone.txt", "w+")
os.unlink("gone.txt")
gone.write("one")
db = sqlite3.connect("data.db")
db.execute("create table t (n)")
ticks = 0


def tick():
    global ticks
    while True:
        ticks += 1
        time.sleep(0.01)


threading.Thread(target=tick, daemon=True).start()
child = subprocess.Popen(
    ["sh", "-c", "n=0; while read w; do n=$((n+1)); echo child $n; done"],
    stdin=subprocess.PIPE,
    stdout=subprocess.PIPE,
    text=True,
)
os.mkdir("sub")
os.chdir("sub")


def look():
    before = ticks
    while ticks == before:
        time.sleep(0.001)
    gone.seek(0)
    empty = os.path.getsize("/workspace/log.txt") == 0
    print(next(gen), gone.read(), empty and os.getcwd() == "/workspace/sub")
    child.stdin.write("go\n")
    child.stdin.flush()
    print(child.stdout.readline(), end="")


# %%
db.execute("insert into t values (1)")
look()
# %%
look()
log.close()
db.execute("insert into t values (2)")
text = open("/workspace/log.txt").read()
print([text], db.execute("select n from t order by n").fetchall())
