# SPDX-License-Identifier: Apache-2.0
"""jupyter.py NAME... - runs in the image's root, see reference: gives each cell of
/golden/cells, and the cells of each file of /golden/sessions, to a Jupyter kernel of
its own, and where one ends in an error also to python3, and writes
/golden/expected/CELL.json.

python3 is the reference for tracebacks, standard error and the status of a cell that
fails, for a notebook shows an error in its own way, and has no status."""

import json
import os
import subprocess
import sys

sys.path.insert(0, "/golden")
import golden
import nbformat
from nbclient import NotebookClient

CELL_MAX = 60  # seconds
PLAIN = "/tmp/plain"  # where python3 finds what makes it a little of a notebook

KEYS = {
    "text/plain": "text",
    "text/html": "html",
    "text/markdown": "markdown",
    "image/svg+xml": "svg",
    "image/png": "png",
    "image/jpeg": "jpeg",
    "application/pdf": "pdf",
    "text/latex": "latex",
    "application/json": "json",
    "application/javascript": "javascript",
}
# Cells of a session in one python3, each by the name that pai-exec gives it; what it
# says on standard error goes to a file of its own. A cell that is no plain Python does
# nothing here.
IN_TURN = """
import linecache, os, sys, traceback
texts = sys.argv[2:]
for n, text in enumerate(texts, 1):
    name, status = f"<cell {n}>", 0
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    os.dup2(os.open(f"{sys.argv[1]}/{n}", os.O_WRONLY | os.O_CREAT), 2)
    try:
        exec(compile(text, name, "exec"), globals())
    except SystemExit as e:
        status = e.code if isinstance(e.code, int) else 1
        if isinstance(e.code, str):
            print(e.code, file=sys.stderr)
    except BaseException as e:
        sys.last_exc = sys.last_value = e
        sys.last_type, status = type(e), 1
        tb = e.__traceback__.tb_next
        traceback.print_exception(type(e), e, tb)
    with open(f"{sys.argv[1]}/{n}.status", "w") as f:
        print(status, file=f)
"""


def by_keys(bundle):
    """A notebook's bundle of MIME types, by pai-exec's keys."""
    given = {}
    for mime, value in bundle.items():
        if mime in KEYS:
            given[KEYS[mime]] = value
        else:
            given.setdefault("extra", {})[mime] = value
    return given


def one_outcome(cell, reply):
    """What a notebook shows for a cell that it has run."""
    outcome = {"stdout": "", "stderr": "", "exit": 0, "error": None}
    results, shown = [], []
    for output in cell.outputs:
        kind = output.output_type
        if kind == "stream":
            outcome[output.name] += output.text
        elif kind == "error":
            shown.append(golden.mask(f"{output.ename}: {output.evalue}"))
        else:
            main = kind == "execute_result"
            results.append(golden.one_result(by_keys(output.data), main))
    if reply["status"] == "error":
        name, value = reply["ename"], golden.mask(reply["evalue"])
        outcome["error"] = {"name": name, "value": value}
        shown = [text for text in shown if text != f"{name}: {value}"]
    for stream in ("stdout", "stderr"):
        outcome[stream] = golden.mask(outcome[stream])
    return outcome | {"results": results, "shown": shown}


def in_notebook(texts):
    """What a notebook shows for each of its cells TEXTS."""
    cells, replies = [nbformat.v4.new_code_cell(text) for text in texts], []
    NotebookClient(
        nbformat.v4.new_notebook(cells=cells),
        kernel_name="python3",
        timeout=CELL_MAX,
        allow_errors=True,
        on_cell_executed=lambda execute_reply, **_: replies.append(execute_reply),
    ).execute()
    pairs = zip(cells, replies, strict=True)
    return [one_outcome(cell, reply["content"]) for cell, reply in pairs]


def python(*words):
    return subprocess.run(
        ["python3", *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=CELL_MAX,
        env=os.environ | {"PYTHONPATH": PLAIN, "MPLBACKEND": "agg"},
    )


def with_python(texts, outcomes):
    """Puts what python3 says of those of the cells TEXTS that fail into OUTCOMES."""
    if len(texts) == 1:
        done = python("-c", texts[0])
        status = done.returncode
        said = [(status if status >= 0 else 128 - status, done.stderr.decode())]
    else:
        os.makedirs("/tmp/turns", exist_ok=True)
        python("-c", IN_TURN, "/tmp/turns", *texts)
        said = []
        for n in range(1, len(texts) + 1):
            with open(f"/tmp/turns/{n}") as f, open(f"/tmp/turns/{n}.status") as status:
                said.append((int(status.read()), f.read()))
            os.unlink(f"/tmp/turns/{n}")
    for (status, stderr), outcome in zip(said, outcomes, strict=True):
        if outcome["error"]:
            outcome["exit"], outcome["stderr"] = status, golden.mask(stderr)


def main():
    os.makedirs(PLAIN)
    with open(f"{PLAIN}/sitecustomize.py", "w") as f:
        f.write("import builtins\nbuiltins.display = lambda *a, **k: None\n")
    for unit in golden.units(sys.argv[1:]):
        texts = [golden.source(name) for name in unit]
        outcomes = in_notebook(texts)
        if any(outcome["error"] for outcome in outcomes):
            with_python(texts, outcomes)
        for name, outcome in zip(unit, outcomes, strict=True):
            text = json.dumps(outcome, indent=1, sort_keys=True, ensure_ascii=False)
            (golden.EXPECTED / f"{name}.json").write_text(text + "\n", "utf-8")
        print(unit[0].partition(".")[0], flush=True)


if __name__ == "__main__":
    main()
