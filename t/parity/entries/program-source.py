# SPDX-License-Identifier: Apache-2.0
#: title pickling and inspect.getsource work for what the program defines
#: out def area(r):
#: out     return 3 * r * r
#: out
#: out Box(side=3) True
import inspect
import pickle
from dataclasses import dataclass


@dataclass
class Box:
    side: int


def area(r):
    return 3 * r * r


print(inspect.getsource(area))
print(pickle.loads(pickle.dumps(Box(3))), pickle.loads(pickle.dumps(area)) is area)
