# SPDX-License-Identifier: Apache-2.0
#: title both streams are line-buffered UTF-8 and no terminals
#: out True True
#: out utf-8 utf-8 surrogateescape backslashreplace
#: out False False False
import sys

print(sys.stdout.line_buffering, sys.stderr.line_buffering)
print(sys.stdout.encoding, sys.stderr.encoding, sys.stdout.errors, sys.stderr.errors)
print(sys.stdin.isatty(), sys.stdout.isatty(), sys.stderr.isatty())
