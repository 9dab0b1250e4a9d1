#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make-sales.py > sales.csv: 4,000 sales of made-up shops, the same each time."""

import csv
import datetime
import random
import sys

REGIONS = {"North": 1.0, "South": 1.3, "East": 0.8, "West": 1.1}
PRODUCTS = {"Kettle": 24.9, "Lamp": 39.0, "Desk": 189.0, "Chair": 79.5, "Rug": 120.0}


def main():
    rng = random.Random(2024)
    start = datetime.date(2024, 1, 1)
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["date", "region", "product", "units", "price"])
    for _ in range(4000):
        day = start + datetime.timedelta(days=rng.randrange(366))
        region = rng.choice(list(REGIONS))
        product = rng.choice(list(PRODUCTS))
        season = 1.5 if day.month in (11, 12) else 1.0
        units = max(1, round(rng.expovariate(0.25) * REGIONS[region] * season))
        price = round(PRODUCTS[product] * rng.uniform(0.9, 1.1), 2)
        out.writerow([day, region, product, units, price])


if __name__ == "__main__":
    main()
