# SPDX-License-Identifier: Apache-2.0
#: title an uncaught exception is 1 and `error`, with python3's own traceback
#: exit 1
#: status error
#: error KeyError
#: out before
#: err Traceback (most recent call last):
#: err   File "status-exception.py", line 24, in outer
#: err     return 10 // n
#: err            ~~~^^~~
#: err ZeroDivisionError: integer division or modulo by zero
#: err
#: err The above exception was the direct cause of the following exception:
#: err
#: err Traceback (most recent call last):
#: err   File "status-exception.py", line 30, in <module>
#: err     outer(0)
#: err     ~~~~~^^^
#: err   File "status-exception.py", line 26, in outer
#: err     raise KeyError("no rate for zone 7") from e
#: err KeyError: 'no rate for zone 7'
def outer(n):
    try:
        return 10 // n
    except ZeroDivisionError as e:
        raise KeyError("no rate for zone 7") from e


print("before")
outer(0)
