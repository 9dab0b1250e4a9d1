# SPDX-License-Identifier: Apache-2.0
#: title nothing is put behind a last line without newline
#: raw-out end
#: raw-err \x09end of stderr
import sys

print("end", end="")
print("\tend of stderr", end="", file=sys.stderr)
