# SPDX-License-Identifier: Apache-2.0
"""client.py SERVER [OPTION]... : the SDK's own client with deploy/mcp/pai-exec-mcp."""

import asyncio
import base64
import contextlib
import json
import os
import signal
import sys
import time
from pathlib import Path

from mcp import ClientSession, StdioServerParameters, stdio_client
from mcp.types import ImageContent

PLOT = """
import pandas as pd, matplotlib.pyplot as plt
d = pd.read_csv("data/a.csv")
d.to_json("a.json")
plt.plot(d.x)
plt.show()
print("seen")
int(d.x.sum())
"""


async def texts(client, tool, fails=False, **arguments):
    got = await client.call_tool(tool, arguments)
    text = "\n".join(c.text for c in got.content if c.type == "text")
    assert bool(got.is_error) == fails, text
    return text, [c for c in got.content if c.type != "text"]


async def fails(client, why, tool, **arguments):
    text, _ = await texts(client, tool, True, **arguments)
    assert why in text, (why, text)
    assert len(text) < 2000, text


async def runs(client):
    tools = (await client.list_tools()).tools
    assert {t.name for t in tools} == {
        "run_python", "run_in_session", "put_file", "get_file", "list_sessions",
    }  # fmt: skip
    files = [{"name": "data/a.csv", "text": "x\n1\n2\n39\n"}]
    text, images = await texts(client, "run_python", code=PLOT, files=files)
    assert text.startswith("seen\n") and "\n42\nfile: a.json (" in text, text
    assert isinstance(images[0], ImageContent) and images[0].mime_type == "image/png"
    assert base64.b64decode(images[0].data).startswith(b"\x89PNG")
    (folder,) = Path("outputs").iterdir()
    assert str(folder.resolve()) in text
    assert {p.name for p in folder.iterdir()} >= {"a.json", "figure-1.png"}

    text, _ = await texts(client, "run_python", code="1/0")
    assert "ZeroDivisionError" in text and "status: error" in text, text
    assert len(list(Path("outputs").iterdir())) == 1
    code = "import os; os.kill(os.getpid(), 11)"
    text, _ = await texts(client, "run_python", code=code)
    assert text.startswith("status: signal 11"), text
    text, _ = await texts(client, "run_python", code="print('x' * 10**6)")
    assert len(text) < 20000 and "left out" in text, text
    code = "for i in range(900): display(10**50 + i)\n42"
    text, _ = await texts(client, "run_python", code=code)
    assert len(text) < 20000 and "left out" in text and text.endswith("\n42"), text
    start = time.monotonic()
    text, _ = await texts(client, "run_python", code="while True: pass", timeout=1)
    assert "status: timeout" in text and time.monotonic() - start < 8, text
    code = 'print(open("in.txt").read())'
    text, _ = await texts(client, "run_python", code=code, host_files=["in.txt"])
    assert text.startswith("from the host"), text
    # nothing of the caller's reaches a shell or an option
    code = "import os, sys; print(sys.argv[1:], os.listdir())"
    name = "$(touch gone); --help '\""
    files = [{"name": name, "base64": base64.b64encode(b"\0\xff").decode()}]
    text, _ = await texts(client, "run_python", code=code, files=files)
    assert name.replace("'", "\\'") in text and not Path("gone").exists(), text


async def refusals(client):
    async def no_run(why, **arguments):
        await fails(client, why, "run_python", **{"code": "0"} | arguments)

    await no_run("less than or equal to 20", timeout=21)
    await no_run("greater than or equal to 1", timeout=0)
    await no_run("not in the folder of inputs", host_files=["../secret.txt"])
    await no_run("not in the folder of inputs", host_files=["link"])
    await no_run("No such file", host_files=["none"])
    await no_run("null", host_files=["a\0b"])
    await no_run("either text or base64", files=[{"name": "a"}])
    await no_run("Only base64 data is allowed", files=[{"name": "a", "base64": "?"}])
    await no_run("../a", files=[{"name": "../a", "text": ""}])
    await no_run("colon", files=[{"name": "a:b", "text": ""}])
    await no_run("more than 16777216", files=[{"name": "a", "text": "x" * (17 << 20)}])
    await no_run("at most 1048576", code="#" * (2 << 20))


