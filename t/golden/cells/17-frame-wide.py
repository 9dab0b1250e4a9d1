import pandas as pd

df = pd.DataFrame({f"col{i:02d}": range(1000) for i in range(40)})
df["note"] = "<b>&</b>"
df
