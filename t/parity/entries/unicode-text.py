# SPDX-License-Identifier: Apache-2.0
#: title text of any script, in and out
#: stdin printf 'žluťoučký 日本語 🎉'
#: out žluťoučký 日本語 🎉
#: out 15
#: out 'ŽLUŤOUČKÝ 日本語 🎉'
#: err stderr: \udcff €
import sys

text = sys.stdin.read()
print(text)
print(len(text))
print(repr(text.upper()))
print("stderr: \udcff €", file=sys.stderr)
