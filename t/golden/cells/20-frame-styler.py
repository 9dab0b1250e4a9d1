import pandas as pd

df = pd.DataFrame({"a": [1.5, -2.25], "b": [3, 4]}, index=["x", "y"])
df.style.format(precision=1).map(lambda v: "color: red" if v < 0 else "")
