# SPDX-License-Identifier: Apache-2.0
#: title control bytes and escape sequences reach a pipe as they are
#: raw-out a\x00b\x1b[31mred\x1b[0m\r\x07\x7f\n
print("a\0b\x1b[31mred\x1b[0m\r\a\x7f")
