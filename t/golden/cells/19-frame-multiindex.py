import pandas as pd

index = pd.MultiIndex.from_product([["north", "south"], [1, 2]], names=["side", "n"])
columns = pd.MultiIndex.from_tuples([("in", "x"), ("in", "y"), ("out", "z")])
pd.DataFrame([[i, i + 1, i + 2] for i in range(4)], index=index, columns=columns)
