#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# parallel.sh PROGRAM OUT FILE... - PROGRAM in a fresh sandbox for each FILE, as many at a
# time as there are CPUs, by GNU parallel; what it makes goes to OUT/FILE'S-NAME.
#
# PROGRAM finds its file as sys.argv[1]. OUT/joblog has a line for each run, with its time
# and exit status; called again, only those that failed or are missing are run (so it can
# be interrupted). The exit status is the number of runs that failed, 101 for more.
#
# Needs: GNU parallel (Debian: parallel). Limits: memory for as many runs at a time as there
# are CPUs, 1G each if they use it; of two FILEs of one name the last one counts. On more
# machines: --sshlogin with --transferfile, --return and --cleanup of parallel(1).
# shellcheck disable=SC1083 # the braces are parallel's
set -euo pipefail
[ $# -ge 3 ] || { sed -n 's/^# \(parallel.sh .*\) - .*/usage: \1/p' "$0" >&2; exit 2; }
export program=$1 out=$2
shift 2
mkdir -p "$out"
parallel --joblog "$out/joblog" --resume-failed --halt never \
	pai-exec -n --timeout=1m --memory=1G --input={}:{/} --output-dir='"$out"'/{/} '"$program"' {/} ::: "$@"
