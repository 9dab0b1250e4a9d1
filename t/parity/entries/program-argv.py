# SPDX-License-Identifier: Apache-2.0
#: title arguments are unchanged: empty, blanks, options, any script
#: args '' 'a b' -o --json -- 'ü 日本' '*' '$HOME' '\n'
#: out ['program-argv.py', '', 'a b', '-o', '--json', '--', 'ü 日本', '*', '$HOME', '\\n']
import sys

print(sys.argv)
