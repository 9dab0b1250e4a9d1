# SPDX-License-Identifier: Apache-2.0
print("\u20ac" * 100000)
