# SPDX-License-Identifier: Apache-2.0
with open("data.csv", "w") as f:
    f.write("changed\n")
