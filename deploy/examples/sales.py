# SPDX-License-Identifier: Apache-2.0
"""Revenue by region and month: a table, a chart and a workbook."""

import matplotlib.pyplot as plt
import pandas as pd

sales = pd.read_csv("sales.csv", parse_dates=["date"])
sales["revenue"] = sales["units"] * sales["price"]
sales["month"] = sales["date"].dt.to_period("M").astype(str)

by_region = (
    sales.groupby("region")
    .agg(orders=("units", "size"), units=("units", "sum"), revenue=("revenue", "sum"))
    .sort_values("revenue", ascending=False)
    .round(2)
)
by_month = sales.pivot_table(
    index="month", columns="region", values="revenue", aggfunc="sum"
).round(2)

print(by_region.to_string())
print(f"\n{len(sales)} sales, {sales['revenue'].sum():,.2f} in all")

by_month.plot(figsize=(9, 4.5), marker="o", title="Revenue by month")
plt.ylabel("revenue")
plt.tight_layout()
plt.savefig("chart.png", dpi=120)

with pd.ExcelWriter("report.xlsx") as book:
    by_region.to_excel(book, sheet_name="regions")
    by_month.to_excel(book, sheet_name="months")
