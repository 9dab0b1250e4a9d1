# SPDX-License-Identifier: Apache-2.0
"""stdout: 1 GiB of standard output through a pipe to a reader that discards it.

GB/s from the first byte to the last, so that the start does not count; and the
peak resident size of the pai-exec command itself (not of the sandbox), which
shows whether anything is kept without a bound."""

import subprocess
import time

from machine import field_of
from ways import Program, Wrong

SIZE = 1 << 30
LOOKS = 64
PROGRAM = Program(
    "import os\n"
    "block = b'x' * (1 << 20)\n"
    f"left = {SIZE}\n"
    "while left:\n"
    "    left -= os.write(1, block[:left])\n"
)


def peak_bytes(pid):
    """VmHWM; 0 if the process has gone. (rusage's maximum would count ours too:
    it is handed on by fork and exec.)"""
    try:
        text = field_of(f"/proc/{pid}/status", "VmHWM")
    except OSError:
        return 0
    return 1024 * int(text.split()[0]) if text else 0


def drain(way):
    """(GB/s, peak bytes) of one run."""
    way.lay(PROGRAM)
    buf, got, peak, begin = bytearray(1 << 20), 0, 0, 0.0
    child = subprocess.Popen(
        **way.command(PROGRAM),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        bufsize=0,
    )
    with child:
        try:
            while n := child.stdout.readinto(buf):
                begin = begin or time.perf_counter()
                if buf[0] != ord("x") or buf[n - 1] != ord("x"):
                    raise Wrong(f"{way.name}: printed {buf[:100]}")
                if (got + n) * LOOKS // SIZE != got * LOOKS // SIZE:
                    peak = max(peak, peak_bytes(child.pid))
                got += n
                end = time.perf_counter()
        except BaseException:
            child.kill()
            raise
    if child.returncode != 0 or got != SIZE:
        raise Wrong(f"{way.name}: status {child.returncode} after {got} bytes")
    return SIZE / 1e9 / (end - begin), peak


def stdout(bench):
    """1 GiB through a pipe"""
    ways = [w for w in bench.ways.values() if w.name != "bwrap"]
    took = bench.rounds({way.name: lambda way=way: drain(way) for way in ways})
    for name, values in took.items():
        bench.report.add("stdout", name, "GB/s", [rate for rate, _ in values])
    for name, values in took.items():
        if name.startswith("pai-exec"):
            peaks = [peak / 1e6 for _, peak in values]
            bench.report.add("stdout", f"{name}, peak memory", "MB", peaks)
    for name in took:
        if name != "runsc run":
            bench.report.ratio("stdout", name, "runsc run")
