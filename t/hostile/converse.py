#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""converse GROUP[:TALK]... [--mutate=N] [--seed=S] -- PAI-EXEC... : hostile guests.

Runs the command with a guest that speaks our wire up to a point and then holds each
bad conversation of the groups (talks.py), as text and as JSON; or N random mutations
of honest ones. Says what was wrong, a line each, and fails. What must hold of each:
the status, one line (or one JSON object), the time, the memory, nothing outside DIR,
no file of ours left in it.
"""

import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import time

import talks
from talk import (
    BEGIN,
    JSON,
    NOTE,
    PLANTED,
    RESULT_END,
    RSS_MAX,
    STARTED,
    TEXT,
    UP,
    WITHIN,
    done,
    ended,
    file,
    frame,
    result,
    skipped,
    step,
    whole,
)

READ_MAX = 12 << 20  # bytes of each stream that are looked at
START = 6  # seconds that a busy machine may take beside what is waited for
HUNG = 40


class Host:
    """The command, with a conversation in the guest's place."""

    def __init__(self, command):
        self.command = command
        self.fake = os.path.join(os.environ["PAI_BUILD"], "t/fake-guest")
        self.dir = os.path.abspath("talk")
        st = os.stat(".")
        self.owner = st.st_uid, st.st_gid
        self.worst_rss, self.worst_time, self.count = 0, 0.0, 0

    def prepare(self, steps):
        shutil.rmtree(self.dir, ignore_errors=True)
        os.mkdir(self.dir)
        os.makedirs(self.dir + "/planted")
        os.mkdir(self.dir + "/victim")
        os.symlink("../victim", self.dir + "/planted/plant")
        for name in "", "/planted", "/victim":
            os.chown(self.dir + name, *self.owner)
        # /bin/runsc of the bare root: its own file holds what it is to say
        self.runsc = os.path.abspath("fake")
        os.makedirs(self.runsc, exist_ok=True)
        part = self.runsc + "/part"
        shutil.copy(self.fake, part)
        with open(part, "ab") as f:
            f.write(steps + struct.pack("<I", len(steps)) + b"talk")
        os.chmod(part, 0o755)
        os.rename(part, self.runsc + "/runsc")

    def run(self, steps, options):
        """Status, output, error, seconds, bytes resident."""
        self.prepare(steps)
        env = {**os.environ, "PATH": self.runsc + ":/usr/bin:/bin"}
        words = [
            *self.command,
            "--fresh",
            "--backend=gvisor",
            "-n",
            *options,
            "-c",
            "0",
        ]
        begin = time.monotonic()
        with open("o", "wb+") as out, open("e", "wb+") as err:
            # forked, for what shares our memory until its exec is charged with it
            p = subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                env=env,
                cwd=self.dir,
                preexec_fn=os.getpid,
            )
            late = False
            while True:
                pid, status, use = os.wait4(p.pid, os.WNOHANG)
                if pid:
                    break
                if time.monotonic() - begin > HUNG:
                    late = True
                    p.kill()
                time.sleep(0.002)
            p.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0)
            err.seek(0)
            took = time.monotonic() - begin
            self.worst_rss = max(self.worst_rss, use.ru_maxrss << 10)
            self.worst_time = max(self.worst_time, took)
            self.count += 1
            return (
                None if late else p.returncode,
                out.read(READ_MAX),
                err.read(READ_MAX),
                took,
                use,
            )

    def planted(self):
        """What lies where nothing may, and what DIR holds."""
        wrong = [
            n for n in os.listdir(self.dir) if n not in ("out", "planted", "victim")
        ]
        wrong += os.listdir(self.dir + "/victim")
        wrong += [os.fsdecode(PLANTED)] if os.path.exists(PLANTED) else []
        held = {}
        for top in "out", "planted":
            for at, _, names in os.walk(os.path.join(self.dir, top)):
                for n in names:
                    path = os.path.join(at, n)
                    wrong += [n] if n.startswith(".pai-exec.") else []
                    if os.path.islink(path):
                        wrong.append(path)
                        continue
                    st = os.stat(path)
                    wrong += [path] if st.st_mode & 0o7000 or st.st_nlink != 1 else []
                    with open(path, "rb") as f:
                        held[os.path.relpath(path, os.path.join(self.dir, top))] = (
                            f.read(1 << 16)
                        )
        return wrong, held


def one_object(out):
    """The one JSON object of OUT, or None."""
    try:
        lines = out.decode().splitlines()
        return (
            json.loads(lines[0])
            if len(lines) == 1 and not re.search(rb"[\x00-\x09\x0b-\x1f]", out)
            else None
        )
    except ValueError:
        return None


def judge_json(talk, out, err):
    r = one_object(out)
    if not r:
        return f"not one JSON object: {out[:200]!r}"
    said = r["error"]["value"] if r["status"] == "failed" else ""
    if talk.status == 125 and r["status"] != "failed":
        return f"status {r['status']}"
    if talk.ended and talk.status is not None and r["exit_code"] != 7:
        return f"exit_code {r['exit_code']}"
    if (
        talk.status == 125
        and "not kept" not in talk.line
        and not re.fullmatch(talk.line, said)
    ):
        return f"said {said!r}"
    return f"standard error: {err!r}" if err else None


