# SPDX-License-Identifier: Apache-2.0
# bash completion for pai-session. Made by completions/generate from its tables: change that.

# shellcheck disable=SC2034,SC2088 # _init_completion sets them; a ~ as it was typed
_pai_session() {
	local takes='^(--session-dir|--lock-wait|--output|--older|-[o])$' commands=yes
	local cur prev words cword word i at option='' ended='' dir='' head='' offer='' operands=() IFS=$' \t\n'
	_init_completion -n :@= || return
	for ((i = 1; i < cword; i++)); do
		word=${words[i]}
		if [[ $ended || $word != -?* ]]; then
			operands+=("$word")
			[[ $commands ]] || ended=yes
		elif [[ $word == -- ]]; then
			ended=yes
		elif [[ $word =~ $takes ]]; then
			((++i < cword)) || option=$word
			[[ $word != --session-dir ]] || dir=${words[i]}
		elif [[ $word == --session-dir=* ]]; then
			dir=${word#*=}
		fi
	done
	if [[ ! $option && $cur == --*=* ]]; then
		[[ $ended ]] || option=${cur%%=*}
		head=${cur%%=*}= cur=${cur#*=}
	fi
	at=${operands[0]-}:$((${#operands[@]} < 2 ? ${#operands[@]} : 2))
	[[ $ended || $cur != -* ]] || at=:${operands[0]-}:
	[[ $option != -[!-]* ]] || option=-${option: -1}
	case ${option:-$at} in
	--session-dir) offer='@folder' ;;
	--output | -o) offer='@file' ;;
	:prune:) offer=' --older= --dry-run --json --session-dir= --lock-wait= --help --version' ;;
	:get:) offer=' --output= --json --session-dir= --lock-wait= --help --version' ;;
	:*:) offer=' --json --session-dir= --lock-wait= --help --version' ;;
	:0) offer=' list show log fork rewind rm prune put get' ;;
	show:1) offer=@session ;;
	log:1) offer=@session ;;
	fork:1) offer=@session ;;
	rewind:1) offer=@session ;;
	rm:*) offer=@session ;;
	put:1) offer=@session ;;
	put:2) offer=@file ;;
	get:1) offer=@session ;;
	esac
	case $offer in
	@file) _filedir ;;
	@folder) _filedir -d ;;
	@image) [[ $cur == */* ]] && _filedir -d || offer=$(pai-image list 2>/dev/null | sed -nE 's/^([A-Za-z0-9._-]+) +[0-9]+ .*/\1/p') ;;
	@session)
		dir=$(xargs printf %s <<<"$dir" 2>/dev/null)
		[[ $dir != '~/'* ]] || dir=$HOME/${dir:2}
		offer=$(pai-session ${dir:+--session-dir="$dir"} list 2>/dev/null | sed -nE 's/^([A-Za-z0-9._-]+) +[0-9]+ .*/\1/p')
		;;
	@variable) offer=$(compgen -e) ;;
	esac
	read -rd '' -a words <<<"$offer"
	for word in "${words[@]}"; do
		[[ $word == @* || $word != "$cur"* ]] || COMPREPLY+=("$word")
	done
	# what readline replaces begins behind the last of its breaks
	word=${COMP_WORDBREAKS//[!:@=]/}
	cur=$head$cur
	word=${cur%"${cur##*["${word:- }"]}"}
	COMPREPLY=("${COMPREPLY[@]/#/$head}")
	COMPREPLY=("${COMPREPLY[@]#"$word"}")
	[[ ${COMPREPLY[*]} != *= ]] || compopt -o nospace
} &&
	complete -F _pai_session pai-session
