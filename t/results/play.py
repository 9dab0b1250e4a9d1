#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""play - the guest's end of the start hook and of _pai, inside an image.

    play.py [--script] [--text] [--figures] [--last] [--warm=MODULES] FILE [ARG...]

Runs FILE as a cell (a script with --script), as pai-guest would, and prints one
JSON object: streams, status, results and error as they came. --text: nobody wants
results. --figures: what is shown is kept as files.
"""

import argparse
import base64
import json
import os
import queue
import socket
import struct
import subprocess
import sys
import threading

TOKEN = "0123456789abcdef" * 2
BEGIN, END = 0, 14
KEYS = {
    1: "text",
    2: "html",
    3: "markdown",
    4: "svg",
    5: "png",
    6: "jpeg",
    7: "pdf",
    8: "latex",
    9: "json",
    10: "javascript",
    11: "data",
    12: "chart",
    13: "extra",
}
ADDRESS = b"\0pai-results"
STOP = b"stop"
PARTS = ("name", "value", "traceback")


def value(body, at=0):
    """The value whose tokens begin at AT, and where they end."""
    kind, at = body[at : at + 1], at + 1
    if kind in b"ntf":
        return {b"n": None, b"t": True, b"f": False}[kind], at
    if kind in b"id":
        form = "<q" if kind == b"i" else "<d"
        return struct.unpack_from(form, body, at)[0], at + 8
    if kind == b"s":
        end = at + 4 + struct.unpack_from("<I", body, at)[0]
        return body[at + 4 : end].decode(), end
    found = []
    while body[at : at + 1] not in (b"]", b"}"):
        item, at = value(body, at)
        found.append(item)
    if kind == b"{":
        found = dict(zip(found[::2], found[1::2], strict=True))
    return found, at + 1


def decode(key, body):
    if key in ("png", "jpeg", "pdf"):
        return base64.b64encode(body).decode()
    if key in ("json", "data", "chart", "extra"):
        found, end = value(body)
        assert end == len(body)
        return found
    return body.decode()


class Listener:
    """Holds what the datagrams said; a result counts when its end has come. A kernel
    that rests is its status, its count and the descriptors that it passed."""

    def __init__(self):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(ADDRESS)
        self.results, self.error, self.stray = [], {}, 0
        self.rests = queue.Queue()
        self.thread = threading.Thread(target=self.listen, daemon=True)
        self.thread.start()

    def listen(self):
        bodies = None
        while True:
            datagram, fds, _, _ = socket.recv_fds(self.socket, 1 << 17, 4)
            if datagram == STOP:
                return
            if datagram[:32] != TOKEN.encode():
                self.stray += 1
                continue
            kind, what, body = datagram[32], datagram[33], datagram[34:]
            if kind == 68:
                self.rests.put((what, int.from_bytes(body, "little"), fds))
            elif kind == 70:
                self.error.setdefault(PARTS[what], bytearray()).extend(body)
            elif what == BEGIN:
                bodies = {"is_main_result": body == b"\1"}
            elif what == END:
                self.results.append(
                    {
                        k: v if k[:3] == "is_" else decode(k, bytes(v))
                        for k, v in bodies.items()
                    }
                )
            else:
                bodies.setdefault(KEYS[what], bytearray()).extend(body)

    def stop(self):
        end = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        end.sendto(STOP, ADDRESS)
        self.thread.join()


def resume(fd, words, stdin=b""):
    """Wakes the kernel that waits at FD for a cell with these words and that standard
    input; what it answers."""
    end, to = os.pipe()
    os.write(to, stdin)
    os.close(to)
    with socket.socket(fileno=fd) as way:
        socket.send_fds(way, [b"W"], [end])
        os.close(end)
        answer = way.recv(1)
        way.sendall("".join(word + "\0" for word in words).encode())
    return answer


def words(args):
    shown = os.path.basename(args.file)
    return [
        "program" if args.script else "cell",
        os.path.abspath(args.file),
        shown,
        "1" if args.last else "",
        TOKEN,
        "" if args.text else "1",
        "1" if args.figures else "",
        "",
        "",
        str(len(args.args)),
        *args.args,
    ]


def run(args):
    ours, theirs = socket.socketpair()
    env = {**os.environ, "PAI_START": args.warm}

    def hand_over():
        os.dup2(theirs.fileno(), 3)

    with open("/run/pai/main", "wb"):
        pass
    child = subprocess.Popen(
        ["/usr/bin/python3", "-P", "/run/pai/main"],
        env=env,
        preexec_fn=hand_over,
        close_fds=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    theirs.close()
    assert ours.recv(1) == b"R"
    if args.warm:
        ours.send(b"W")
        assert ours.recv(1) == b"D"
    ours.sendall("".join(word + "\0" for word in words(args)).encode())
    ours.close()
    out, err = child.communicate()
    return child.returncode, out, err


def main():
    parser = argparse.ArgumentParser()
    for flag in ("--script", "--text", "--figures", "--last"):
        parser.add_argument(flag, action="store_true")
    parser.add_argument("--warm", default="")
    parser.add_argument("file")
    parser.add_argument("args", nargs="*")
    args = parser.parse_args()
    listener = Listener()
    status, out, err = run(args)
    listener.stop()
    said = {
        "status": status,
        "stdout": out.decode("utf-8", "backslashreplace"),
        "stderr": err.decode("utf-8", "backslashreplace"),
        "results": listener.results,
        "error": {k: v.decode() for k, v in listener.error.items()} or None,
        "stray": listener.stray,
    }
    json.dump(said, sys.stdout, allow_nan=False)
    print()


if __name__ == "__main__":
    main()
