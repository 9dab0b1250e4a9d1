import pandas as pd

days = pd.date_range("2024-01-30", periods=4, freq="D", tz="UTC")
df = pd.DataFrame({"n": [1, 2, 3, 4]}, index=days)
display(df.resample("MS").sum())
df.info()
