#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# replay - each fuzz target over its corpus, and mutations of it.
n=0
rc=0
for corpus in "$PAI_SOURCE"/t/fuzz/corpus/*; do
	target=$(basename "$corpus")
	n=$((n + 1))
	if said=$("$PAI_BUILD/t/fuzz/$target" "$corpus" 2>&1); then
		echo "ok $n - corpus of $target"
	else
		echo "not ok $n - corpus of $target"
		printf '%s\n' "$said" | sed 's/^/# /'
		rc=1
	fi
done
echo "1..$n"
exit $rc
