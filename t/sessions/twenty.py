#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""twenty [--turns=N] -- PAI-EXEC [OPTION]... : a session of N turns (20), each in a new
process, that hold every kind of state, beside the same statements in one unbroken run.

Right is that both print the same, and that the machine has the same processes, mounts
and cgroups before each turn and after it. Says what was wrong, a line each, and fails.
"""

import contextlib
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "hostile"))
import host

SLOW = 20 if os.path.exists("/run/kvm-host") else 1
BUILD = r"""
import contextvars, os, random, socket, sqlite3, subprocess, sys, tempfile, threading
import time, types
import numpy as np
import pandas as pd

df = pd.DataFrame({"n": range(100)})

def squares():
    i = 0
    while True:
        yield i * i
        i += 1

gen = squares()
log = open("log.txt", "w+", buffering=1 << 16)
db = sqlite3.connect("data.db")
db.execute("create table numbers (n)")
db.execute("create table seen (n)")
db.executemany("insert into numbers values (?)", [(i,) for i in range(500)])
db.commit()
cursor = db.execute("select n from numbers order by n desc")
mem = sqlite3.connect(":memory:")
mem.execute("create table t (n)")
ticks = 0

def tick():
    global ticks
    while True:
        ticks += 1
        time.sleep(0.001)

thread = threading.Thread(target=tick, daemon=True)
thread.start()
lock, held = threading.Lock(), threading.RLock()
held.acquire()
pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
child = subprocess.Popen(["sh", "-c", "n=0; while read w; do n=$((n+1)); echo $w $n; done"], **pipes)
first_pid, own_pid = child.pid, os.getpid()
base = 10
add = lambda v: v + base

class Point:
    made = 0

    def __init__(self):
        Point.made += 1
        self.x = 0

    def move(self):
        self.x += self.made

point = Point()
with open("own.py", "w") as f:
    f.write("count = 0\ndef up():\n    global count\n    count += 1\n    return count\n")
import own

made = types.ModuleType("made")
made.count = 0
sys.modules["made"] = made
os.environ["MODE"] = "blue"
os.makedirs("sub/deep")
os.chdir("sub/deep")
temp = tempfile.NamedTemporaryFile("w+")
folder = tempfile.mkdtemp()
gone = open("gone.txt", "w+")
os.unlink("gone.txt")
server = socket.create_server(("127.0.0.1", 0))
near = socket.create_connection(server.getsockname())
far = server.accept()[0]
one, other = socket.socketpair()
var = contextvars.ContextVar("var")
var.set(0)
random.seed(7)
np.random.seed(11)
rng, npr = random.Random(5), np.random.default_rng(3)
umask = os.umask(0o027)
read_end, write_end = os.pipe()
os.write(write_end, b"in the pipe" * 100);
"""
STEP = r"""
import made as again

df["n"] += 1
log.write(f"{next(gen)}\n")
before = ticks
while ticks == before:
    time.sleep(0.001)
