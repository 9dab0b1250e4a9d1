# SPDX-License-Identifier: Apache-2.0
import hashlib

import pandas as pd

pd.DataFrame({"n": range(5), "name": ["\u00e9"] * 5}).to_excel("t.xlsx", index=False)
with open("t.xlsx", "rb") as f:
    print(hashlib.sha256(f.read()).hexdigest())
