# SPDX-License-Identifier: Apache-2.0
# bats file_tags=sandbox
# pai-image: what there is, whether it is in order, templates for all users.

load helper

pai-image() { "${as_user[@]}" "$PAI_BUILD/pai-image" "$@"; }

# A private view of the system's folders, with the image under test as "default":
# inside "$@" runs with them. Root only.
own_system() {
	if [ "$(id -u)" != 0 ] || [ -n "${as_user[*]}" ]; then skip 'needs root, to mount'; fi
	mkdir -p image cache
	export PAI_BUILD PAI_IMAGE
	unshare -m bash -euc 'mount --make-rprivate /
		mkdir -p /var/lib/pai/images /var/cache
		mount --bind cache /var/cache
		mount --bind "$PAI_IMAGE" image # before what it may lie in is covered
		mount -t tmpfs none /var/lib/pai
		mkdir -p /var/lib/pai/images/default
		mount --bind image /var/lib/pai/images/default
		"$@"' - "$@"
}
[ -n "${PAI_IMAGE:-}" ] || PAI_IMAGE=/var/lib/pai/images/default

@test "bad commands and options are one line and 125" {
	for words in '' foo 'gc a' 'list --nope' 'warm --cpus' 'warm --cpus=x' 'verify no-such-image'; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr pai-image $words
		[ "$status" = "$([ "${words%% *}" = verify ] && echo 1 || echo 125)" ]
		[ -z "$output" ]
		[ "${#stderr_lines[@]}" = 1 ]
		[[ $stderr = 'pai-image: '* ]]
	done
	run -0 pai-image --help
	[ "$(awk 'length > 80' <<<"$output" | wc -l)" = 0 ]
}

@test "without an image list and verify say so by their status" {
	own_system bash -euc '
		umount /var/lib/pai/images/default
		rmdir /var/lib/pai/images/default
		for command in list verify; do
			status=0
			"$PAI_BUILD/pai-image" $command || status=$?
			[ $status = 1 ]
		done'
}

@test "templates that root makes serve all users, and none can write them" {
	own_system bash -euc '
		image=$PAI_BUILD/pai-image run=$PAI_BUILD/pai-exec
		export XDG_CACHE_HOME=$PWD/own
		umask 077
		"$image" warm >made
		[ "$(grep -c "^default: template [a-z]* made$" made)" = 4 ]
		[ "$(grep -c "^default: template [a-z]* for cells made$" made)" = 4 ]
		[ "$("$image" warm --quiet | grep -c "was there$")" = 8 ]
		[ "$("$image" list | awk "NR == 2 { print \$1, \$3 }")" = "default 8" ]
		user="setpriv --reuid 12345 --regid 12345 --clear-groups --inh-caps=-all --bounding-set=-all --no-new-privs"
		[ -z "$($user find /var/cache/pai -writable)" ]
		mkdir -m 777 home
		chmod 711 .
		HOME=$PWD/home
		unset XDG_CACHE_HOME
		[ "$($user "$run" --json -nc "import pandas" | jq -r .backend.start)" = warm ]
		[ ! -e home/.cache/pai/templates ]
		[ "$($user "$image" df --json | jq .templates.count)" = 8 ]'
}

@test "gc takes what nothing can use, and only that" {
	own_system bash -euc '
		image=$PAI_BUILD/pai-image at=/var/cache/pai/templates
		export XDG_CACHE_HOME=$PWD/own
		"$image" warm >/dev/null
		mkdir -m 755 "$at"/0123.part "$at"/0123.gone
		cp -r "$at/$(ls "$at" | grep -v "\\." | head -n 1)" "$at/ffffffffffffffffffffffffffffffff"
		echo sha256:00 >"$at/ffffffffffffffffffffffffffffffff/image"
		mkdir -p own/pai/templates
		cp -r "$at/$(ls "$at" | grep -v "\\." | head -n 1)" own/pai/templates/eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee
		touch -d "40 days ago" own/pai/templates/eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee
		[ "$("$image" df --json | jq ".templates.removable_bytes > 0")" = true ]
		[ "$("$image" gc | grep -o "^[0-9]* templates removed")" = "4 templates removed" ]
		[ "$(ls "$at" | wc -l)" = 4 ] && [ -z "$(ls own/pai/templates)" ]
		[ "$("$image" gc | grep -o "^[0-9]* templates removed")" = "0 templates removed" ]'
}

@test "verify finds one changed byte" {
	own_system bash -euc '
		image=$PAI_BUILD/pai-image
		[ "$("$image" verify)" = "default: in order" ]
		mkdir /var/lib/pai/images/small
		for n in small bad; do
			mkdir -p /var/lib/pai/images/$n
			echo content >/var/lib/pai/images/$n/rootfs.erofs
			printf "{\"format\":1,\"rootfs\":{\"digest\":\"sha256:%s\",\"size\":8}}" \
				"$(echo content | sha256sum | cut -d " " -f 1)" >/var/lib/pai/images/$n/image.json
		done
		echo contenu >/var/lib/pai/images/bad/rootfs.erofs
		[ "$("$image" verify small)" = "small: in order" ]
		if "$image" verify bad 2>err; then exit 1; fi
		[ "$(cat err)" = "pai-image: image '"'bad'"': /var/lib/pai/images/bad/rootfs.erofs is not what image.json says" ]
		if "$image" verify >/dev/null 2>&1; then exit 1; fi
		printf x >>/var/lib/pai/images/bad/rootfs.erofs
		if "$image" list >list; then exit 1; fi
		grep -q "^bad .* not in order" list'
}
