#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#: title a command that is missing is bash's 127, with its message
#: exit 127
#: err /workspace/program-shell-missing.sh: line 6: nosuchcommand: command not found
nosuchcommand
