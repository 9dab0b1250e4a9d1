# SPDX-License-Identifier: Apache-2.0
import time

with open("partial.csv", "w") as f:
    f.write("id\n1\n")
print("Hello before sleep")
time.sleep(600)
