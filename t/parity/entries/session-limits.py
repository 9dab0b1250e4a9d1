# SPDX-License-Identifier: Apache-2.0
#: title a turn that answers the interrupt is kept, one that does not is none
#: options --timeout=3s --kill-after=1s
#: turns 0 124 124 0
#: err Traceback (most recent call last):
#: err   File "session-limits.py", line 4, in <module>
#: err     time.sleep(60)
#: err     ~~~~~~~~~~^^^^
#: err KeyboardInterrupt
#: out 2
import time

x = 1
# %%
import time

x = 2
time.sleep(60)
# %%
x = 3
while True:
    try:
        time.sleep(60)
    except KeyboardInterrupt:
        pass
# %%
print(x)
