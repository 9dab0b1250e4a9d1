# SPDX-License-Identifier: Apache-2.0
#: title an error and an exit are turns, and what they had done is there
#: turns 0 1 3 1
#: exit 1
#: status error
#: error NameError
#: out 2 3
#: err Traceback (most recent call last):
#: err   File "session-errors.py", line 2, in <module>
#: err     half(x)
#: err     ~~~~^^^
#: err   File "session-errors.py", line 34, in half
#: err     return x / 0
#: err            ~~^~~
#: err ZeroDivisionError: division by zero
#: err Traceback (most recent call last):
#: err   File "session-errors.py", line 2, in <module>
#: err     missing
#: err NameError: name 'missing' is not defined
import sys

x = 1
y = 1


# What an earlier turn has said
# is found by its lines,
# whatever the file
# with its name
# is now.


def half(x):
    return x / 0


# %%
x = 2
half(x)
# %%
y = 3
sys.exit(3)
# %%
print(x, y)
missing
