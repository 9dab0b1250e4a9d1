# SPDX-License-Identifier: Apache-2.0
"""sessions: what a turn costs (restore, cell, save, with all of it on the disk), beside
a warm one-shot run of the same cell, both with --json.

The live data is random, so no page of it is like another. A session's turn 2 and its
turn 30 are measured in copies, so that each round has both. Bytes on disk are those of
the turns that are kept, a file of several names once."""

import os
import shutil
from dataclasses import replace
from pathlib import Path

from jobs import J2
from ways import Wrong, run

LIVE_MB = (10, 100, 500)
LATE = 30  # the turn that is held against turn 2
ROOM = ("--json", "--memory=2G")
CELL = replace(J2, stdout=None, options=ROOM)
FILL = "import os\ndata = [os.urandom(1 << 20) for _ in range({})]\n"


class Sessions:
    """Sessions of one folder, and turns of them."""

    def __init__(self, bench):
        self.way, self.folder = bench.ways["pai-exec"], bench.scratch / "sessions"

    def turn(self, name, code=CELL.code):
        """Milliseconds of a turn."""
        options = (*ROOM, f"--session-dir={self.folder}", f"--session={name}")
        ms, out = run(self.way, replace(CELL, code=code, options=options))
        if b'"state":"kept"' not in out.replace(b" ", b""):
            raise Wrong(f"{name}: its turn was not kept: {out[-500:]}")
        return ms

    def copy(self, name, to):
        """What is copied is on the disk before it is measured."""
        shutil.rmtree(self.folder / to, ignore_errors=True)
        shutil.copytree(self.folder / name, self.folder / to)
        os.sync()

    def disk_bytes(self, name):
        entries = (p.lstat() for p in Path(self.folder / name).rglob("*"))
        return sum({st.st_ino: 512 * st.st_blocks for st in entries}.values())


def beside_a_run(bench, all_sessions):
    """A turn with ever more live data, and the one-shot run."""
    cells = {"one-shot": lambda: run(bench.ways["pai-exec"], CELL)[0]}
    for mb in LIVE_MB:
        name = f"live-{mb}"
        all_sessions.turn(name, FILL.format(mb))
        all_sessions.turn(name)  # has imported what the cell imports
        cells[f"turn, {mb} MB live"] = lambda name=name: all_sessions.turn(name)
    for name, ms in bench.rounds(cells).items():
        bench.report.add("sessions", name, "ms", ms)
    for name in list(cells)[1:]:
        bench.report.ratio("sessions", name, "one-shot")
    for mb in LIVE_MB:
        used = all_sessions.disk_bytes(f"live-{mb}") / 1e6
        bench.report.add("sessions", f"disk, {mb} MB live", "MB", [used])
        shutil.rmtree(all_sessions.folder / f"live-{mb}")


def growth_with_turns(bench, all_sessions):
    """Turn 2 and turn LATE of the same cells."""
    all_sessions.turn("long")
    all_sessions.copy("long", "one")
    for _ in range(LATE - 2):
        all_sessions.turn("long")

    def cell(name):
        def one():
            all_sessions.copy(name, "now")
            return all_sessions.turn("now")

        return one

    cells = {"turn 2": cell("one"), f"turn {LATE}": cell("long")}
    for name, ms in bench.rounds(cells).items():
        bench.report.add("sessions", name, "ms", ms)
    bench.report.ratio("sessions", f"turn {LATE}", "turn 2")
    for name, turn in ("one", 1), ("long", LATE - 1):
        used = all_sessions.disk_bytes(name) / 1e6
        bench.report.add("sessions", f"disk, after turn {turn}", "MB", [used])


def sessions(bench):
    """a session's turn beside a one-shot run, with 10, 100, 500 MB live"""
    all_sessions = Sessions(bench)
    beside_a_run(bench, all_sessions)
    growth_with_turns(bench, all_sessions)
