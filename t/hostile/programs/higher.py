# SPDX-License-Identifier: Apache-2.0
"""higher: asks for more than the limits in force, and for what only root may."""

import os
import resource

LIMITS = (
    "NPROC",
    "NOFILE",
    "FSIZE",
    "AS",
    "MEMLOCK",
    "CORE",
    "RTPRIO",
    "NICE",
    "STACK",
)


def attempt(name, call, *args):
    try:
        call(*args)
        print("ALLOWED", name)
    except (OSError, ValueError) as e:
        print("refused", name, e)


attempt("nice", os.nice, -5)
param = os.sched_param(50)
attempt("real time", os.sched_setscheduler, 0, os.SCHED_FIFO, param)
attempt("setuid", os.setuid, 0)
attempt("setgroups", os.setgroups, [0])
attempt("chown", os.chown, "/tmp", 1000, 1000)
for name in LIMITS:
    which = getattr(resource, "RLIMIT_" + name, None)
    if which is None:
        which = {"NICE": 13, "RTPRIO": 14}[name]
    soft, hard = resource.getrlimit(which)
    if hard == resource.RLIM_INFINITY:
        print("open", name)
        continue
    attempt(name, resource.setrlimit, which, (soft, resource.RLIM_INFINITY))
    attempt(name + " by one", resource.setrlimit, which, (soft, hard + 1))
