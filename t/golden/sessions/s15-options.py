import numpy as np
import pandas as pd

pd.set_option("display.max_rows", 4)
np.set_printoptions(precision=2)
# %%
pd.DataFrame({"n": range(10)})
# %%
np.array([1 / 3, 2 / 3])
# %%
import matplotlib.pyplot as plt

plt.rcParams["figure.figsize"] = (3, 2)
# %%
plt.plot([1, 2]);
