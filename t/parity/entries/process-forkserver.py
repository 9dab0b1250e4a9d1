# SPDX-License-Identifier: Apache-2.0
#: title multiprocessing by forkserver
#: out forkserver [0, 1, 4]
import multiprocessing


def square(n):
    return n * n


if __name__ == "__main__":
    with multiprocessing.get_context("forkserver").Pool(1) as pool:
        print("forkserver", pool.map(square, range(3)))
