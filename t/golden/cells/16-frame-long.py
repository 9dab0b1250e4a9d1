import pandas as pd

pd.DataFrame({"n": range(1000), "square": [i * i for i in range(1000)]})
