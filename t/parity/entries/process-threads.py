# SPDX-License-Identifier: Apache-2.0
#: title threads, locks and a pool
#: out 4000 [0, 1, 4, 9]
import threading
from concurrent.futures import ThreadPoolExecutor

lock, total = threading.Lock(), 0


def add():
    global total
    for _ in range(1000):
        with lock:
            total += 1


threads = [threading.Thread(target=add) for _ in range(4)]
for each in threads:
    each.start()
for each in threads:
    each.join()
with ThreadPoolExecutor(2) as pool:
    print(total, list(pool.map(lambda n: n * n, range(4))))
