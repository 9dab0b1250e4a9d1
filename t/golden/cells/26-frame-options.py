import pandas as pd

pd.set_option("display.max_rows", 4, "display.precision", 2)
pd.DataFrame({"third": [i / 3 for i in range(9)]})
