# SPDX-License-Identifier: Apache-2.0
"""What an entry of the golden set says, how it is run, and what came of it.

An entry is a program whose first comment lines say what is right, by contract:

    #: title TEXT        the promise
    #: options WORDS     of pai-exec, as the shell splits them
    #: args WORDS        of the program
    #: program WORDS     what stands in the place of the entry's own name, as -m x
    #: mode WORD         json (one result object: the default) or one (plain text,
                         both streams in one file)
    #: setup COMMAND     bash, before the run, in its work folder
    #: stdin COMMAND     bash, whose output is the standard input (none: empty)
    #: from stdin        the entry is the standard input
    #: exit N            of pai-exec (0)
    #: status WORD       of the result (ok)
    #: signal N          of the result (none)
    #: error NAME        of the result (none)
    #: out LINE, err LINE        one line of the program's output, with its newline
    #: raw-out TEXT, raw-err TEXT    the same with Python's escapes and no newline
    #: sha256-out HEX    the digest of all of its output, in the place of the lines
    #: kept MODE SHA PATH        in the output folder, which is `kept`: the first
                         eight digits of its SHA-256, or - for a folder
    #: skipped REASON: PATH      named in the result

    #: turns N N N      a session: the entry's parts between lines "# %%" are its turns,
                        and end with these statuses; status, error and the like are of
                        the last, what they print of all

All but the first nine, sha256-out and turns may be given again. Without out, err, kept
or skipped there must be none."""

import ast
import base64
import hashlib
import json
import re
import shlex
import subprocess
import time
from pathlib import Path

ENTRIES = Path(__file__).resolve().parent / "entries"
PREFIX = "#: "
CUT = "# %%\n"
ONCE = {
    "title": "",
    "options": "",
    "args": "",
    "program": "",
    "mode": "json",
    "stdin": "",
    "from": "",
    "exit": "0",
    "status": "ok",
    "signal": "",
    "error": "",
    "sha256-out": "",
    "turns": "",
}
AGAIN = ("setup", "out", "err", "raw-out", "raw-err", "kept", "skipped")

# What differs from run to run or host to host, and why that is no difference:
MASKED = {
    "timing": "how long it took",
    "usage": "what it cost; a microVM counts otherwise than a sentry",
    "backend": "its name and version, and why it was taken; run looks at the name",
    "warnings": "what this host cannot do (cgroups), whichever backend",
}
# A program that prints @now=SECONDS means now: what lies in the time of its run,
# give or take this, is masked.
NOW = re.compile(rb"@now=([0-9.]+)")
NOW_SLACK = 2
LONG = 4096  # bytes; what is longer is kept by digest
RUN_MAX = 240  # seconds for one run, on an emulated host too


class Entry:
    def __init__(self, path):
        self.path, self.name = path, path.stem
        self.said = dict(ONCE) | {key: [] for key in AGAIN}
        self.expected = {"out": b"", "err": b""}
        for line in path.read_text("utf-8").splitlines():
            if line.startswith(PREFIX):
                self.add(*line.removeprefix(PREFIX).partition(" ")[::2])
            elif not line.startswith("#"):
                break
        if not self.said["title"]:
            raise ValueError(f"{path}: no title")

    def add(self, key, value):
        which = key.removeprefix("raw-")
        if key not in self.said:
            raise ValueError(f"{self.path}: '{key}' is no word of an entry")
        if which != key:
            self.expected[which] += ast.literal_eval(f'b"{value}"')
        elif which in self.expected:
            self.expected[which] += value.encode() + b"\n"
        elif key in AGAIN:
            self.said[key].append(value)
        else:
            self.said[key] = value

    def words(self, key):
        return shlex.split(self.said[key])


def all_entries(names):
    paths = sorted(p for p in ENTRIES.iterdir() if p.suffix in (".py", ".sh"))
    known = {p.stem for p in paths}
    for name in names:
        if name not in known:
            raise ValueError(f"'{name}' is no entry")
    return [Entry(p) for p in paths if not names or p.stem in names]


def text_of(data):
    """Text as it is, other bytes as base64; what is long by digest."""
    if len(data) > LONG:
        return f"{len(data)} bytes, sha256 {hashlib.sha256(data).hexdigest()}"
    try:
        return data.decode()
    except UnicodeDecodeError:
        return "base64: " + base64.b64encode(data).decode()


def bytes_of(result, stream):
    if result[f"{stream}_encoding"] == "base64":
        return base64.b64decode(result[stream])
    return result[stream].encode()


def kept_files(folder):
    """Every path in FOLDER: its mode, and its digest if it is a file."""
    kept = {}
    for path in sorted(folder.rglob("*")) if folder.is_dir() else []:
        digest = (
            hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "-"
        )
        mode = f"{path.lstat().st_mode & 0o7777:o}"
        kept[str(path.relative_to(folder))] = {"mode": mode, "sha256": digest}
    return kept


def mask_now(data, begin, end):
    def one(match):
        inside = begin - NOW_SLACK <= float(match[1]) <= end + NOW_SLACK
        return b"@now" if inside else match[0]

    return NOW.sub(one, data)


