# SPDX-License-Identifier: Apache-2.0
"""summary.py FILE.csv: what describe() says of its columns, as summary.csv."""

import sys

import pandas as pd

table = pd.read_csv(sys.argv[1])
table.describe().to_csv("summary.csv")
print(f"{sys.argv[1]}: {len(table)} rows")
