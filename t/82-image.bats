# SPDX-License-Identifier: Apache-2.0
# bats file_tags=sandbox
# pai-image: what there is, whether it is in order, templates for all users.

load helper
load examples

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
	while IFS='|' read -r words why; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr -125 pai-image $words
		[ "$stderr" = "pai-image: $why; 'pai-image --help' shows all" ]
	done <<-'EOS'
		list -xq|-xq: unknown option, or it takes no value
		-q list -qx|-qx: unknown option, or it takes no value
		list --json=1|--json=1: unknown option, or it takes no value
	EOS
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
		PAI_DEFAULTS_ENV=LANG=C PAI_DEFAULTS_OUTPUT_DIR=kept PAI_DEFAULTS_SESSION=s PAI_DEFAULTS_SESSION_DIR=s "$image" warm >made
		[ ! -e kept ]
		[ ! -e s ]
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
		[ "$($user "$image" df --json | jq .templates.count)" = 8 ]
		# a user cannot mark that he used one; gc sees it still
		mount -o remount,bind,relatime /var/cache
		find /var/cache/pai/templates -mindepth 1 \( -type d -o -name sizes \) -exec touch -d "40 days ago" {} +
		[ "$($user "$run" --json -nc "import pandas" | jq -r .backend.start)" = warm ]
		[ "$("$image" gc | head -n 1 | cut -d , -f 1)" = "7 templates removed" ]
		[ "$($user "$run" --json -nc "import pandas" | jq -r .backend.start)" = warm ]'
}

@test "warm says why it makes no template" {
	if [ -n "${as_user[*]}" ]; then
		: >file
		XDG_CACHE_HOME=$work/file run -125 pai-image -q warm "$PAI_IMAGE"
		[[ $output == 'pai-image: no template was made: neither XDG_CACHE_HOME nor HOME is '* ]]
	elif [ "$(id -u)" = 0 ]; then
		run -125 own_system bash -euc 'mount -t tmpfs -o size=1m none /var/cache; "$PAI_BUILD/pai-image" -q warm'
		[ "$output" = 'pai-image: no template was made: the disk is full' ]
	fi
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
		touch -d "40 days ago" own/pai/templates/eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee{,/sizes}
		[ "$("$image" df --json | jq ".templates.removable_bytes > 0")" = true ]
		[ "$("$image" gc | grep -o "^[0-9]* templates removed")" = "4 templates removed" ]
		[ "$(ls "$at" | wc -l)" = 8 ]
		[ -z "$(ls own/pai/templates)" ]
		[ "$("$image" gc | grep -o "^[0-9]* templates removed")" = "0 templates removed" ]'
}

@test "an image may be a link: it is listed, and gc keeps its templates" {
	own_system bash -euc '
		export XDG_DATA_HOME=$PWD/data XDG_CACHE_HOME=$PWD/own
		umount /var/lib/pai/images/default
		rmdir /var/lib/pai/images/default
		mkdir -p data/pai/images
		ln -s "$PWD/image" data/pai/images/linked
		ln -s "$PWD/none" data/pai/images/dangling
		"$PAI_BUILD/pai-exec" --image=linked -nc 1
		[ "$("$PAI_BUILD/pai-image" list | awk "{ print \$1, \$3 }")" = "$(printf "NAME TEMPLATES\nlinked 1")" ]
		"$PAI_BUILD/pai-image" df --json | jq -e ".images == {count: 1, bytes: 0}"
		"$PAI_BUILD/pai-image" gc | grep "^0 templates removed"'
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

@test "a build that cannot work is one line and 125, and leaves nothing" {
	export XDG_DATA_HOME=$PWD/data
	mkdir empty
	while IFS='|' read -r words why; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr -125 pai-image build $words
		[ -z "$output" ]
		[ "${#stderr_lines[@]}" = 1 ]
		[[ $stderr = "pai-image: "*"$why"* ]] || { echo "$stderr"; false; }
	done <<-'EOS'
		--include=jq|--name=NAME is missing
		--name=a/b --include=jq|'a/b' is no name
		--name=-x|'-x' is no name
		--name=|'' is no name
		--name=x.build|one of a build's own
		--name=n --include=Foo!|'Foo!' is not the name of a Debian package
		--name=n --include=jq,-oDebug|'-oDebug' is not the name
		--name=n --requirements=none.txt|none.txt: no such file
		--name=n --requirements=empty|empty: no such file
		--name=n --wheels=none|none: no such folder
		--name=n --wheels=empty|no wheel
		n|takes no name
		--cpus=2|has no option --cpus
		--name|its value is missing
	EOS
	[ ! -e data ]
}

# A stand-in for mmdebstrap that does what the environment says, and as root builds nothing.
fake_mmdebstrap() {
	mkdir bin
	cat >bin/mmdebstrap <<-'EOS'
		#!/bin/sh
		for last; do
			case $last in
			--include=*) [ -z "$FAKE_PACKAGES" ] || echo "$last" >"$FAKE_PACKAGES" ;;
			*tree.part)
				[ ! -e "$last/usr" ] || { echo "E: $last is not empty" && exit 25; }
				mkdir -p "$last/usr"
				;;
			esac
		done
		echo "I: running apt-get update"
		[ -z "$FAKE_SAY" ] || ls /proc/$$/fd >"$FAKE_SAY"
		[ -z "$FAKE_SLEEP" ] || exec sleep "$FAKE_SLEEP"
		echo "E: Unable to locate package nope" >&2
		echo "E: apt-get failed" >&2
		exit 100
	EOS
	chmod 755 bin/mmdebstrap
}

