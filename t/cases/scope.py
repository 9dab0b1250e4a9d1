# SPDX-License-Identifier: Apache-2.0
import math


def fact(n):
    return 1 if n < 2 else n * fact(n - 1)


def area(r):
    return math.pi * r * r


rows = [1, 2, 3]
total = sum(fact(r) for r in rows if r in rows)


class Box:
    pass


if __name__ == "__main__":
    import inspect
    import pickle
    import sys

    assert sys.modules["__main__"].Box is Box
    print(total, round(area(1), 2), type(pickle.loads(pickle.dumps(Box()))).__name__)
    print(inspect.getsource(area).splitlines()[0], len(sys.argv))
