# SPDX-License-Identifier: Apache-2.0
#: title an uncaught KeyboardInterrupt is an exception like others
#: exit 1
#: status error
#: error KeyboardInterrupt
#: err Traceback (most recent call last):
#: err   File "status-interrupt-itself.py", line 10, in <module>
#: err     raise KeyboardInterrupt
#: err KeyboardInterrupt
raise KeyboardInterrupt
