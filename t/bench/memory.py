# SPDX-License-Identifier: Apache-2.0
"""memory: what a sandbox holds while its program waits on standard input.

The sum over the tree of processes of their proportional anonymous and file
memory (smaps_rollup), and of the memory files that runsc keeps its sandbox's
pages in, by their allocated blocks: pages there need not be mapped by anyone.
Processes that share one address space (systrap has such) count once.
The image's pages are shared by all sandboxes of a host; alone, one has them all."""

import ctypes
import os
import subprocess

from machine import field_of
from ways import Program, Wrong

SYS_KCMP, KCMP_VM = 312, 1  # x86-64
WAIT = "print('ready', flush=True)\ninput()\n"
PROGRAMS = {"python": Program(WAIT), "pandas": Program("import pandas\n" + WAIT)}


def tree_of(root):
    """ROOT and all that descend from it."""
    parents = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                parents[int(entry)] = int(field_of(f"/proc/{entry}/status", "PPid"))
            except (OSError, ValueError):
                continue  # it has just ended
    found = [root]
    for pid in found:
        found += [child for child, parent in parents.items() if parent == pid]
    return found


def same_memory(a, b):
    return ctypes.CDLL(None).syscall(SYS_KCMP, a, b, KCMP_VM, 0, 0) == 0


def apart(pids):
    """One process of each address space."""
    found = []
    for pid in pids:
        if not any(same_memory(pid, other) for other in found):
            found.append(pid)
    return found


def mapped_bytes(pid):
    names = ("Pss_Anon", "Pss_File")
    path = f"/proc/{pid}/smaps_rollup"
    return sum(1024 * int(field_of(path, name).split()[0]) for name in names)


def memory_files(pid):
    """{(device, inode): bytes} of the memory files that a process holds."""
    found = {}
    folder = f"/proc/{pid}/fd"
    for fd in os.listdir(folder):
        try:
            if os.readlink(f"{folder}/{fd}").startswith("/memfd:"):
                st = os.stat(f"{folder}/{fd}")
                found[st.st_dev, st.st_ino] = 512 * st.st_blocks
        except FileNotFoundError:
            continue
    return found


def held_bytes(root):
    mapped, held = 0, {}
    for pid in apart(tree_of(root)):
        try:
            mapped += mapped_bytes(pid)
            held.update(memory_files(pid))
        except (OSError, IndexError):
            continue  # it has ended, or is a zombie
    return mapped + sum(held.values())


def measure(way, program):
    """Megabytes of one sandbox."""
    way.lay(program)
    child = subprocess.Popen(
        **way.command(program), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with child:
        try:
            line = child.stdout.readline()
            if line != b"ready\n":
                raise Wrong(f"{way.name}: printed {line}")
            held = held_bytes(child.pid)
            child.communicate(b"\n")
        except BaseException:
            child.kill()
            raise
    if child.returncode != 0:
        raise Wrong(f"{way.name}: exit status {child.returncode}")
    return held / 1e6


def memory(bench):
    """memory of a sandbox whose program waits"""
    cells = {
        f"{what}, {way.name}": lambda way=way, program=program: measure(way, program)
        for what, program in PROGRAMS.items()
        for way in bench.ways.values()
        if way.name != "bwrap"
    }
    for name, held in bench.rounds(cells).items():
        bench.report.add("memory", name, "MB", held)
    for what in PROGRAMS:
        for name in ("pai-exec --fresh", "pai-exec"):
            bench.report.ratio("memory", f"{what}, {name}", f"{what}, runsc run")
