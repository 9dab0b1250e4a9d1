import pandas as pd

df = pd.DataFrame({"city": ["Oslo", "Rome"], "people": [709_037, 2_748_109]})
df["share"] = df.people / df.people.sum()
df
