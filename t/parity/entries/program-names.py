# SPDX-License-Identifier: Apache-2.0
#: title __file__, the working directory and sys.path are as under python3 FILE
#: out __main__ /workspace/program-names.py /workspace
#: out /workspace ['python3', 'program-names.py']
#: out [('program-names.py', '<module>')]
#: out None
import inspect
import os
import sys

print(__name__, __file__, os.getcwd())
print(sys.path[0], sys.orig_argv)
print([(f.filename, f.function) for f in inspect.stack()])
print(sys.gettrace())
