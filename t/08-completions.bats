# SPDX-License-Identifier: Apache-2.0
# The completions, in the shells themselves (t/tab).

load helper

setup_file() { umask 022; }

# What there is to be offered, in a folder of its own.
prepare() { # prepare SHELL
	command -v "$1" >/dev/null || skip "$1 is missing"
	[ "$1" != bash ] || [ -e /usr/share/bash-completion/bash_completion ] || skip 'bash-completion is missing'
	export PATH=$PAI_BUILD:$PATH PAI_SOURCE XDG_DATA_HOME=$work/.data PAI_TEST=1
	mkdir -p .data/pai/images/zz-{one,two} sub .local/state/pai/sessions
	touch job.py data.csv
	echo '{}' | tee .data/pai/images/zz-{one,two}/image.json >/dev/null
	"$PAI_BUILD/t/session-make" .local/state/pai/sessions alpha 2
	"$PAI_BUILD/t/session-make" .local/state/pai/sessions beta 2
	"$PAI_BUILD/t/session-make" other gamma 2
	"$PAI_BUILD/t/session-make" 'my dir' delta 2
}

# offers SHELL: standard input has lines of LINE|WORDS.
offers() {
	local line i bad=0 lines=() wanted=() got=()
	while IFS= read -r line; do
		lines+=("${line%|*}") wanted+=("${line##*|}")
	done
	"$PAI_SOURCE/t/tab" "$1" "${lines[@]}" >.got || return
	mapfile -t got <.got
	for i in "${!lines[@]}"; do
		[ "${got[i]}" != "${wanted[i]}" ] || continue
		bad=1
		printf '%s\n  wanted: %s\n  got:    %s\n' "${lines[i]}" "${wanted[i]}" "${got[i]}"
	done
	[ "$bad" = 0 ]
}

common() {
	local all
	all=$("$PAI_BUILD/pai-exec" --list-options | cut -f 1 | LC_ALL=C sort | paste -sd ' ')
	offers "$1" <<EOS
pai-exec --|$all
pai-exec --ba|--backend
pai-exec --backend |auto firecracker gvisor off
pai-exec --backend gv|gvisor
pai-exec --backend=gv|gvisor
pai-exec --backend=|auto firecracker gvisor off
pai-exec -b gv|gvisor
pai-exec -nb gv|gvisor
pai-exec -t5m -b gv|gvisor
pai-exec --language=|python shell
pai-exec --format=nd|ndjson
pai-exec --color |always auto never
pai-exec --timeout |
pai-exec --timeout=|
pai-exec -c |
pai-exec -e PAI_TEST|PAI_TEST
pai-exec |data.csv job.py 'my dir' other sub
pai-exec -i |data.csv job.py 'my dir' other sub
pai-exec -i job.py -i da|data.csv
pai-exec -i job.py --inp|--input
pai-exec -i a:b -e mail=a@b --input=da|data.csv
pai-exec --output-dir=|'my dir' other sub
pai-exec -o s|sub
pai-exec --usage=jo|job.py
pai-exec --usage jo|job.py
pai-exec --usage --ba|--backend
pai-exec -c pass --ba|--backend
pai-exec -c pass da|data.csv
pai-exec job.py --ba|
pai-exec job.py |data.csv job.py 'my dir' other sub
pai-exec job.py --backend da|data.csv
pai-exec -b gvisor job.py -b da|data.csv
pai-exec -- da|data.csv
pai-exec -- --ba|
pai-exec -- job.py --ba|
pai-exec - --ba|
pai-exec --image zz-|zz-one zz-two
pai-exec --image=zz-t|zz-two
pai-exec --image ./s|./sub
pai-exec -s |alpha beta
pai-exec --session=b|beta
pai-exec -nqs b|beta
pai-exec --session-dir other -s |gamma
pai-exec --session-dir=other --session=|gamma
pai-exec --session-dir=my\\ dir -s |delta
pai-exec --session-dir 'my dir' -s |delta
pai-exec --session-dir "my dir" -s |delta
pai-exec --session-dir ~/other -s |gamma
pai-exec --session-dir ~/my\\ dir -s |delta
pai-exec --session-dir=nowhere -s |
pai-exec job.py --session-dir=other -s |data.csv job.py 'my dir' other sub
pai-session |fork get list log prune put rewind rm show
pai-session re|rewind
pai-session --session-dir other |fork get list log prune put rewind rm show
pai-session --session-dir=other s|show
pai-session --|--help --json --lock-wait --session-dir --version
pai-session list --|--help --json --lock-wait --session-dir --version
pai-session prune --|--dry-run --help --json --lock-wait --older --session-dir --version
pai-session get --outp|--output
pai-session get -o |data.csv job.py 'my dir' other sub
pai-session get alpha --output=jo|job.py
pai-session get |alpha beta
pai-session prune --older |
pai-session show |alpha beta
pai-session --session-dir=other show |gamma
pai-session show --session-dir other |gamma
pai-session --json show b|beta
pai-session fork |alpha beta
pai-session rm alpha |alpha beta
pai-session rm -- b|beta
pai-session rm -- --|
pai-session put |alpha beta
pai-session put alpha |data.csv job.py 'my dir' other sub
pai-session put alpha job.py da|data.csv
pai-session --lock-wait put |fork get list log prune put rewind rm show
pai-image |build df gc list verify warm
pai-image -q ver|verify
pai-image build --|--help --include --name --quiet --requirements --version --wheels
pai-image build --name zz-|zz-one zz-two
pai-image build --requirements=jo|job.py
pai-image build --wheels=|'my dir' other sub
pai-image build --wheels s|sub
pai-image list --j|--json
pai-image gc --|--help --quiet --version
pai-image warm --cpus 2 zz-o|zz-one
pai-image verify zz-|zz-one zz-two
pai-image verify zz-one zz-t|zz-two
EOS
}

