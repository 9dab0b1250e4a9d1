# SPDX-License-Identifier: Apache-2.0
"""files: what -o costs, in units of tar; growth: J1 with ever more files.

One program makes the files in /workspace and then packs them, inside the
sandbox, by `tar -cf /tmp/all.tar`, and prints how long that took. It runs with
-o DIR and without, in turn. Of each round

    ratio = (whole run with -o - whole run without -o) / tar time

where the tar time is the mean of both runs' (tar runs in both, so it is in
neither difference). 1 is: keeping the files costs as much as packing them."""

import subprocess
from dataclasses import replace

from ways import Program, Wrong, run

BIG_BLOCKS = 256
BLOCK = bytes(range(256)) * 4096
SMALL = 10000
ROOM = ("--memory=2G", "--disk=1G")
COUNTS = (1, 100, 1000)

TAR = """
import subprocess, time
begin = time.perf_counter()
subprocess.run(["tar", "-cf", "/tmp/all.tar", "-C", "/workspace", "."], check=True)
print(time.perf_counter() - begin)
"""
MAKE_BIG = f"""
block = bytes(range(256)) * 4096
with open("big", "wb") as f:
    for _ in range({BIG_BLOCKS}):
        f.write(block)
"""
MAKE_SMALL = """
for i in range({}):
    with open(f"f{{i}}", "w") as f:
        f.write(f"{{i}}\\n" * 100)
"""


def check_big(work):
    with open(work / "big", "rb") as f:
        blocks = iter(lambda: f.read(len(BLOCK)), b"")
        same = [block == BLOCK for block in blocks]
    return len(same) == BIG_BLOCKS and all(same)


def check_small(work, count):
    names = [f"f{i}" for i in range(count)]
    return sorted(names) == sorted(p.name for p in work.iterdir()) and all(
        (work / name).read_text() == f"{name[1:]}\n" * 100 for name in names
    )


def keep_against_tar(bench, what, program, check):
    pai = bench.ways["pai-exec"]
    kept = replace(program, keep=True)

    def cell(which):
        def one():
            ms, out = run(pai, which)
            if which.keep and not check(pai.work):
                raise Wrong(f"{what}: not all was kept, or not as it was made")
            return ms, 1000 * float(out)

        return one

    took = bench.rounds({"with": cell(kept), "without": cell(program)})
    pairs = list(zip(took["with"], took["without"], strict=True))
    tars = [(a[1] + b[1]) / 2 for a, b in pairs]
    more = [a[0] - b[0] for a, b in pairs]
    add = bench.report.add
    add("files", f"{what}: run with -o", "ms", [a[0] for a, _ in pairs])
    add("files", f"{what}: run without", "ms", [b[0] for _, b in pairs])
    add("files", f"{what}: tar inside", "ms", tars)
    ratios = [m / t for m, t in zip(more, tars, strict=True)]
    add("files", f"{what}: -o / tar", "x", ratios)


def can(bench, option):
    command = [bench.ways["pai-exec"].words[0], "--help"]
    said = subprocess.run(command, capture_output=True, text=True, check=True)
    return option in said.stdout


def files(bench):
    """256 MB and 10,000 small files kept by -o, beside tar"""
    big = Program(MAKE_BIG + TAR, options=ROOM)
    keep_against_tar(bench, "256 MB", big, check_big)
    count, options = SMALL, (*ROOM, f"--max-files={SMALL}")
    if not can(bench, "--max-files"):
        count, options = 1000, ROOM
        bench.report.note("files: this pai-exec keeps at most 1000, so no 10,000")
    small = Program(MAKE_SMALL.format(count) + TAR, options=options)
    keep_against_tar(
        bench, f"{count} files", small, lambda work: check_small(work, count)
    )


def growth(bench):
    """J1 with 1, 100, 1000 files in, and out"""
    pai, cells = bench.ways["pai-exec"], {}

    def cell(program, made):
        def one():
            ms, _ = run(pai, program)
            if made and not check_small(pai.work, made):
                raise Wrong(f"{made} files: not all was kept")
            return ms

        return one

    for n in COUNTS:
        many = bench.scratch / f"many-{n}"
        many.mkdir()
        for i in range(n):
            (many / f"f{i}").write_text(f"{i}\n" * 100)
        code = f"import os\nprint(len(os.listdir('{many.name}')))"
        given = Program(code, inputs=(many,), stdout=b"%d\n" % n)
        made = Program(MAKE_SMALL.format(n) + "print(1)", keep=True, stdout=b"1\n")
        cells[f"{n} in"] = cell(given, 0)
        cells[f"{n} out"] = cell(made, n)
    took = bench.rounds(cells)
    for which in ("in", "out"):
        for n in COUNTS:
            bench.report.add("growth", f"{n} {which}", "ms", took[f"{n} {which}"])
        for n in COUNTS[1:]:
            bench.report.ratio("growth", f"{n} {which}", f"1 {which}")
