# SPDX-License-Identifier: Apache-2.0
# fish completion for pai-session. Made by completions/generate-session from its tables: change that.

function __pai_session_names
	set -l dir $XDG_STATE_HOME/pai/sessions
	test -n "$XDG_STATE_HOME"; or set dir ~/.local/state/pai/sessions
	test -z "$PAI_DEFAULTS_SESSION_DIR"; or set dir $PAI_DEFAULTS_SESSION_DIR
	set -l words (commandline -opc)
	for i in (seq (count $words))
		string match -q -- '--session-dir=*' $words[$i]; and set dir (string replace -- --session-dir= '' $words[$i])
		test $words[$i] = --session-dir; and set dir $words[(math $i + 1)]
	end
	for d in $dir/*/
		basename $d
	end
end

complete -c pai-session -f
complete -c pai-session -n __fish_use_subcommand -a list -d 'all sessions, their size and last use'
complete -c pai-session -n __fish_use_subcommand -a show -d 'what it is, its turns and files'
complete -c pai-session -n __fish_use_subcommand -a log -d 'a line for each turn'
complete -c pai-session -n __fish_use_subcommand -a fork -d 'a new session that starts where NAME is'
complete -c pai-session -n __fish_use_subcommand -a rewind -d 'back to TURN (the one before the last)'
complete -c pai-session -n __fish_use_subcommand -a rm -d 'remove sessions'
complete -c pai-session -n __fish_use_subcommand -a prune -d 'remove what was not used for TIME'
complete -c pai-session -n __fish_use_subcommand -a put -d 'files for the next turn (-:NAME: stdin)'
complete -c pai-session -n __fish_use_subcommand -a get -d 'files of /workspace, into the current folder'
complete -c pai-session -n '__fish_seen_subcommand_from show log fork rewind rm put get' -a '(__pai_session_names)'
complete -c pai-session -n '__fish_seen_subcommand_from put' -F
complete -c pai-session -l json -d 'say it as JSON'
complete -c pai-session -l session-dir -x -a '(__fish_complete_directories)' -d 'where sessions lie (the user\'s state folder)'
complete -c pai-session -l lock-wait -x -d 'wait for a session in use (60s)'
complete -c pai-session -l output -s o -r -F -d 'a folder, a file, or -: standard output'
complete -c pai-session -l older -x -d 'not used for so long (30d, 12h)'
complete -c pai-session -l dry-run -d 'only tell which'
complete -c pai-session -l help -d 'show this help'
complete -c pai-session -l version -d 'show the version'
