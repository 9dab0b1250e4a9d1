import pandas as pd

a = pd.DataFrame({"x": [1, 2]})
print("first")
display(a)
print("second")
a.T