child.stdin.write(b"x\n")
child.stdin.flush()
near.sendall(b"ping")
one.send(b"pong")
point.move()
gone.write("g")
temp.write("t")
db.execute("insert into seen values (?)", (point.x,))
mem.execute("insert into t values (?)", (point.x,))
again.count += 1
var.set(var.get() + 1)
fresh = Point()
open("new.txt", "a").write("n")
print(df["n"].sum(), next(gen), cursor.fetchone()[0], child.stdout.readline(), child.poll())
print(db.execute("select count(*) from seen").fetchone()[0], db.in_transaction)
print(mem.execute("select sum(n) from t").fetchone()[0], lock.locked(), held._is_owned())
print(child.pid == first_pid, os.getpid() == own_pid, add(1), point.x, Point.made)
print(isinstance(fresh, Point), own.up(), made.count, os.getcwd(), os.environ["MODE"])
print(os.path.getsize(temp.name), os.path.isdir(folder), gone.tell(), os.path.exists("gone.txt"))
print(far.recv(9), other.recv(9), var.get(), thread.is_alive(), threading.active_count() > 1)
print(random.random(), rng.random(), np.random.rand(), npr.random())
print(os.path.getsize("/workspace/log.txt"), os.stat("new.txt").st_size, sorted(os.listdir(".")))
print(os.umask(0o027), os.read(read_end, 11))
"""
END = r"""
log.flush()
gone.seek(0)
child.stdin.close()
print(open("/workspace/log.txt").read().split(), gone.read(), child.wait(), len(cursor.fetchall()))
"""


def mounts():
    with open("/proc/self/mounts") as f:
        here = os.getcwd()
        return [x for x in f if here in x or "runsc" in x or "rootfs.erofs" in x]


def tree(pid):
    return [pid] + [p for child in host.children(pid) for p in tree(child)]


class Cgroups(threading.Thread):
    """Looks which cgroups the processes of a run are in, while it lasts."""

    def __init__(self, pid):
        super().__init__()
        self.pid, self.found, self.done = pid, set(), threading.Event()
        self.start()

    def run(self):
        while not self.done.wait(0.005):
            for pid in tree(self.pid):
                with contextlib.suppress(OSError), open(f"/proc/{pid}/cgroup") as f:
                    self.found |= set(re.findall(r"pai-exec-[0-9a-f]+", f.read()))

    def left(self):
        self.done.set()
        self.join()
        there = (n for _, names, _ in os.walk("/sys/fs/cgroup") for n in names)
        return self.found & set(there) if self.found else set()


def one_turn(words, text):
    """What a turn printed; and the lines of what was wrong."""
    before, wrong = mounts(), []
    p = subprocess.Popen(
        [*words, "--session-dir=sessions", "--session=twenty"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    groups = Cgroups(p.pid)
    out, err = p.communicate(text)
    if p.returncode or err:
        wrong.append(f"status {p.returncode}: {err}")
    if not host.all_gone(2 * SLOW):
        wrong.append(f"processes are left: {host.children(os.getpid())}")
        host.kill_children()
    if mounts() != before:
        wrong.append(f"mounts are left: {mounts()}")
    if left := groups.left():
        wrong.append(f"cgroups are left: {left}")
    return out, wrong


def size():
    """Bytes of the session on the disk; a file of many names counts once."""
    found = {}
    for at, _, names in os.walk("sessions"):
        for n in names:
            st = os.lstat(os.path.join(at, n))
            found[st.st_ino] = 512 * st.st_blocks
    return sum(found.values())


def main():
    cut = sys.argv.index("--")
    given = dict(w[2:].split("=", 1) for w in sys.argv[1:cut])
    words, n = sys.argv[cut + 1 :], int(given.get("turns", 20))
    texts = [BUILD, *[STEP] * (n - 2), END]
    whole = subprocess.run(
        [*words, "--cell"], input="".join(texts), capture_output=True, text=True
    )
    wanted = whole.stdout.splitlines()
    if whole.returncode or whole.stderr or not wanted:
        print(f"the unbroken run: {whole.returncode}: {whole.stderr}")
        return 1
    host.subreap()
    failed, sizes = 0, []
    for i, text in enumerate(texts, 1):
        out, wrong = one_turn(words, text)
        lines = out.splitlines()
        right, wanted = wanted[: len(lines)], wanted[len(lines) :]
        wrong += [
            f"{a!r}, and {b!r} is right"
            for a, b in zip(lines, right, strict=False)
            if a != b
        ]
        if text == STEP and len(lines) != STEP.count("print("):
            wrong.append(f"{len(lines)} lines")
        for line in wrong:
            print(f"turn {i}: {line}", flush=True)
        failed += bool(wrong)
        sizes.append(size())
    if wanted:
        print(f"{len(wanted)} lines were not printed")
    if n > 5 and sizes[-1] > sizes[2] * 1.25:
        print(f"it grows with its turns: {sizes}")
        failed += 1
    print(f"# {n} turns, {sizes[-1] / 1e6:.0f} MB on the disk")
    return failed > 0 or bool(wanted)


if __name__ == "__main__":
    sys.exit(main())
