import numpy as np
import pandas as pd

pd.DataFrame({"x": [1.0, np.nan, np.inf], "y": ["a", None, "c"], "z": pd.array([1, None, 3], "Int64")})
