# SPDX-License-Identifier: Apache-2.0
#: title multiprocessing by spawn
#: out spawn [0, 1, 4]
import multiprocessing


def square(n):
    return n * n


if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print("spawn", pool.map(square, range(3)))
