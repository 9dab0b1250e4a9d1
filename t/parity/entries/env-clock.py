# SPDX-License-Identifier: Apache-2.0
#: title the clock is right within two seconds, and monotonic ones go on
#: out @now
#: out True True
import time

print(f"@now={time.time():.3f}")
a, b = time.monotonic(), time.perf_counter()
time.sleep(0.2)
print(0.2 <= time.monotonic() - a < 2, 0.2 <= time.perf_counter() - b < 2)
