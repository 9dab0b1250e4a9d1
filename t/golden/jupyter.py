# SPDX-License-Identifier: Apache-2.0
"""jupyter.py NAME... - runs in the image's root, see reference: gives each cell of
/golden/cells to a Jupyter kernel of its own, and where that ends in an error also to
python3, and writes /golden/expected/NAME.json.

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


def by_keys(bundle):
    """A notebook's bundle of MIME types, by pai-exec's keys."""
    given = {}
    for mime, value in bundle.items():
        if mime in KEYS:
            given[KEYS[mime]] = value
        else:
            given.setdefault("extra", {})[mime] = value
    return given


def in_notebook(text):
    """What a notebook shows for the cell TEXT."""
    cell, replies = nbformat.v4.new_code_cell(text), []
    NotebookClient(
        nbformat.v4.new_notebook(cells=[cell]),
        kernel_name="python3",
        timeout=CELL_MAX,
        allow_errors=True,
        on_cell_executed=lambda execute_reply, **_: replies.append(execute_reply),
    ).execute()
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
    reply = replies[0]["content"]
    if reply["status"] == "error":
        name, value = reply["ename"], golden.mask(reply["evalue"])
        outcome["error"] = {"name": name, "value": value}
        shown = [text for text in shown if text != f"{name}: {value}"]
    for stream in ("stdout", "stderr"):
        outcome[stream] = golden.mask(outcome[stream])
    return outcome | {"results": results, "shown": shown}


def with_python(text, outcome):
    """Puts what python3 says of the failing cell TEXT into OUTCOME."""
    done = subprocess.run(
        ["python3", "-c", text],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=CELL_MAX,
        env=os.environ | {"PYTHONPATH": PLAIN, "MPLBACKEND": "agg"},
    )
    outcome["exit"] = done.returncode if done.returncode >= 0 else 128 - done.returncode
    outcome["stderr"] = golden.mask(done.stderr.decode())


def main():
    os.makedirs(PLAIN)
    with open(f"{PLAIN}/sitecustomize.py", "w") as f:
        f.write("import builtins\nbuiltins.display = lambda *a, **k: None\n")
    for name in sys.argv[1:]:
        text = golden.source(name)
        outcome = in_notebook(text)
        if outcome["error"]:
            with_python(text, outcome)
        written = json.dumps(outcome, indent=1, sort_keys=True, ensure_ascii=False)
        (golden.EXPECTED / f"{name}.json").write_text(written + "\n", "utf-8")
        print(name, flush=True)


if __name__ == "__main__":
    main()