# Where no operand can stand zsh offers the options, the others nothing.
nothing() {
	offers "$1" <<EOS
pai-session get alpha |
pai-session list |
pai-session show alpha |
pai-session fork alpha |
pai-image build |
EOS
}

@test "the completions are those of the programs' tables" {
	"$PAI_SOURCE/completions/generate" "$PAI_BUILD" "$PWD"
	for f in pai-{exec,image,session}.{bash,fish} _pai-{exec,image,session}; do
		cmp "$f" "$PAI_SOURCE/completions/$f"
	done
}

@test "bash offers what may come" {
	prepare bash
	common bash
	nothing bash
}

@test "zsh offers what may come" {
	prepare zsh
	common zsh
}

@test "fish offers what may come" {
	prepare fish
	common fish
	nothing fish
}

# odd SHELL: what is on the disk is neither run nor a pattern, nor is what the line says
odd() {
	prepare "$1"
	mkdir -p odd/{'$(touch ran)','a b','*','`touch ran`'} .data/pai/images/zz{'$(touch ran)',' b','*','`touch ran`'}
	echo '{}' | tee .data/pai/images/*/image.json >/dev/null
	"$PAI_BUILD/t/session-make" odd epsilon 2
	export PAI_DEFAULTS_SESSION_DIR=odd
	offers "$1" <<'EOS'
pai-exec -s |epsilon
pai-exec --session-dir=odd -s |epsilon
pai-session --session-dir odd rm |epsilon
pai-exec --image=z|zz-one zz-two
pai-exec odd/|'odd/$(touch ran)' 'odd/*' 'odd/`touch ran`' 'odd/a b' odd/epsilon
pai-exec --output-dir odd/|'odd/$(touch ran)' 'odd/*' 'odd/`touch ran`' 'odd/a b' odd/epsilon
pai-exec --session-dir=$(touch ran) -s |
pai-exec --session-dir "`touch ran`" -s |
pai-exec --session-dir=od* -s |
EOS
	[ ! -e ran ]
}

@test "bash runs nothing, whatever a name is" { odd bash; }

@test "zsh runs nothing, whatever a name is" { odd zsh; }

@test "fish runs nothing, whatever a name is" { odd fish; }

# A tab as it is typed. What fish puts behind a word is its own affair.
@test "bash and zsh end a word, unless a value or more of the path can follow at once" {
	touch 'with:one' 'with@two'
	for shell in bash zsh; do
		prepare "$shell"
		while IFS='|' read -r line becomes; do
			lines+=("$line"$'\t') wanted+=("$becomes")
		done <<'EOS'
pai-exec --ba|pai-exec --backend=
pai-exec --backend=gv|pai-exec --backend=gvisor .
pai-exec --cell|pai-exec --cell .
pai-exec -o su|pai-exec -o sub/
pai-exec my|pai-exec my\ dir/
pai-exec jo|pai-exec job.py .
pai-exec -i with:|pai-exec -i with:one .
pai-exec --input=with:|pai-exec --input=with:one .
pai-exec with@|pai-exec with@two .
pai-session sh|pai-session show .
EOS
		"$PAI_SOURCE/t/tab" "$shell" "${lines[@]}" | diff - <(printf '%s\n' "${wanted[@]%.}")
		lines=() wanted=()
	done
}
