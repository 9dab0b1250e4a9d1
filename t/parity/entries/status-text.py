# SPDX-License-Identifier: Apache-2.0
#: title sys.exit(TEXT) prints the text to standard error and is 1
#: exit 1
#: err no such column: 'Preis'
import sys

sys.exit("no such column: 'Preis'")
