# SPDX-License-Identifier: Apache-2.0
#: title 124 by the program itself is no time limit
#: exit 124
raise SystemExit(124)
