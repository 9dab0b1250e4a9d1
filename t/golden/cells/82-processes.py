import multiprocessing


def square(n):
    return n * n


with multiprocessing.get_context("fork").Pool(2) as pool:
    squares = pool.map(square, range(4))
squares
