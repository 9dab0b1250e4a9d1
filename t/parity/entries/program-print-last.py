# SPDX-License-Identifier: Apache-2.0
#: title -p prints the value of the last expression
#: options -p
#: out {'answer': 42}
x = 6
{"answer": x * 7}
