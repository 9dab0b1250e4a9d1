# SPDX-License-Identifier: Apache-2.0
"""What the drivers of t/hostile share: whatever outlives a run becomes our child,
so it is seen whether anything does, whoever else runs sandboxes on this host."""

import contextlib
import ctypes
import os
import signal
import time

PR_SET_CHILD_SUBREAPER = 36


def subreap():
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def all_gone(within):
    """True if we have no child any more, after WITHIN seconds at most."""
    end = time.monotonic() + within
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return True
        if not pid:
            if time.monotonic() > end:
                return False
            time.sleep(0.002)


def children(pid):
    found = []
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):
            with (
                contextlib.suppress(OSError),
                open(f"/proc/{pid}/task/{task}/children") as f,
            ):
                found += map(int, f.read().split())
    return found


def kill_children():
    for pid in children(os.getpid()):
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    all_gone(1)


def temporary(top):
    """Our own temporary files beneath TOP."""
    return [
        os.path.join(at, n)
        for at, _, names in os.walk(top)
        for n in names
        if n.startswith(".pai-exec.")
    ]
