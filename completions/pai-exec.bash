# SPDX-License-Identifier: Apache-2.0
# bash completion for pai-exec. Made by completions/generate from the option table: change that.

# The folders where the words, the environment or the user's state folder say.
_pai_exec_sessions() {
	local dir='' i at
	for ((i = 1; i < cword; i++)); do
		case ${words[i]} in
		--session-dir=*) dir=${words[i]#*=} ;;
		--session-dir) dir=${words[i + 1]} ;;
		esac
	done
	dir=${dir:-${PAI_DEFAULTS_SESSION_DIR:-${XDG_STATE_HOME:-$HOME/.local/state}/pai/sessions}}
	for at in "$dir/$cur"*/; do
		[[ ! -d $at ]] || COMPREPLY+=("$(basename "$at")")
	done
}

# A name, or with a slash a path.
_pai_exec_images() {
	local at
	if [[ $cur == */* ]]; then
		_filedir -d
		return
	fi
	for at in "${XDG_DATA_HOME:-$HOME/.local/share}/pai/images" /var/lib/pai/images; do
		for at in "$at/$cur"*/image.json; do
			[[ ! -f $at ]] || COMPREPLY+=("$(basename "${at%/image.json}")")
		done
	done
}

_pai_exec() {
	# shellcheck disable=SC2034 # _init_completion sets them
	local cur prev words cword split
	_init_completion -s || return
	case $prev in
	--code | -c)
		:
		return
		;;
	--module | -m)
		:
		return
		;;
	--language | -l)
		mapfile -t COMPREPLY < <(compgen -W 'python shell' -- "$cur")
		return
		;;
	--backend | -b)
		mapfile -t COMPREPLY < <(compgen -W 'auto firecracker gvisor off' -- "$cur")
		return
		;;
	--timeout | -t)
		:
		return
		;;
	--kill-after | -k)
		:
		return
		;;
	--cpu-time)
		:
		return
		;;
	--cpus)
		:
		return
		;;
	--memory)
		:
		return
		;;
	--pids)
		:
		return
		;;
	--disk)
		:
		return
		;;
	--input | -i)
		_filedir
		return
		;;
	--output-dir | -o)
		_filedir -d
		return
		;;
	--include)
		:
		return
		;;
	--exclude)
		:
		return
		;;
	--manifest)
		_filedir
		return
		;;
	--max-files)
		:
		return
		;;
	--max-output)
		:
		return
		;;
	--env | -e)
		:
		return
		;;
	--session | -s)
		_pai_exec_sessions
		return
		;;
	--session-dir)
		_filedir -d
		return
		;;
	--context)
		:
		return
		;;
	--lock-wait)
		:
		return
		;;
	--keep-turns)
		:
		return
		;;
	--format)
		mapfile -t COMPREPLY < <(compgen -W 'text json ndjson' -- "$cur")
		return
		;;
	--max-stdout)
		:
		return
		;;
	--max-stderr)
		:
		return
		;;
	--color)
		:
		return
		;;
	--status-fd)
		:
		return
		;;
	--usage)
		_filedir
		return
		;;
	--config)
		_filedir
		return
		;;
	--image)
		_pai_exec_images
		return
		;;
	esac
	if [[ $cur == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "--code= --module= --language= --cell --script --print-last --no-stdin --backend= --timeout= --kill-after= --cpu-time= --cpus= --memory= --pids= --disk= --input= --output-dir= --include= --exclude= --no-clobber --manifest= --max-files= --max-output= --env= --session= --session-dir= --context= --lock-wait= --keep-turns= --json --format= --max-stdout= --max-stderr= --raw-terminal --color= --status-fd= --usage= --check --config= --image= --fresh --quiet --verbose --help --version " -- "$cur")
		[[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace
	else
		_filedir
	fi
} &&
	complete -F _pai_exec pai-exec
