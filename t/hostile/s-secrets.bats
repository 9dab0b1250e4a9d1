# SPDX-License-Identifier: Apache-2.0
# bats file_tags=hostile
# What the caller and the host know stays theirs.

load helper

@test "S1: of the caller's environment nothing passes by itself" {
	token=pai-$RANDOM$RANDOM$RANDOM
	PAI_SECRET=$token AWS_SECRET_ACCESS_KEY=$token LD_LIBRARY_PATH=/$token ask "$programs/spill.py"
	[[ $output != *"$token"* ]]
	only 'the list is of the backends' gvisor firecracker
	diff "$here/data/environment" <(sed -n 's/^environment //p' <<<"$output" | tr ' ' '\n')
}

@test "S2: the first process and all of other users are closed to the program" {
	ask "$programs/peek.py"
	# those of its own uid are none: it is alone
	run ! grep -E '^(READ|TRACED)' said
	[ -s said ]
}

@test "S3: nothing that names this host, its user or its machine" {
	canary
	for f in /etc/machine-id /proc/sys/kernel/random/boot_id /sys/class/dmi/id/product_uuid /sys/class/dmi/id/product_serial; do
		[ ! -s "$f" ] || cat "$f"
	done >names 2>/dev/null || :
	cat /sys/class/net/*/address 2>/dev/null | grep -vx '00:00:00:00:00:00' >>names || :
	uname -r >>names
	[ "$(hostname | wc -c)" -lt 6 ] || hostname >>names
	printf '%s\n' "$work" "$BATS_TEST_TMPDIR" "${PAI_IMAGE:-/var/lib/pai/images}" >>names
	# a line that is empty would be in everything
	grep . names >some
	ask "$programs/spill.py"
	run ! grep -aFf some said err
}

@test "S4: nothing is left of the run before" {
	only 'the stand-in keeps nothing' gvisor firecracker
	for i in $(seq "$(times 3 20 1)"); do
		ask "$programs/residue.py" write "$i"
		[[ $output == written* ]]
		ask "$programs/residue.py" scan "$i"
		[ "$output" = 'memory zeros' ]
	done
}

@test "S5: no command reaches the caller's terminal" {
	command -v script >/dev/null || skip 'script (util-linux) is missing'
	command=$(printf '%q ' "${pai[@]}" "$programs/terminal.py")
	# a shell with a terminal of its own: what is put into its input, it would run
	timeout 100 script -qec "bash -c $(printf %q "$command")"'; read -t 1 line; echo "read:$line"' log >/dev/null </dev/null
	grep -q '^refused ' log
	run ! grep -a INJECTED log
	only 'the stand-in has the caller'"'"'s terminal' gvisor firecracker
	[ "$(grep -ac '^terminal [012] False' log)" = 3 ]
}

@test "S6: neither code nor secrets are in a helper's arguments or environment" {
	only 'the tool is what is looked at' gvisor firecracker
	token=pai-$RANDOM$RANDOM$RANDOM
	mkfifo up
	exec 8<>up
	"${pai[@]}" -e "SECRET=$token" -c "secret = '$token'; print('up', flush=True); input()" >up <> <(:) 8>&- &
	pid=$!
	read -rt 120 line <&8
	[ "$line" = up ]
	# the keeper is a copy of the command, with the arguments that its caller gave it
	"$here/../tree" "$pid" | cut -d ' ' -f 1 | while read -r p; do
		cmp -s "/proc/$p/cmdline" "/proc/$pid/cmdline" || cat "/proc/$p/cmdline" "/proc/$p/environ" 2>/dev/null
	done | tr '\0' ' ' >helpers || :
	kill -KILL "$pid"
	wait "$pid" || :
	exec 8<&-
	[ -s helpers ]
	run ! grep -a "$token" helpers
}

@test "S7: a secret of -e is in no result, no cache and no message" {
	only 'the tool is what is looked at' gvisor firecracker
	token=pai-$RANDOM$RANDOM$RANDOM
	export XDG_CACHE_HOME=$work/cache
	for how in --json -v --quiet; do
		SECRET=$token run -0 --separate-stderr pai "$how" -e SECRET -o out -nc 'import os; open("f", "w").write(str(len(os.environ["SECRET"])))'
		[[ $output$stderr != *"$token"* ]]
	done
	[ "$(cat out/f)" = "${#token}" ]
	run ! grep -raq "$token" cache out
}

@test "S8: a message names what the caller named, and no other place of the host" {
	only 'the tool is what is looked at' gvisor firecracker
	tell() {
		run -125 --separate-stderr pai "$@" </dev/null
		[ "${#stderr_lines[@]}" -ge 1 ]
		local rest=${stderr//"$HOME"/}	# the caller's own
		[[ $rest != *"$BATS_TEST_TMPDIR"* && $rest != *"$PAI_SOURCE"* && $rest != *"$PAI_BUILD"* ]] ||
			{ echo "$*: $stderr"; return 1; }
	}
	tell --image=./none -c 0
	tell --image=none -c 0
	tell --config=none.yaml -c 0
	tell -o none/none -c 0
	tell -i none -c 0
	tell -t soon -c 0
	tell --backend=none -c 0
	tell -e '=x' -c 0
}
