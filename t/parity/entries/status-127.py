# SPDX-License-Identifier: Apache-2.0
#: title status 127 is the program's own
#: exit 127
raise SystemExit(127)
