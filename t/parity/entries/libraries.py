# SPDX-License-Identifier: Apache-2.0
#: title numpy, pandas, matplotlib and openpyxl, cold, without a word
#: options --fresh
#: out 5050 [[7.0, 10.0], [15.0, 22.0]] float64
#: out {'north': 30.0, 'south': 5.5}
#: out (240, 320, 4) module://_pai.figures
#: out Sheet 42
import matplotlib
import matplotlib.image
import matplotlib.pyplot as plt
import numpy as np
import openpyxl
import pandas as pd

m = np.array([[1.0, 2.0], [3.0, 4.0]])
print(np.arange(101).sum(), (m @ m).tolist(), m.dtype)
frame = pd.DataFrame({"region": ["north", "south", "north"], "x": [10, 5.5, 20]})
print(frame.groupby("region")["x"].sum().to_dict())

fig = plt.figure(figsize=(3.2, 2.4), dpi=100)
fig.gca().plot([1, 2, 3])
fig.savefig("/tmp/chart.png")
pixels = matplotlib.image.imread("/tmp/chart.png")
print(pixels.shape, matplotlib.get_backend().lower())

book = openpyxl.Workbook()
book.active["A1"] = 42
book.save("/tmp/book.xlsx")
sheet = openpyxl.load_workbook("/tmp/book.xlsx").active
print(sheet.title, sheet["A1"].value)