@test "a package that there is not, and a build that is ended, leave nothing" {
	fake_mmdebstrap
	own_system bash -euc '
		export PATH=$PWD/bin:$PATH
		status=0
		# mmdebstrap fails where its pipes have numbers beyond 9
		FAKE_SAY=$PWD/fds "$PAI_BUILD/pai-image" build --name=n --include=nope >out 2>err 3</dev/null 4</dev/null 70</dev/null || status=$?
		[ "$status" = 125 ]
		[ ! -s out ]
		[ "$(grep -cE "^([3-7]|70)\$" fds)" = 0 ]
		[ "$(cat err)" = "pai-image: mmdebstrap failed: E: Unable to locate package nope" ]
		status=0
		FAKE_SLEEP=60 timeout --preserve-status -k 9 1 "$PAI_BUILD/pai-image" build --name=n --include=nope 2>err || status=$?
		[ "$status" = 143 ]
		[ ! -s err ]
		[ "$(ls /var/lib/pai/images)" = default ]'
}

@test "a build that was killed while it fetched can be begun again, under any umask" {
	fake_mmdebstrap
	own_system bash -euc '
		export PATH=$PWD/bin:$PATH images=/var/lib/pai/images
		umount $images/default
		rm -r $images
		umask 077
		FAKE_SLEEP=60 setsid "$PAI_BUILD/pai-image" build &
		for _ in {1..100}; do [ ! -e $images/default.build/tree.part/usr ] || break; sleep 0.1; done
		kill -KILL -- -$!
		wait $! || :
		[ -d $images/default.build/tree.part/usr ]
		[ "$(stat -c %a $images)" = 755 ]
		status=0
		"$PAI_BUILD/pai-image" build 2>err || status=$?
		[ "$status" = 125 ]
		[ "$(cat err)" = "pai-image: mmdebstrap failed: E: Unable to locate package nope" ]
		[ -z "$(ls $images)" ]'
}

@test "an empty value is refused, and builds no image without it" {
	fake_mmdebstrap
	own_system bash -euc '
		export PATH=$PWD/bin:$PATH
		umount /var/lib/pai/images/default # nothing to start from
		rmdir /var/lib/pai/images/default
		for option in include requirements wheels; do
			status=0
			"$PAI_BUILD/pai-image" build --name=n --$option= 2>err || status=$?
			[ "$status" = 125 ]
			[ "$(cat err)" = "pai-image: --$option: an empty value" ]
		done
		[ -z "$(ls /var/lib/pai/images)" ]'
}

@test "packages to include may stand one a line" {
	fake_mmdebstrap
	own_system bash -euc '
		export PATH=$PWD/bin:$PATH
		FAKE_PACKAGES=$PWD/packages "$PAI_BUILD/pai-image" build --name=n --include="$(printf "jq\nxz-utils=5.8, zip\n")" && exit 9
		grep ",jq,xz-utils=5.8,zip\$" packages'
}

