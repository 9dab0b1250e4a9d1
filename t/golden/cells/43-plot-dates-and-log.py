import datetime

import matplotlib.pyplot as plt

days = [datetime.date(2024, 1, d) for d in (1, 8, 15)]
plt.plot(days, [1, 100, 10_000], marker="o", label="n")
plt.yscale("log")
plt.gcf().autofmt_xdate()
plt.show()
