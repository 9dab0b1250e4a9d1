import pandas as pd

df = pd.DataFrame({"city": ["Oslo", "Rome"], "people": [709037, 2748109]})
df
# %%
df
# %%
df["share"] = df.people / df.people.sum()
df
# %%
df.describe()
