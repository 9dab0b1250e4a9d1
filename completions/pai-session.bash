# SPDX-License-Identifier: Apache-2.0
# bash completion for pai-session. Made by completions/generate-session from its tables: change that.

# The folders where the words, the environment or the user's state folder say.
_pai_session_names() {
	local dir='' i name
	for ((i = 1; i < cword; i++)); do
		case ${words[i]} in
		--session-dir=*) dir=${words[i]#*=} ;;
		--session-dir) dir=${words[i + 1]} ;;
		esac
	done
	dir=${dir:-${PAI_DEFAULTS_SESSION_DIR:-${XDG_STATE_HOME:-$HOME/.local/state}/pai/sessions}}
	for name in "$dir/$cur"*/; do
		[[ ! -d $name ]] || COMPREPLY+=("$(basename "$name")")
	done
}

_pai_session() {
	# shellcheck disable=SC2034 # _init_completion sets them
	local cur prev words cword split command='' operands=0 i
	_init_completion -s || return
	case $prev in
	--session-dir)
		_filedir -d
		return
		;;
	--output | -o)
		_filedir
		return
		;;
	--lock-wait | --older)
		return
		;;
	esac
	for ((i = 1; i < cword; i++)); do
		case ${words[i]} in
		--session-dir | --lock-wait | --older | --output | -o) ((i += 1)) ;;
		-*) ;;
		*)
			[[ -z $command ]] || ((operands += 1))
			command=${command:-${words[i]}}
			;;
		esac
	done
	if [[ $cur == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "--json --session-dir= --lock-wait= --output= --older= --dry-run --help --version" -- "$cur")
		[[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace
	elif [[ -z $command ]]; then
		mapfile -t COMPREPLY < <(compgen -W "list show log fork rewind rm prune put get" -- "$cur")
	elif [[ $command == rm ]] || { ((operands == 0)) && [[ $command != list && $command != prune ]]; }; then
		_pai_session_names
	elif [[ $command == put ]]; then
		_filedir
	fi
} &&
	complete -F _pai_session pai-session