@test "gc takes what a killed build has left, and not a build that goes on" {
	fake_mmdebstrap
	own_system bash -euc '
		export PATH=$PWD/bin:$PATH
		FAKE_SLEEP=60 setsid "$PAI_BUILD/pai-image" build --name=n --include=nope &
		for _ in {1..100}; do [ ! -e /var/lib/pai/images/n.build/tree.part ] || break; sleep 0.1; done
		"$PAI_BUILD/pai-image" gc >gone
		[ -z "$(grep builds gone)" ]
		[ -e /var/lib/pai/images/n.build ]
		status=0
		"$PAI_BUILD/pai-image" build --name=n --include=nope 2>err || status=$?
		[ "$status" = 125 ]
		grep -q "another build of .*/n is running" err
		kill -KILL -- -$!
		wait $! || :
		"$PAI_BUILD/pai-image" gc | grep -x "1 builds that were killed removed"
		[ "$(ls /var/lib/pai/images)" = default ]'
}

@test "gc takes empty cgroups of killed runs, and not those that are held" {
	if [ "$(id -u)" != 0 ] || [ -n "${as_user[*]}" ]; then skip 'needs root, to make cgroups'; fi
	at=/sys/fs/cgroup/pids$(sed -n 's/^[0-9]*:pids://p' /proc/self/cgroup)
	[ -d "$at" ] || at=/sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup)
	mkdir "$at/pai-exec-00000000000000"{a1,b2} || skip 'no cgroup can be made here'
	(
		flock 8
		pai-image gc >/dev/null
	) 8<"$at/pai-exec-00000000000000b2"
	left=$(cd "$at" && echo pai-exec-00000000000000*)
	rmdir "$at"/pai-exec-00000000000000*
	[ "$left" = pai-exec-00000000000000b2 ]
}

# A wheel of one module, as wheels are: a zip archive with a list of what is in it.
small_wheel() {
	python3 - "$1" <<-'EOS'
		import sys, zipfile
		files = {
		    "small_thing.py": "answer = 42\n",
		    "small_thing-1.5.dist-info/METADATA": "Metadata-Version: 2.1\nName: small-thing\nVersion: 1.5\n",
		    "small_thing-1.5.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
		}
		files["small_thing-1.5.dist-info/RECORD"] = "".join(f"{name},,\n" for name in files) + "small_thing-1.5.dist-info/RECORD,,\n"
		with zipfile.ZipFile(sys.argv[1] + "/small_thing-1.5-py3-none-any.whl", "w") as z:
		    for name, text in files.items():
		        z.writestr(name, text)
	EOS
}

