# SPDX-License-Identifier: Apache-2.0
import re

print("matching")
re.match(r"(a+)+$", "a" * 40 + "b")
