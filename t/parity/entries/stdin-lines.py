# SPDX-License-Identifier: Apache-2.0
#: title standard input line by line, to its end
#: stdin printf 'one\nzwölf\n\nno newline'
#: out 'one'
#: out ['zwölf\n', '\n', 'no newline']
#: out EOFError
import sys

print(repr(input()))
print(list(sys.stdin))
try:
    input()
except EOFError:
    print("EOFError")
