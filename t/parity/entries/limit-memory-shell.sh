#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#: title the memory limit holds for a shell program too
#: options --memory=64M
#: exit 137
#: status memory
#: signal 9
#: out before
echo before
text=$(head -c 200000000 /dev/zero | tr '\0' x)
echo "never ${#text}"
