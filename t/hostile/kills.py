#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kills [--times=N] [--seed=S] command|helpers -- PAI-EXEC [OPTION]... : kill -9.

command: the command is killed N times, at a random moment between its start and a
tenth after its usual end; helpers: each process beneath it in turn, while a program
runs, N times. Right is that all processes of the run are gone at once (GONE), that
DIR is unchanged or complete, and that the death of a helper is told: 125, one line,
within a second. Says what was wrong, a line each, and fails.
"""

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from host import all_gone, children, kill_children, subreap, temporary

SLOW = 20 if os.path.exists("/run/kvm-host") else 1  # an emulated host
GONE = 10 * SLOW  # seconds: milliseconds, on an idle machine
TOLD = 1.0 * SLOW
SIZE = 300000
KEEPS = f"""import os
os.mkdir("d")
for n in "abc", "d/e": open(n, "w").write(n[0] * {SIZE})"""
WAITS = """import time
print("up", flush=True)
time.sleep(600)"""


def start(command, program, out):
    words = [*command, "-n", "-c", program]
    return subprocess.Popen(
        words, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE, text=True
    )


def name_of(pid):
    """keeper, backend, or what its command line says: sandbox, gofer, stub."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as f:
            words = f.read().split(b"\0")
    except OSError:
        return "gone"
    for name in "sandbox", "gofer":
        if words[0] == b"runsc-" + name.encode() or (
            name == "sandbox" and b"boot" in words
        ):
            return name
    return os.path.basename(words[0].decode()) or "stub"


def helpers(pid):
    """Pids beneath the command, by name; of many of a name the first."""
    found, todo = {}, [(children(pid), "keeper")]
    while todo:
        pids, name = todo.pop(0)
        for child in pids:
            found.setdefault(name or name_of(child), child)
            todo.append((children(child), None))
    for name in "gone", "stub":  # a program's own process: gVisor does not miss it
        found.pop(name, None)
    return found


def is_whole(top):
    """Every file of DIR has all its bytes, of the one run or the other."""
    for at, _, names in os.walk(top):
        for n in names:
            with open(os.path.join(at, n)) as f:
                if f.read() not in {c * SIZE for c in "abd"}:
                    return False
    return True


def left():
    wrong = []
    if not all_gone(GONE):
        wrong.append(
            "processes " + " ".join(f"{p}:{name_of(p)}" for p in children(os.getpid()))
        )
        kill_children()
    if not is_whole("out"):
        wrong.append("a part of a file")
    return wrong


def kill_command(command, times, rng):
    command = [*command, "-o", "out"]
    usual = []
    for _ in range(3):
        shutil.rmtree("out", ignore_errors=True)
        begin = time.monotonic()
        p = start(command, KEEPS, subprocess.DEVNULL)
        p.communicate()
        usual.append(time.monotonic() - begin)
    span = sorted(usual)[1] * 1.1
    failed = whole = 0
    slowest = 0.0
    for i in range(times):
        shutil.rmtree("out", ignore_errors=True)
        p = start(command, KEEPS, subprocess.DEVNULL)
        at = rng.random() * span
        try:
            p.wait(at)
        except subprocess.TimeoutExpired:
            p.kill()
        begin = time.monotonic()
        p.wait()
        p.stderr.close()
        wrong = left()
        slowest = max(slowest, time.monotonic() - begin)
        whole += p.returncode == 0
        if wrong:
            failed += 1
            print(
                f"kill {i}, after {at * 1000:.0f} ms: left {', '.join(wrong)}",
                flush=True,
            )
    p = start(command, "0", subprocess.DEVNULL)
    _, err = p.communicate()
    if p.returncode or err or temporary("out"):
        failed += 1
        print(f"the next run: status {p.returncode}, {err!r}, left {temporary('out')}")
    print(
        f"# {times} kills within {span * 1000:.0f} ms, {whole} too late: all gone after {slowest * 1000:.0f} ms at most"
    )
    return failed


def kill_helper(command, name):
    """What was wrong, or None; "" if there is none of that name."""
    with tempfile.TemporaryFile() as lines:
        p = start(command, WAITS, lines)
        end = time.monotonic() + 60 * SLOW
        while (
            os.fstat(lines.fileno()).st_size < 3
            and p.poll() is None
            and time.monotonic() < end
        ):
            time.sleep(0.01)
        pid = helpers(p.pid).get(name)
        if pid is None:
            p.kill()
            p.communicate()
            return ""
        os.kill(pid, signal.SIGKILL)
        begin = time.monotonic()
        try:
            _, err = p.communicate(timeout=10 * SLOW)
        except subprocess.TimeoutExpired:
            p.kill()
            p.communicate()
            return "it hung"
        took = time.monotonic() - begin
        rest = left()
        if (
            p.returncode == 125
            and err.startswith("pai-exec: the ")
            and err.count("\n") == 1
            and took <= TOLD
            and not rest
        ):
            return None
        return f"status {p.returncode} after {took:.2f} s: {err!r}, left {rest}"


def kill_helpers(command, times):
    p = start(command, WAITS, subprocess.PIPE)
    p.stdout.readline()
    names = list(helpers(p.pid))
    p.kill()
    p.communicate()
    left()
    failed = 0
    for name in names:
        for _ in range(times):
            why = kill_helper(command, name)
            if why is not None:
                failed += 1
                print(f"{name}: {why or 'there was none'}", flush=True)
    print(f"# killed, {times} times each: {' '.join(names)}")
    return failed


def main():
    cut = sys.argv.index("--")
    words = [w for w in sys.argv[1:cut] if not w.startswith("--")]
    given = dict(w[2:].split("=", 1) for w in sys.argv[1:cut] if w.startswith("--"))
    seed = int(given.get("seed", random.randrange(1 << 30)))
    times = int(given.get("times", 1))
    subreap()
    failed = 0
    for what in words:
        if what == "command":
            print(f"# seed {seed}", flush=True)
            failed += kill_command(sys.argv[cut + 1 :], times, random.Random(seed))
        else:
            failed += kill_helpers(sys.argv[cut + 1 :], times)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
