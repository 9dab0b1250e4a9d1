# SPDX-License-Identifier: Apache-2.0
#: title -e gives a variable, with anything in it, and overrides what is set
#: options -e A=1 -e B='x=y z' -e C= -e D=ü -e USER=other -e NOT_SET -e CALLERS_OWN
#: out ['1', 'x=y z', '', 'ü', 'other', None, 'stays outside']
import os

names = ("A", "B", "C", "D", "USER", "NOT_SET", "CALLERS_OWN")
print([os.environ.get(name) for name in names])
