# SPDX-License-Identifier: Apache-2.0
#: title the hash seed is 0: the order of a set is the same in every run
#: out -1160992987024445936 ['d', 'c', 'a', 'b']
print(hash("parity"), list({"a", "b", "c", "d"}))
