# SPDX-License-Identifier: Apache-2.0
# bash completion for pai-image. Made by completions/generate from its tables: change that.

# shellcheck disable=SC2034,SC2088 # _init_completion sets them; a ~ as it was typed
_pai_image() {
	local takes='^(--name|--include|--requirements|--wheels|--cpus)$' commands=yes
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
	--name) offer='@image' ;;
	--requirements) offer='@file' ;;
	--wheels) offer='@folder' ;;
	:build:) offer=' --name= --include= --requirements= --wheels= --quiet --help --version' ;;
	:list:) offer=' --json --quiet --help --version' ;;
	:warm:) offer=' --cpus= --quiet --help --version' ;;
	:df:) offer=' --json --quiet --help --version' ;;
	:*:) offer=' --quiet --help --version' ;;
	:0) offer=' build list verify warm gc df' ;;
	verify:*) offer=@image ;;
	warm:*) offer=@image ;;
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
	complete -F _pai_image pai-image
