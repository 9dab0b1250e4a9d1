# SPDX-License-Identifier: Apache-2.0
#: title 137 by the program itself is neither a signal nor the memory limit
#: exit 137
raise SystemExit(137)
