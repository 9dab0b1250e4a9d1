# SPDX-License-Identifier: Apache-2.0
#: title the environment is an allow-list with fixed values
#: out HOME=/home/user
#: out LANG=C.UTF-8
#: out LOGNAME=user
#: out MPLBACKEND=module://_pai.figures
#: out OMP_NUM_THREADS=1
#: out OPENBLAS_NUM_THREADS=1
#: out PATH=/usr/local/bin:/usr/bin:/bin
#: out PYTHONDONTWRITEBYTECODE=1
#: out PYTHONHASHSEED=0
#: out PYTHON_CPU_COUNT=1
#: out SHELL=/bin/bash
#: out TZ=UTC
#: out USER=user
import os

for name, value in sorted(os.environ.items()):
    print(f"{name}={value}")
