# SPDX-License-Identifier: Apache-2.0
#: title a turn whose kernel dies is none: the session is as before it
#: turns 0 3 134 137 0
#: out it prints
#: out and this too
#: out 1 one ['f', 'session-died.py']
import os

x = 1
with open("f", "w") as f:
    f.write("one")
# %%
x = 2
open("f", "w").write("two")
print("it prints", flush=True)
os._exit(3)
# %%
x = 3
open("g", "w").close()
print("and this too", flush=True)
os.abort()
# %%
os.kill(os.getpid(), 9)
# %%
print(x, open("f").read(), sorted(os.listdir()))
