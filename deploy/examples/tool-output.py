#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tool-output.py [OPTION]... : runs the program on standard input as a cell and writes
what a tool of an OpenAI-style model answers: a list of texts and images."""

import json
import subprocess
import sys


def tool_output(code, *options):
    done = subprocess.run(
        ["pai-exec", "--json", *options], input=code.encode(), stdout=subprocess.PIPE
    )
    r = json.loads(done.stdout)
    texts = [r["stdout"], r["stderr"]]  # a traceback is in stderr
    texts += [x.get("markdown") or x.get("html") or x.get("text") for x in r["results"]]
    texts += [f"file: {f['path']} ({f['size']} bytes)" for f in r["files"]]
    if r["status"] not in ("ok", "error"):
        why = [r["error"]["value"]] if r["error"] else []
        texts.append(f"{r['status']}: {'; '.join(why + r['warnings'])}")
    urls = ["data:image/png;base64," + x["png"] for x in r["results"] if "png" in x]
    content = [
        {"type": "text", "text": "\n".join(t for t in texts if t) or "(no output)"}
    ]
    return content + [{"type": "image_url", "image_url": {"url": u}} for u in urls]


if __name__ == "__main__":
    json.dump(tool_output(sys.stdin.read(), *sys.argv[1:]), sys.stdout)
