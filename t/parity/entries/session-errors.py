# SPDX-License-Identifier: Apache-2.0
#: title an error and an exit are turns, and what they had done is there
#: turns 0 1 3 1
#: from stdin
#: exit 1
#: status error
#: error NameError
#: out 2 3
#: err Traceback (most recent call last):
#: err   File "<cell 2>", line 2, in <module>
#: err     half(x)
#: err     ~~~~^^^
#: err   File "<cell 1>", line 31, in half
#: err     return x / 0
#: err            ~~^~~
#: err ZeroDivisionError: division by zero
#: err Traceback (most recent call last):
#: err   File "<cell 4>", line 2, in <module>
#: err     missing
#: err NameError: name 'missing' is not defined
import sys

x = 1
y = 1


# What an earlier turn has said is found by its own lines.


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
