import pandas as pd

s = pd.Series([1.5, None, 3], index=list("abc"), name="value")
display(s)
s.isna()
