# SPDX-License-Identifier: Apache-2.0
# bash completion for pai-exec. Made by completions/generate from its tables: change that.

# shellcheck disable=SC2034,SC2088 # _init_completion sets them; a ~ as it was typed
_pai_exec() {
	local takes='^(--code|--module|--language|--backend|--timeout|--kill-after|--cpu-time|--cpus|--memory|--pids|--disk|--input|--output-dir|--include|--exclude|--manifest|--max-files|--max-output|--env|--session|--session-dir|--context|--lock-wait|--keep-turns|--format|--max-stdout|--max-stderr|--color|--status-fd|--config|--image|-[pnqv]*[cmlbtkioes])$' commands=
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
	--language | -l) offer='python shell' ;;
	--backend | -b) offer='auto firecracker gvisor off' ;;
	--input | -i) offer='@file' ;;
	--output-dir | -o) offer='@folder' ;;
	--manifest) offer='@file' ;;
	--env | -e) offer='@variable' ;;
	--session | -s) offer='@session' ;;
	--session-dir) offer='@folder' ;;
	--format) offer='text json ndjson' ;;
	--color) offer='auto always never' ;;
	--usage) offer='@file' ;;
	--config) offer='@file' ;;
	--image) offer='@image' ;;
	:*:) offer=' --code= --module= --language= --cell --script --print-last --no-stdin --backend= --timeout= --kill-after= --cpu-time= --cpus= --memory= --pids= --disk= --input= --output-dir= --include= --exclude= --no-clobber --manifest= --max-files= --max-output= --env= --session= --session-dir= --context= --lock-wait= --keep-turns= --json --format= --max-stdout= --max-stderr= --raw-terminal --color= --status-fd= --usage --usage= --check --config= --image= --fresh --quiet --verbose --help --version' ;;
	*:*) offer=@file ;;
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
	complete -F _pai_exec pai-exec
