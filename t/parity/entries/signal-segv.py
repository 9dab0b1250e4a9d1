# SPDX-License-Identifier: Apache-2.0
#: title a crash is 128 + its signal, with what was printed before
#: exit 139
#: status signal
#: signal 11
#: out before
import ctypes

print("before")
ctypes.string_at(0)
