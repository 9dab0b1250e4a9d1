# SPDX-License-Identifier: Apache-2.0
# fish completion for pai-exec. Made by completions/generate from the option table: change that.

function __pai_exec_sessions
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

function __pai_exec_images
	set -l data ~/.local/share
	test -n "$XDG_DATA_HOME"; and set data $XDG_DATA_HOME
	for f in $data/pai/images/*/image.json /var/lib/pai/images/*/image.json
		basename (dirname $f)
	end
end

complete -c pai-exec -l code -s c -x -d 'run this program text'
complete -c pai-exec -l module -s m -x -d 'run a Python module as a program'
complete -c pai-exec -l language -s l -x -a 'python shell' -d 'python or shell (by FILE\'s suffix or #!)'
complete -c pai-exec -l cell -d 'run it as a cell of a notebook (-c with --json)'
complete -c pai-exec -l script -d 'run it as python3 does (all else)'
complete -c pai-exec -l print-last -s p -d 'print the last expression\'s value'
complete -c pai-exec -l no-stdin -s n -d 'give the program no standard input'
complete -c pai-exec -l backend -s b -x -a 'auto firecracker gvisor off' -d 'auto, firecracker, gvisor or off (auto)'
complete -c pai-exec -l timeout -s t -x -d 'end the program after TIME (60s)'
complete -c pai-exec -l kill-after -s k -x -d 'from interrupt to kill (0.5s)'
complete -c pai-exec -l cpu-time -x -d 'end the program after TIME of CPU time (none)'
complete -c pai-exec -l cpus -x -d 'CPUs of the sandbox (1)'
complete -c pai-exec -l memory -x -d 'memory, files included (1G)'
complete -c pai-exec -l pids -x -d 'processes and threads (256)'
complete -c pai-exec -l disk -x -d 'files (512M, at most half of memory)'
complete -c pai-exec -l input -s i -r -d 'copy a file or folder (-: a tar) into /workspace'
complete -c pai-exec -l output-dir -s o -x -a '(__fish_complete_directories)' -d 'keep what the program makes (-: as a tar)'
complete -c pai-exec -l include -x -d 'keep only what matches'
complete -c pai-exec -l exclude -x -d 'keep nothing that matches'
complete -c pai-exec -l no-clobber -d 'replace no file in DIR'
complete -c pai-exec -l manifest -r -d 'list what was kept, for sha256sum -c'
complete -c pai-exec -l max-files -x -d 'keep at most N files and folders (1000)'
complete -c pai-exec -l max-output -x -d 'keep at most SIZE bytes of files (512M)'
complete -c pai-exec -l env -s e -x -d 'set a variable for the program'
complete -c pai-exec -l session -s s -x -a '(__pai_exec_sessions)' -d 'run the next cell of a saved session'
complete -c pai-exec -l session-dir -x -a '(__fish_complete_directories)' -d 'where sessions lie (the user\'s state folder)'
complete -c pai-exec -l context -x -d 'which of the session\'s kernels (main)'
complete -c pai-exec -l lock-wait -x -d 'wait for a session in use (60s)'
complete -c pai-exec -l keep-turns -x -d 'turns that pai-session rewind can reach (2)'
complete -c pai-exec -l json -d 'as --format=json'
complete -c pai-exec -l format -x -a 'text json ndjson' -d 'text, json (one object) or ndjson (live) (text)'
complete -c pai-exec -l max-stdout -x -d 'cut standard output there (none; json 10M)'
complete -c pai-exec -l max-stderr -x -d 'cut standard error there (none; json 10M)'
complete -c pai-exec -l raw-terminal -d 'let all control sequences reach the terminal'
complete -c pai-exec -l color -x -d 'auto, always, never: colours of the program'
complete -c pai-exec -l status-fd -x -d 'write a line of status to this descriptor'
complete -c pai-exec -l usage -r -d 'write a line of time, memory and bytes'
complete -c pai-exec -l check -d 'tell what this host can do, and why not the rest'
complete -c pai-exec -l config -r -d 'read FILE after the other configuration'
complete -c pai-exec -l image -x -a '(__pai_exec_images)' -d 'use another guest image'
complete -c pai-exec -l fresh -d 'start cold: use and leave no template'
complete -c pai-exec -l quiet -s q -d 'no notes and warnings, only errors'
complete -c pai-exec -l verbose -s v -d 'say what is done'
complete -c pai-exec -l help -d 'show this help'
complete -c pai-exec -l version -d 'show the version'
