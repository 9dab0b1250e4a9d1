import random

import numpy as np

random.seed(1)
np.random.seed(1)
rng = np.random.default_rng(1)
# %%
print(random.random(), np.random.rand(), rng.random())
# %%
print(random.random(), np.random.rand(), rng.random())
