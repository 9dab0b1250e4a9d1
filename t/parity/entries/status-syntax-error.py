# SPDX-License-Identifier: Apache-2.0
#: title a syntax error is told as python3 tells it, and nothing runs
#: setup printf 'print(1)\nx = (1,\n' >bad.py
#: program bad.py
#: exit 1
#: status error
#: error SyntaxError
#: err   File "bad.py", line 2
#: err     x = (1,
#: err         ^
#: err SyntaxError: '(' was never closed
