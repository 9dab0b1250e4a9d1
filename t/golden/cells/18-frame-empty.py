import pandas as pd

display(pd.DataFrame())
pd.DataFrame(columns=["a", "b"])
