# SPDX-License-Identifier: Apache-2.0
#: title a session's clock is right in each turn, and a sleep as long as it says
#: turns 0 0
#: out @now
#: out @now
#: out True True
import time

t0 = time.monotonic()
print(f"@now={time.time():.3f}")
# %%
print(f"@now={time.time():.3f}")
a, b = time.monotonic(), time.time()
time.sleep(0.2)
print(0.2 <= time.monotonic() - a < 2, 0.2 <= time.time() - b < 2)
