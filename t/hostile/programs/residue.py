# SPDX-License-Identifier: Apache-2.0
"""residue write|scan MARK: leaves MARK wherever it can; looks for it there."""

import glob
import mmap
import os
import sys

PLACES = ["/workspace", "/tmp", "/dev/shm", os.path.expanduser("~"), "/var/tmp"]
what, mark = sys.argv[1:]
mark = "residue-" + mark[::-1]  # the argument itself is no residue
if what == "write":
    for place in PLACES:
        with open(os.path.join(place, mark), "w") as f:
            f.write(mark)
    keep = [bytes(mark, "ascii") * 1000 for _ in range(1000)]
    print("written", len(keep))
    sys.exit()
for place in PLACES:
    for path in glob.glob(place + "/**", recursive=True) + glob.glob(place + "/.*"):
        if "residue-" in path:
            print("FOUND", path)

# new memory, more than the writer had, must be zeros
print("memory", "zeros" if not any(mmap.mmap(-1, 8 << 20)[:]) else "USED")
