# SPDX-License-Identifier: Apache-2.0
"""J1, J2, J3: whole runs of small programs, every way; and J1 many at a time."""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from ways import Program, run

EXAMPLES = Path(__file__).resolve().parents[2] / "deploy/examples"
LOAD_RUNS = 100
LOAD_ROUNDS = 3

J1 = Program("print(1)", stdout=b"1\n")
J2 = Program(
    "import io, pandas\n"
    "text = 'a,b\\n' + ''.join(f'{i},{i * i}\\n' for i in range(100))\n"
    "print(pandas.read_csv(io.StringIO(text))['b'].sum())\n",
    stdout=b"328350\n",
)
J3 = Program(
    file=EXAMPLES / "sales.py",
    inputs=(EXAMPLES / "sales.csv",),
    made={"chart.png": b"\x89PNG\r\n", "report.xlsx": b"PK\x03\x04"},
    keep=True,
)


def whole_runs(bench, job, program, base):
    """Milliseconds of whole runs, each way in turn, and ratios to BASE."""
    printed = set()

    def cell(way):
        def one():
            ms, stdout = run(way, program)
            printed.add(stdout)
            return ms

        return one

    took = bench.rounds({name: cell(way) for name, way in bench.ways.items()})
    bench.same(job, printed)
    start = bench.ways["pai-exec"].start_of(program)
    if start != "warm":
        bench.report.note(f"{job}: pai-exec starts {start}, not from a template")
    for name, ms in took.items():
        bench.report.add(job, name, "ms", ms)
    for name in bench.ways:
        if name != base:
            bench.report.ratio(job, name, base)


def j1(bench):
    """print(1)"""
    whole_runs(bench, "J1", J1, "runsc run")


def j2(bench):
    """pandas, the sum of a column"""
    whole_runs(bench, "J2", J2, "bare")


def cells(bench):
    """J2 as a cell with --json and as a script with it, beside the plain run"""
    way = bench.ways["pai-exec"]
    rows = {
        "pai-exec": J2,
        "pai-exec --json": replace(J2, stdout=None, options=("--json",)),
        "pai-exec --json --script": replace(
            J2, stdout=None, options=("--json", "--script")
        ),
    }
    took = bench.rounds({n: lambda p=p: run(way, p)[0] for n, p in rows.items()})
    for name, ms in took.items():
        bench.report.add("cells", name, "ms", ms)
    for name in list(rows)[1:]:
        bench.report.ratio("cells", name, "pai-exec")


def j3(bench):
    """pandas, a chart, a workbook: deploy/examples/sales.py"""
    whole_runs(bench, "J3", J3, "bare")


def load(bench):
    """100 runs of J1, 1, 2 and 8 at a time"""

    def cell(way, width):
        def one(_):
            # all share one work folder: it is empty, and J1 leaves it so
            return run(way, J1)

        def batch():
            begin = time.perf_counter()
            pool = ThreadPoolExecutor(width)
            try:
                list(pool.map(one, range(LOAD_RUNS)))
            finally:
                pool.shutdown(cancel_futures=True)
            return LOAD_RUNS / (time.perf_counter() - begin)

        return batch

    ways = [bench.ways[name] for name in ("runsc run", "pai-exec")]
    for way in ways:
        run(way, J1)  # leaves the template, and the work folder empty
    cells = {
        f"{way.name}, {width} at a time": cell(way, width)
        for width in (1, 2, 8)
        for way in ways
    }
    took = bench.rounds(cells, n=min(bench.n, LOAD_ROUNDS), first=False)
    for name, rate in took.items():
        bench.report.add("load", name, "runs/s", rate)
    for width in (1, 2, 8):
        at = f", {width} at a time"
        bench.report.ratio("load", "pai-exec" + at, "runsc run" + at)
