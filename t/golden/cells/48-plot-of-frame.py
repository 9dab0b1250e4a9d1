import pandas as pd

df = pd.DataFrame({"n": [1, 3, 2], "m": [2, 2, 5]})
ax = df.plot(kind="bar", title="frame")
ax.set_xlabel("row")
ax
