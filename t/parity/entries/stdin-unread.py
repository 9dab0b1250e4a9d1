# SPDX-License-Identifier: Apache-2.0
#: title a program that does not read its standard input ends all the same
#: stdin head -c 2000000 /dev/zero
#: out done
print("done")
