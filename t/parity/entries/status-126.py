# SPDX-License-Identifier: Apache-2.0
#: title status 126 is the program's own
#: exit 126
raise SystemExit(126)
