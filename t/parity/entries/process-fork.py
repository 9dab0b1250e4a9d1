# SPDX-License-Identifier: Apache-2.0
#: title multiprocessing by fork: a pool, a queue, a semaphore
#: out [0, 1, 4] 7 True
import multiprocessing


def square(n):
    return n * n


def put(queue, gate):
    with gate:
        queue.put(7)


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    with context.Pool(2) as pool:
        squares = pool.map(square, range(3))
    queue, gate = context.Queue(), context.Semaphore(1)
    child = context.Process(target=put, args=(queue, gate))
    child.start()
    value = queue.get()
    child.join()
    print(squares, value, child.exitcode == 0)