async def sessions(client):
    async def cell(code, **arguments):
        text, _ = await texts(
            client, "run_in_session", session="s", code=code, **arguments
        )
        return text

    file = {"name": "a b/in.txt", "text": "grüß"}
    text, _ = await texts(client, "put_file", session="s", file=file)
    assert "6 bytes" in text, text
    text = await cell('t = open("a b/in.txt").read(); t')
    assert "grüß" in text and "session s: turn 1, kept" in text, text
    await cell('open("big", "wb").truncate(17 << 20)')
    text = await cell('open("b", "wb").write(b"\\0\\xff" * 9); t * 2')
    assert "grüßgrüß" in text and "file: b (18 bytes)" in text, text
    text, _ = await texts(client, "get_file", session="s", path="a b/in.txt")
    assert text == "grüß"
    _, (blob,) = await texts(client, "get_file", session="s", path="b")
    assert base64.b64decode(blob.resource.blob) == b"\0\xff" * 9
    text, _ = await texts(client, "list_sessions")
    assert '"name":"s"' in text.replace(" ", ""), text
    await fails(client, "more than 16777216 bytes", "get_file", session="s", path="big")
    await fails(client, "is not there", "get_file", session="s", path="none")
    await fails(client, "cannot be a name", "get_file", session="s", path="../x")
    for name in "--help", "../s", "a/b", "":
        why = "session"
        await fails(client, why, "run_in_session", session=name, code="0")
        await fails(client, why, "put_file", session=name, file=file)
        await fails(client, why, "get_file", session=name, path="b")


def running(word):
    for p in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            words = p.read_bytes().split(b"\0")
            if word in words and b"client.py" not in words[1]:
                return True
    return False


async def until(condition, seconds=20):
    for _ in range(seconds * 20):
        if condition():
            return
        await asyncio.sleep(0.05)
    raise AssertionError("it did not come to that")


async def cancels(client):
    """What a client gives up ends in its sandbox; the session is as before."""
    code = 'import time; open("begun", "w"); time.sleep(19)'
    arguments = {"session": "c", "code": code, "timeout": 20}
    call = asyncio.create_task(client.call_tool("run_in_session", arguments))
    await until(lambda: running(b"--session=c"))
    await asyncio.sleep(1)
    call.cancel()
    await until(lambda: not running(b"--session=c"))
    # and where the client goes away, see main()
    arguments["session"] = "d"
    call = asyncio.create_task(client.call_tool("run_in_session", arguments))
    call.add_done_callback(lambda c: c.exception())
    await until(lambda: running(b"--session=d"))


async def ends_by(number, server):
    """A signal to the server ends its calls, and leaves nothing of them."""
    Path("tmp").mkdir(exist_ok=True)
    process = await asyncio.create_subprocess_exec(
        server.command, *server.args, "--jobs=1",
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
        env=server.env | {"TMPDIR": str(Path("tmp").resolve())},
    )  # fmt: skip

    def say(method, **more):
        message = {"jsonrpc": "2.0", "method": method} | more
        process.stdin.write(json.dumps(message).encode() + b"\n")

    who = {"name": "test", "version": "1"}
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": who}
    say("initialize", id=0, params=hello)
    await process.stdout.readline()
    say("notifications/initialized")
    call = {"name": "run_python", "arguments": {"code": "while True: pass"}}
    call["arguments"]["timeout"] = 19
    for i in 1, 2:  # the second one waits for the first
        say("tools/call", id=i, params=call)
    await until(lambda: running(b"--timeout=19") and any(Path("tmp").iterdir()))
    process.send_signal(number)
    assert await asyncio.wait_for(process.wait(), 15) == -number
    assert not running(b"--timeout=19")
    assert not list(Path("tmp").iterdir())


async def main():
    Path("inputs").mkdir()
    Path("outputs").mkdir()
    Path("secret.txt").write_text("secret")
    Path("inputs/in.txt").write_text("from the host")
    Path("inputs/link").symlink_to("../secret.txt")
    server = StdioServerParameters(
        command=sys.executable,
        args=[*sys.argv[1:], "--timeout=20", "--max-text=9000", "--memory=512M",
              "--inputs=inputs", "--outputs=outputs", "--session-dir=sessions"],
        env=dict(os.environ),
    )  # fmt: skip
    for part in (runs, refusals, sessions, cancels):
        start = time.monotonic()
        async with stdio_client(server) as streams, ClientSession(*streams) as client:
            await client.initialize()
            await part(client)
        await until(lambda: not running(b"--session=d"))
        print(f"{part.__name__}: {time.monotonic() - start:.1f} s")
    for number in signal.SIGTERM, signal.SIGINT:
        await ends_by(number, server)


asyncio.run(main())
