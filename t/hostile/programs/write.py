# SPDX-License-Identifier: Apache-2.0
"""write PATH...: opens each for writing, makes it, renames over it, removes it."""

import os
import sys


def attempt(what, path, call, *args):
    try:
        call(*args)
        print("DONE", what, path)
    except OSError as e:
        print("refused", what, path, e.errno)


def opened(path, flags):
    os.close(os.open(path, flags, 0o666))


open("/tmp/mine", "w").close()
for path in sys.argv[1:]:
    attempt("write", path, opened, path, os.O_WRONLY)
    attempt("make", path + ".new", opened, path + ".new", os.O_WRONLY | os.O_CREAT)
    attempt("truncate", path, os.truncate, path, 0)
    attempt("mode", path, os.chmod, path, 0o777)
    attempt("rename", path, os.rename, "/tmp/mine", path)
    attempt("remove", path, os.unlink, path)
