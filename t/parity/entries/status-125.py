# SPDX-License-Identifier: Apache-2.0
#: title 125 by the program itself is no failure of pai-exec
#: exit 125
raise SystemExit(125)
