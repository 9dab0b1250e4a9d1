# SPDX-License-Identifier: Apache-2.0
#: title a seeded sequence goes on; what is not seeded is fresh in each turn
#: turns 0 0 0
#: out 0.134364 0.417022
#: out 0.847434 0.720324
#: out True True True
import os
import random
import uuid

import numpy as np

random.seed(1)
np.random.seed(1)
drawn = set()


def draw():
    drawn.update([os.urandom(8), uuid.uuid4(), np.random.default_rng().random()])
    print(f"{random.random():.6f} {np.random.rand():.6f}")


# %%
draw()
# %%
draw()
print(len(drawn) == 6, len(set(map(str, drawn))) == 6, os.urandom(8) not in drawn)
