# SPDX-License-Identifier: Apache-2.0
# bats file_tags=hostile
# Not a byte leaves the sandbox by a network, nor by what looks like one.

load helper

@test "N1: nothing outside is reachable, and every attempt ends at once" {
	canary
	begin=$(now)
	mapfile -t addresses < <(grep . "$PAI_CANARY/addresses")	# a host may have none
	ask "$programs/connect.py" "$(<"$PAI_CANARY/port")" "${addresses[@]}"
	ended_by "$begin" 10000
	for errno in 13 101 111; do ways+=("${quick[@]/#/errno=$errno }"); done
	hold "${ways[@]}"
	[ ! -s "$PAI_CANARY/hits" ]
}

@test "N2: no name is resolved, and the refusal comes at once" {
	ask "$programs/resolve.py"
	hold "${quick[@]/#/gaierror }" 'nameservers []' refused
}

@test "N3: loopback is the only link, without a route, and no other can be made" {
	ask "$programs/links.py"
	hold "links ['lo']" "sysfs ['lo']" '/proc/net/route 0' '/proc/net/arp 0' 'new link '
	[[ $output != *'new link 0'* ]]
}

@test "N4: no raw and no packet sockets" {
	ask "$programs/raw.py"
	hold refused
	[ "${#lines[@]}" = 5 ]
}

@test "N5: vsock is no second door" {
	only 'AF_VSOCK ignores network namespaces' gvisor firecracker
	ask "$programs/vsock.py"
	[ "$output" = 'refused 97' ]
}

@test "N6: no unix socket of the host is reached, by path or by name" {
	canary
	ask "$programs/unix.py" "$PAI_CANARY/socket" "$(<"$PAI_CANARY/abstract")"
	hold refused
	[ ! -s "$PAI_CANARY/hits" ]
}

@test "N7: sockets are local, of the internet or netlink, and nothing else" {
	ask "$programs/families.py"
	for family in $output; do
		[[ " 1 2 10 16 " == *" $family "* ]] || { echo "family $family opens"; false; }
	done
}

@test "N8: pai-exec itself needs no network, and tries none" {
	need_root
	only 'the tool is what is looked at' gvisor firecracker
	# the kernel counts packets, and attempts that had nowhere to go
	for how in --quiet --fresh; do
		unshare -n bash -c '
			counted() { cat /proc/net/dev /proc/net/snmp; }
			counted >before
			"$@" >said
			counted >after
			{ : >/dev/tcp/192.0.2.1/80; } 2>/dev/null
			counted >tried' - "${pai[@]}" "$how" -o out -nc 'open("f", "w"); print("ran")'
		[ "$(<said)" = ran ]
		cmp before after
		run ! cmp -s after tried
	done
}
