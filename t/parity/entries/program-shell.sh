#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#: title bash: arrays, pipefail, arguments, its own status
#: args x 'y z'
#: stdin printf 'line\n'
#: exit 3
#: out y z 2 line
#: out 1 0
#: err to stderr
set -u
words=("$@")
read -r line
echo "${words[1]} $# $line"
false | true
echo "${PIPESTATUS[@]}"
echo 'to stderr' >&2
exit 3
