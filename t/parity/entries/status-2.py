# SPDX-License-Identifier: Apache-2.0
#: title status 2 is the program's own
#: exit 2
raise SystemExit(2)
