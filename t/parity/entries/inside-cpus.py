# SPDX-License-Identifier: Apache-2.0
#: title one CPU where nothing else is asked for
#: out 1 1 1 1
import multiprocessing
import os
import subprocess

nproc = int(subprocess.check_output(["nproc"]))
print(os.cpu_count(), len(os.sched_getaffinity(0)), nproc, multiprocessing.cpu_count())
