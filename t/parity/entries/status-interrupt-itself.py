# SPDX-License-Identifier: Apache-2.0
#: title an uncaught KeyboardInterrupt ends a script by SIGINT, as it ends python3
#: exit 130
#: status signal
#: signal 2
#: error KeyboardInterrupt
#: err Traceback (most recent call last):
#: err   File "status-interrupt-itself.py", line 11, in <module>
#: err     raise KeyboardInterrupt
#: err KeyboardInterrupt
raise KeyboardInterrupt