@test "an image with a wheel more: pinned, used, with templates of its own" {
	[ "${PAI_TIER:-quick}" = full ] || skip 'builds an image: PAI_TIER=full'
	grep -q '"python3-pip ' "$PAI_IMAGE/image.json" || skip "the image in $PAI_IMAGE has no pip: build it anew"
	mkdir wheels broken
	small_wheel wheels
	echo x >broken/small_thing-1.5-py3-none-any.whl
	echo 'small-thing>2' >too-new.txt
	echo 'small-thing' >fits.txt
	export XDG_CACHE_HOME=$PWD/own sum
	sum=$(sha256sum <wheels/*.whl)
	body='
		image() { "${as[@]}" "$PAI_BUILD/pai-image" "$@"; }
		run() { "${as[@]}" "$PAI_BUILD/pai-exec" "$@"; }
		for bad in --wheels=broken "--wheels=wheels --requirements=too-new.txt"; do
			status=0
			image build --name=extra $bad >out 2>err || status=$?
			[ "$status" = 125 ]
			[ ! -s out ]
			[ "$(wc -l <err)" = 1 ]
			grep "^pai-image: --" err
			[ "$(ls "$images")" = default ]
		done
		(umask 077 && image build --name=extra --wheels=wheels --requirements=fits.txt) >out 2>&1
		[ ! -s out ]
		[ "$(ls "$images")" = "$(printf "default\nextra")" ]
		[ "$(jq -r ".python[]" "$images/extra/image.json")" = "small-thing==1.5 sha256:${sum%% *}" ]
		[ "$(jq -c .packages "$images/extra/image.json")" = "$(jq -c .packages "$images/default/image.json")" ]
		[ "$(image verify extra default)" = "$(printf "extra: in order\ndefault: in order")" ]
		code="import os, small_thing as s, pandas; print(s.answer, os.getuid(), os.path.exists(s.__cached__))"
		[ "$(run --image=extra -c "$code")" = "42 1000 True" ]
		[ "$(run --image=extra --script --json -c "import pandas" | jq -r .backend.start)" = warm ]
		run -c "import small_thing" 2>&1 | grep "^ModuleNotFoundError: "
		[ "$(run --image=extra --fresh -c "import os, _pai; print(os.path.exists(_pai.__cached__))")" = True ]
		image list --json | jq -e "map({(.name): .templates}) | add | .extra > 0"
		before=$(image list --json | jq ".[] | select(.name == \"default\").templates")
		rm -r "$images/extra"
		image gc | grep -q "^[1-9][0-9]* templates removed"
		[ "$(image list --json | jq ".[] | select(.name == \"default\").templates")" = "$before" ]'
	if [ "$(id -u)" = 0 ] && [ -z "${as_user[*]}" ]; then
		own_system bash -euc "as=() images=/var/lib/pai/images; $body"
	else
		export XDG_DATA_HOME=$PWD/data
		"${as_user[@]}" mkdir -p data/pai/images
		"${as_user[@]}" ln -s "$PAI_IMAGE" data/pai/images/default
		beside=(env)
		# what root has mounted beneath his files is no hindrance
		[ "$(id -u)" != 0 ] || beside=(unshare -m bash -euc 'mkdir beneath && mount -t tmpfs none beneath && exec "$@"' -)
		"${beside[@]}" bash -euc "as=(\"\$@\") images=$PWD/data/pai/images; $body" - "${as_user[@]}"
	fi
}

# an_index FOLDER: an index of the wheels in there on this machine, as long as the test runs
an_index() {
	mkdir -p index/simple/small-thing
	cp "$1"/*.whl index/simple/small-thing
	coproc INDEX { exec python3 -um http.server --bind 127.0.0.1 --directory index 0 2>/dev/null; }
	index=$INDEX_PID
	read -r _ _ _ _ _ port _ <&"${INDEX[0]}"
	export PIP_INDEX_URL=http://127.0.0.1:$port/simple no_proxy=127.0.0.1${no_proxy:+,$no_proxy}
}
teardown() { [ -z "${index:-}" ] || kill "$index"; }

@test "pai-image(1): its pip download fetches what --wheels takes" {
	python3 -m pip --version >/dev/null 2>&1 || skip 'pip is missing'
	mkdir made bin
	small_wheel made
	an_index made
	printf '#!/bin/bash\nexec python3 -m pip "$@"\n' >bin/pip
	chmod 755 bin/pip
	line=$(sed -n 's/^\.Pq Ql \(pip download .*\) :$/\1/p' "$PAI_SOURCE/man/pai-image.1" | sed 's/\\ \\&/ /g; s/NAME/small-thing/')
	[[ $line == *small-thing ]]
	PIP_CONFIG_FILE=/dev/null PATH=$PWD/bin:$PATH bash -c "$line"
	cmp made/*.whl wheels/*.whl
}

@test "pai-image(1): its examples" {
	[ "${PAI_TIER:-quick}" = full ] || skip 'builds three images, one from Debian: PAI_TIER=full'
	grep -q '"python3-pip ' "$PAI_IMAGE/image.json" || skip "the image in $PAI_IMAGE has no pip: build it anew"
	export XDG_CACHE_HOME=$PWD/own
	mkdir bin wheels
	small_wheel wheels
	an_index wheels
	echo small-thing >requirements.txt
	echo 'import small_thing; print(small_thing.answer)' >job.py
	for name in pai-image pai-exec; do ln -s "$PAI_BUILD/$name" bin; done
	export PATH=$PWD/bin:$PATH PAI_SOURCE
	own_system bash -euc '. "$PAI_SOURCE/t/examples.bash"; examples man/pai-image.1' <<-'END'
		pai-image warm ~ default: template pandas made
		pai-image build --name=nlp --requirements=requirements.txt ~ ^$
		pai-exec --image=nlp job.py ~ ^42$
		pai-image build --name=nlp --wheels=wheels ~ ^$ ~ [ "$(pai-exec --image=nlp job.py)" = 42 ]
		pai-image build --name=data --include=python3-yaml,jq ~ ^$ ~ [ "$(pai-exec --image=data -l shell -c 'python3 -c "import yaml" && echo 42 | jq .')" = 42 ]
	END
}
