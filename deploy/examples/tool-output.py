#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tool-output.py [OPTION]... <CELL: what a tool of an OpenAI-style model answers."""

import json
import sys
from subprocess import PIPE, run


def tool_output(code, *options):
    done = run(["pai-exec", "--json", *options], input=code.encode(), stdout=PIPE)
    r = json.loads(done.stdout)
    texts = [r["stdout"], r["stderr"]]  # a traceback is in stderr
    texts += [f"{k}: {r[k]}" for k in r if "_" in k and str(r[k]) in ("True", "base64")]
    texts += [x.get("markdown") or x.get("html") or x.get("text") for x in r["results"]]
    texts += [f"file: {f['path']} ({f['size']} bytes)" for f in r["files"]]
    if r["status"] == "failed":  # "started" says whether another try is safe
        texts.append("failed: " + r["error"]["value"])
    elif r["status"] in ("timeout", "memory"):
        texts.append(r["warnings"][0])
    elif r["status"] != "error" and r["exit_code"] != 0:
        texts.append(f"exit status {r['exit_code']}, signal {r['signal']}")
    text = "\n".join(filter(None, texts)) or "(no output)"
    urls = ["data:image/png;base64," + x["png"] for x in r["results"] if "png" in x]
    images = [{"type": "image_url", "image_url": {"url": u}} for u in urls]
    return [{"type": "text", "text": text}, *images]


if __name__ == "__main__":
    json.dump(tool_output(sys.stdin.read(), *sys.argv[1:]), sys.stdout)
