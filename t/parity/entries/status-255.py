# SPDX-License-Identifier: Apache-2.0
#: title status 255 is the program's own, and -1 is the same
#: exit 255
raise SystemExit(-1)
