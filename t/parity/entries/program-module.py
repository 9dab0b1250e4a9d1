# SPDX-License-Identifier: Apache-2.0
#: title -m runs a module of /workspace as a program
#: setup mv program-module.py mod.py
#: options -i mod.py
#: program -m mod
#: args x
#: out __main__ ['x'] /workspace /workspace/mod.py
import sys

print(__name__, sys.argv[1:], sys.path[0], __file__)
