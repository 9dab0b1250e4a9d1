#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kills [--times=N] [--seed=S] -- PAI-EXEC [OPTION]... : kill -9 of a session's turn.

The command is killed N times, at a random moment between its start and a tenth after
a turn's usual end. Right is that all its processes are gone at once (GONE), that the
session then is what it was before this turn or after it, variables and /workspace
alike, that the next turn works, and that nothing half made is left in its folder after
that. Says what was wrong, a line each, and fails.
"""

import os
import random
import re
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "hostile"))
import host

SLOW = 20 if os.path.exists("/run/kvm-host") else 1
GONE = 10 * SLOW  # seconds: milliseconds, on an idle machine
FIRST = """
import threading, time, numpy as np
n, data, ticks = 0, np.arange(1 << 20), 0
def tick():
    global ticks
    while True:
        ticks += 1
        time.sleep(0.01)
threading.Thread(target=tick, daemon=True).start()
"""
COUNT = """
n += 1
data += 1
with open("n.txt", "w") as f:
    f.write(str(n) * 1000)
"""
LOOK = """
before = ticks
while ticks == before: time.sleep(0.001)
whole = int(data[0]) == n and int(data[-1]) == n + (1 << 20) - 1
text = open("n.txt").read() if n else ""
print(n, whole and text == str(n) * 1000 if n else whole)
"""


def start(command, text):
    p = subprocess.Popen(
        [*command, "--session-dir=sessions", "--session=k", "-n", "-c", text],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    return p


def finish(command, text):
    """What a turn that nobody kills prints; None, and it is said, if it fails."""
    p = start(command, text)
    out, err = p.communicate()
    if p.returncode or err:
        print(f"a turn after it: status {p.returncode}: {err!r}", flush=True)
        return None
    return out.strip()


def half_made():
    """What is no whole turn in the session's folder."""
    known = re.compile(r"\d+|lock|put-\d+")
    return [n for n in os.listdir("sessions/k") if not known.fullmatch(n)]


def usual(command):
    """Seconds of a turn, and how often it was counted."""
    took = []
    for _ in range(3):
        begin = time.monotonic()
        if finish(command, COUNT) is None:
            sys.exit(1)
        took.append(time.monotonic() - begin)
    return sorted(took)[1], len(took)


def one(command, at, n):
    """Kills a turn AT seconds after its start. N afterwards, and what was wrong."""
    p = start(command, COUNT)
    try:
        p.wait(at)
    except subprocess.TimeoutExpired:
        p.kill()
    finally:
        p.communicate()
    wrong = []
    if not host.all_gone(GONE):
        wrong.append(f"processes are left: {host.children(os.getpid())}")
        host.kill_children()
    said = finish(command, LOOK)
    if said not in (f"{n} True", f"{n + 1} True"):
        wrong.append(f"after {n} there is {said!r}")
    if p.returncode == 0 and said == f"{n} True":
        wrong.append("it had ended well, and is forgotten")
    if left := half_made():
        wrong.append(f"left in the folder: {left}")
    match = re.match(r"\d+", said or "")
    return int(match[0]) if match else n, wrong


def main():
    cut = sys.argv.index("--")
    given = dict(w[2:].split("=", 1) for w in sys.argv[1:cut])
    seed = int(given.get("seed", random.randrange(1 << 30)))
    times, command = int(given.get("times", 20)), sys.argv[cut + 1 :]
    rng, failed, new = random.Random(seed), 0, 0
    print(f"# seed {seed}", flush=True)
    host.subreap()
    if finish(command, FIRST) is None:
        return 1
    span, n = usual(command)
    for i in range(times):
        at = rng.random() * span * 1.1
        was = n
        n, wrong = one(command, at, n)
        new += n != was
        if wrong:
            failed += 1
            print(f"kill {i}, after {at * 1000:.0f} ms: {', '.join(wrong)}", flush=True)
    print(f"# {times} kills within {span * 1100:.0f} ms: {new} times the new state")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