class Runner:
    """Runs entries on one backend, each in a folder of its own under SCRATCH."""

    def __init__(self, backend, pai_exec, image, scratch):
        self.backend, self.scratch = backend, scratch
        config = scratch / "pai.yaml"
        # an emulated host is slow; what these bound is not what is tested
        config.write_text(
            "code_interpreter_vm:\n  boot_timeout: 120s\n  probe_timeout: 60s\n"
        )
        config.chmod(0o644)
        self.base = [pai_exec, f"--backend={backend}", f"--image={image}"]
        self.base += [f"--config={config}", "--memory=256M", "--timeout=120s"]

    def environment(self, path):
        env = {"PATH": path, "HOME": str(self.scratch), "LC_ALL": "C.UTF-8"}
        env["XDG_CACHE_HOME"] = str(self.scratch / "cache")
        return env | {"PAI_CONFIG_NOSYSTEM": "1", "CALLERS_OWN": "stays outside"}

    def run(self, entry, path):
        """The entry's outcome, as one object for JSON, and its two raw streams."""
        work, env = self.scratch / entry.name, self.environment(path)
        work.mkdir()
        own = entry.path.name
        (work / own).write_bytes(entry.path.read_bytes())
        for command in entry.said["setup"]:
            subprocess.run(["bash", "-ec", command], cwd=work, env=env, check=True)
        given = b""
        if entry.said["stdin"]:
            words = ["bash", "-ec", entry.said["stdin"]]
            given = subprocess.check_output(words, cwd=work, env=env)
        if entry.said["turns"]:
            return self.run_turns(entry, work, env)
        program = entry.words("program") or [own]
        if entry.said["from"] == "stdin":
            program, given = ["-"], entry.path.read_bytes()
        words = entry.words("options") + program + entry.words("args")
        return self.call(entry, words, work, env, given)

    def run_turns(self, entry, work, env):
        """As run(), of an entry that is a session: the last turn's outcome, with what
        all have printed, and `turns`: the outcomes of all."""
        raw, turns = {"out": b"", "err": b""}, {}
        own = entry.path.name
        words = [f"--session={entry.name}", f"--session-dir={self.scratch}/sessions"]
        from_stdin = entry.said["from"] == "stdin"
        words += [*entry.words("options"), "-" if from_stdin else own]
        for n, text in enumerate(entry.path.read_text("utf-8").split(CUT), 1):
            (work / own).write_text(text, "utf-8")
            given = text.encode() if from_stdin else b""
            outcome, said = self.call(entry, words, work, env, given)
            raw = {which: raw[which] + said[which] for which in raw}
            turns[str(n)] = outcome
        last = {"stdout": text_of(raw["out"]), "stderr": text_of(raw["err"])}
        return outcome | last | {"turns": turns}, raw

    def call(self, entry, words, work, env, given):
        """One run of pai-exec: its outcome, and its streams."""
        one = entry.said["mode"] == "one"
        words = self.base + ([] if one else ["--json"]) + words
        begin = time.time()
        done = subprocess.run(
            words,
            cwd=work,
            env=env,
            input=given,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if one else subprocess.PIPE,
            timeout=RUN_MAX,
        )
        raw = {"out": done.stdout, "err": b"" if one else done.stderr}
        outcome = {"exit": done.returncode, "kept": kept_files(work / "kept")}
        if not one:
            outcome |= self.take_result(done, raw)
        raw = {which: mask_now(data, begin, time.time()) for which, data in raw.items()}
        outcome |= {"stdout": text_of(raw["out"]), "stderr": text_of(raw["err"])}
        return outcome, raw

    def take_result(self, done, raw):
        """The masked result object; its streams go into RAW."""
        outcome = json.loads(done.stdout)
        raw["out"] = bytes_of(outcome, "stdout")
        raw["err"] = bytes_of(outcome, "stderr")
        if done.stderr:
            outcome["said"] = text_of(done.stderr)
        if outcome["backend"] and outcome["backend"]["name"] != self.backend:
            raise ValueError(f"it ran on {outcome['backend']['name']}")
        for key in MASKED:
            outcome[key] = "masked"
        error = outcome["error"]
        if error and len(error["traceback"]) > LONG:
            error["traceback"] = text_of(error["traceback"].encode())
        return outcome


def stated():
    """(ENTRY, FIELD): REASON, of the file of differences."""
    lines = (ENTRIES.parent / "differences").read_text("utf-8").splitlines()
    words = [line.split(None, 2) for line in lines if line and line[0] != "#"]
    return {(entry, field): reason for entry, field, reason in words}


def wrong(entry, outcome, raw):
    """Lines that say what is not as ENTRY says it must be, and stated ones."""
    said, known, lines, notes = entry.said, stated(), [], []

    def same(what, got, want):
        if got == want:
            return
        if reason := known.get((entry.name, what)):
            notes.append(f"{what}: {got!r}, as stated: {reason}")
            return
        lines.append(f"{what}: {got!r}")
        lines.append(f"{' ' * len(what)}  {want!r} would be right")

    if said["turns"]:
        ended = [str(turn["exit"]) for turn in outcome["turns"].values()]
        same("turns", " ".join(ended), said["turns"])
    same("exit", outcome["exit"], int(said["exit"]))
    if said["sha256-out"]:
        same("stdout", hashlib.sha256(raw["out"]).hexdigest(), said["sha256-out"])
    else:
        same("stdout", text_of(raw["out"]), text_of(entry.expected["out"]))
    same("stderr", text_of(raw["err"]), text_of(entry.expected["err"]))
    kept = [
        f"{file['mode']} {file['sha256'][:8]} {path}"
        for path, file in outcome["kept"].items()
    ]
    same("kept", sorted(kept), sorted(said["kept"]))
    if said["mode"] == "one":
        return lines, notes
    same("status", outcome["status"], said["status"])
    same("signal", outcome["signal"], int(said["signal"]) if said["signal"] else None)
    same("error", outcome["error"] and outcome["error"]["name"], said["error"] or None)
    skipped = [f"{one['reason']}: {one['path']}" for one in outcome["skipped"]]
    same("skipped", sorted(skipped), sorted(said["skipped"]))
    same("on standard error", outcome.get("said", ""), "")
    return lines, notes
