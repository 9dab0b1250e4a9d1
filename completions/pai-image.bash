# SPDX-License-Identifier: Apache-2.0
# bash completion for pai-image. Made by completions/generate-image from its tables: change that.

_pai_image_names() {
	local at
	for at in "${XDG_DATA_HOME:-$HOME/.local/share}/pai/images" /var/lib/pai/images; do
		for at in "$at/$cur"*/image.json; do
			[[ ! -f $at ]] || COMPREPLY+=("$(basename "${at%/image.json}")")
		done
	done
}

_pai_image() {
	# shellcheck disable=SC2034 # _init_completion sets them
	local cur prev words cword split command='' i
	_init_completion -s || return
	case $prev in
	--requirements)
		_filedir
		return
		;;
	--wheels)
		_filedir -d
		return
		;;
	--name)
		_pai_image_names
		return
		;;
	--include)
		[[ $cur == *,* ]] || ! declare -F _comp_compgen_apt_packages >/dev/null || _comp_compgen_apt_packages
		return
		;;
	--cpus)
		return
		;;
	esac
	for ((i = 1; i < cword; i++)); do
		case ${words[i]} in
		--requirements | --wheels | --name | --include | --cpus) ((i += 1)) ;;
		-*) ;;
		*) command=${command:-${words[i]}} ;;
		esac
	done
	if [[ $cur == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "--name= --include= --requirements= --wheels= --cpus= --json --quiet --help --version" -- "$cur")
		[[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace
	elif [[ -z $command ]]; then
		mapfile -t COMPREPLY < <(compgen -W "build list verify warm gc df" -- "$cur")
	elif [[ $command == verify || $command == warm ]]; then
		_pai_image_names
	fi
} &&
	complete -F _pai_image pai-image
