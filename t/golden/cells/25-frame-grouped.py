import pandas as pd

df = pd.DataFrame({"k": list("abab"), "v": [1, 2, 3, 4]})
print(df)
display(df.groupby("k").v.agg(["sum", "mean"]))
df.describe()
