# SPDX-License-Identifier: Apache-2.0
import multiprocessing


class Box:
    def __init__(self, n):
        self.n = n


def double(box):
    return Box(box.n * 2)


if __name__ == "__main__":
    for method in ("fork", "spawn", "forkserver"):
        with multiprocessing.get_context(method).Pool(2) as pool:
            print(method, [b.n for b in pool.map(double, [Box(1), Box(2)])])
