# SPDX-License-Identifier: Apache-2.0
#: title a program from standard input has an empty one, and tracebacks name it
#: from stdin
#: args a b
#: exit 1
#: status error
#: error ValueError
#: out ['-', 'a', 'b'] b'' __main__
#: err Traceback (most recent call last):
#: err   File "<stdin>", line 16, in <module>
#: err     raise ValueError("no")
#: err ValueError: no
import sys

print(sys.argv, sys.stdin.buffer.read(), __name__)
raise ValueError("no")