def judge_text(talk, err):
    if re.search(rb"[^\n -~\x80-\xff]", err):
        return f"control bytes: {err!r}"
    if talk.line == "":
        return f"said {err[:300]!r}" if err else None
    if not re.fullmatch(
        "pai-exec: (?:" + talk.line + ")\n", err.decode(errors="replace")
    ):
        return f"said {err[:300]!r}, not {talk.line!r}"
    return None


def judge(host, talk, as_json, ran):
    status, out, err, took, use = ran
    if status is None:
        return "it hung"
    if took > talk.within + START:
        return f"{took:.1f} s"
    if use.ru_maxrss << 10 > talk.rss:
        return f"{use.ru_maxrss >> 10} MiB resident"
    if talk.status is not None and status != talk.status:
        return f"status {status}: {err[:200]!r}"
    wrong, held = host.planted()
    if wrong:
        return f"left {wrong}"
    if talk.kept is not None and held != talk.kept:
        return f"kept {held}"
    return judge_json(talk, out, err) if as_json else judge_text(talk, err)


def hold(host, name, talk, ways):
    failed = 0
    for as_json in ways:
        why = judge(
            host,
            talk,
            as_json,
            host.run(talk.steps, talk.options + ["--json"] * as_json),
        )
        if why:
            failed += 1
            print(f"{name}{' (JSON)' if as_json else ''}: {why}", flush=True)
    return failed


def honest(rng):
    """The frames of an honest conversation after START."""
    middle = [
        whole(b"a", rng.randbytes(rng.randrange(1, 200))),
        file(b"d", 0, 0o755, 1),
        whole(b"d/b"),
    ]
    middle += [
        skipped(b"l"),
        skipped(b"s", 1),
    ]
    told = [
        result(BEGIN, b"\1"),
        result(TEXT, b"42"),
        result(JSON, b"[nt]"),
        result(RESULT_END),
        frame(NOTE, b"\0Name"),
        frame(NOTE, b"\1value"),
    ]
    cut = []
    for f in [frame(STARTED), *told, ended(7), *middle, done()]:
        while f:  # every frame by itself
            n = 5 + struct.unpack("<I", f[1:5])[0]
            cut.append(f[:n])
            f = f[n:]
    return cut


def mutate(rng, list_of_frames):
    f = list(list_of_frames)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        i, j = rng.randrange(len(f)), rng.randrange(len(f))
        how = rng.randrange(7)
        if how == 0:
            f[i] = b""
        elif how == 1:
            f.insert(i, f[j])
        elif how == 2:
            f[i], f[j] = f[j], f[i]
        elif how == 3 and f[i]:
            f[i] = f[i][: rng.randrange(len(f[i]))]
        elif how == 4:
            f.insert(i, rng.randbytes(rng.randrange(1, 40)))
        elif f[i]:
            at = bytearray(f[i])
            for _ in range(rng.choice((1, 1, 2, 8))):
                at[rng.randrange(len(at))] = rng.choice(
                    (0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256))
                )
            f[i] = bytes(at)
    return b"".join(f)


def mutations(host, n, seed):
    failed = 0
    print(f"# seed {seed}, {n} mutations", flush=True)
    for i in range(n):
        rng = random.Random(seed + i)
        steps = UP + step("w", mutate(rng, honest(rng)))
        ran = host.run(steps, ["-o", "out", "--json"])
        status, out, err, took, use = ran
        r = one_object(out)
        wrong, _ = host.planted()
        right = (
            status in (0, 7, 125)
            or status == 128 + (r or {}).get("signal", 0)
            or (r or {}).get("status") == "memory"
        )
        if (
            not right
            or took > WITHIN + START
            or use.ru_maxrss << 10 > RSS_MAX
            or wrong
            or not r
            or err
        ):
            failed += 1
            print(
                f"seed {seed + i}: status {status}, {took:.1f} s, left {wrong}, {out[:100]!r} {err[:200]!r}",
                flush=True,
            )
    return failed


def ways(group, key):
    """As text, as JSON: what differs in them, or takes long, is done in one."""
    if group in ("notes", "results"):
        return (True,)
    text = group == "stalls" or key in ("note-not-asked", "result-not-asked")
    return (False,) if text else (False, True)


def main():
    cut = sys.argv.index("--")
    host = Host(sys.argv[cut + 1 :])
    words = sys.argv[1:cut]
    given = dict(w[2:].split("=", 1) for w in words if w.startswith("--"))
    failed = 0
    for word in words:
        group, _, only = word.partition(":")
        if word.startswith("--"):
            continue
        for key, talk in talks.GROUPS[group]():
            if only in ("", key):
                failed += hold(host, key, talk, ways(group, key))
    if "mutate" in given:
        seed = int(given.get("seed", random.randrange(1 << 30)))
        failed += mutations(host, int(given["mutate"]), seed)
    print(
        f"# {host.count} conversations, at most {host.worst_time:.2f} s"
        f" and {host.worst_rss >> 10} KiB resident"
    )
    return failed > 0 or host.count == 0


if __name__ == "__main__":
    sys.exit(main())
