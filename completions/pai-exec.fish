# SPDX-License-Identifier: Apache-2.0
# fish completion for pai-exec. Made by completions/generate from its tables: change that.

function __pai_folders
    set -l word (commandline -ct)
    __fish_complete_directories (string replace -r -- '^--[^=]*=' '' "$word")
end

function __pai_images
    string match -q '*/*' -- (commandline -ct); and __pai_folders
    pai-image list 2>/dev/null | sed -nE 's/^([A-Za-z0-9._-]+) +[0-9]+ .*/\1/p'
end

function __pai_sessions
    set -l words (commandline -opc)
    set -l dir (string match -r -- '^--session-dir=\K.*' $words)[-1]
    set -l i (contains -i -- --session-dir $words); and set dir $words[(math $i + 1)]
    string match -q '~/*' -- $dir; and set dir $HOME/(string sub -s 3 -- $dir)
    pai-session --session-dir=$dir list 2>/dev/null | sed -nE 's/^([A-Za-z0-9._-]+) +[0-9]+ .*/\1/p'
end

# True where the word is at one of these places; an option may wait for it there.
function __pai_exec_at
    set -l places $argv
    set -l words (commandline -opc)
    argparse -s c/code= m/module= l/language= cell script p/print-last n/no-stdin b/backend= t/timeout= k/kill-after= cpu-time= cpus= memory= pids= disk= i/input= o/output-dir= include= exclude= no-clobber manifest= max-files= max-output= e/env= s/session= session-dir= context= lock-wait= keep-turns= json format= max-stdout= max-stderr= raw-terminal color= status-fd= usage'=?' check config= image= fresh q/quiet v/verbose help version -- $words[2..] '' 2>/dev/null
    test "$argv[-1]" = ''; and set -e argv[-1]
    set -l n (count $argv)
    test $n -gt 2; and set n 2
    for place in $places
        string match -q -- $place "$argv[1]:$n"; and return
    end
    return 1
end

complete -c pai-exec -n "__pai_exec_at '*:*'" -F
complete -c pai-exec -n "__pai_exec_at :0" -l code -s c -x -d 'run this program text'
complete -c pai-exec -n "__pai_exec_at :0" -l module -s m -x -d 'run a Python module as a program'
complete -c pai-exec -n "__pai_exec_at :0" -l language -s l -x -a 'python shell' -d 'python or shell (by FILE\'s suffix or #!)'
complete -c pai-exec -n "__pai_exec_at :0" -l cell -d 'run it as a cell of a notebook (-c with --json)'
complete -c pai-exec -n "__pai_exec_at :0" -l script -d 'run it as python3 does (all else)'
complete -c pai-exec -n "__pai_exec_at :0" -l print-last -s p -d 'print the last expression\'s value'
complete -c pai-exec -n "__pai_exec_at :0" -l no-stdin -s n -d 'give the program no standard input'
complete -c pai-exec -n "__pai_exec_at :0" -l backend -s b -x -a 'auto firecracker gvisor off' -d 'auto, firecracker, gvisor or off (auto)'
complete -c pai-exec -n "__pai_exec_at :0" -l timeout -s t -x -d 'end the program after TIME (60s)'
complete -c pai-exec -n "__pai_exec_at :0" -l kill-after -s k -x -d 'from interrupt to kill (0.5s)'
complete -c pai-exec -n "__pai_exec_at :0" -l cpu-time -x -d 'end the program after TIME of CPU time (none)'
complete -c pai-exec -n "__pai_exec_at :0" -l cpus -x -d 'CPUs of the sandbox (1)'
complete -c pai-exec -n "__pai_exec_at :0" -l memory -x -d 'memory, files included (1G)'
complete -c pai-exec -n "__pai_exec_at :0" -l pids -x -d 'processes and threads (256)'
complete -c pai-exec -n "__pai_exec_at :0" -l disk -x -d 'files (512M, at most half of memory)'
complete -c pai-exec -n "__pai_exec_at :0" -l input -s i -r -F -d 'copy a file or folder (-: a tar) into /workspace'
complete -c pai-exec -n "__pai_exec_at :0" -l output-dir -s o -x -a '(__pai_folders)' -d 'keep what the program makes (-: as a tar)'
complete -c pai-exec -n "__pai_exec_at :0" -l include -x -d 'keep only what matches'
complete -c pai-exec -n "__pai_exec_at :0" -l exclude -x -d 'keep nothing that matches'
complete -c pai-exec -n "__pai_exec_at :0" -l no-clobber -d 'replace no file in DIR'
complete -c pai-exec -n "__pai_exec_at :0" -l manifest -r -F -d 'list what was kept, for sha256sum -c'
complete -c pai-exec -n "__pai_exec_at :0" -l max-files -x -d 'keep at most N files and folders (1000)'
complete -c pai-exec -n "__pai_exec_at :0" -l max-output -x -d 'keep at most SIZE bytes of files (512M)'
complete -c pai-exec -n "__pai_exec_at :0" -l env -s e -x -a '(set -nx)' -d 'set a variable for the program'
complete -c pai-exec -n "__pai_exec_at :0" -l session -s s -x -a '(__pai_sessions)' -d 'run the next cell of a saved session'
complete -c pai-exec -n "__pai_exec_at :0" -l session-dir -x -a '(__pai_folders)' -d 'where sessions lie (the user\'s state folder)'
complete -c pai-exec -n "__pai_exec_at :0" -l context -x -d 'which of the session\'s kernels (main)'
complete -c pai-exec -n "__pai_exec_at :0" -l lock-wait -x -d 'wait for a session in use (60s)'
complete -c pai-exec -n "__pai_exec_at :0" -l keep-turns -x -d 'turns that pai-session rewind can reach (2)'
complete -c pai-exec -n "__pai_exec_at :0" -l json -d 'as --format=json'
complete -c pai-exec -n "__pai_exec_at :0" -l format -x -a 'text json ndjson' -d 'text, json (one object) or ndjson (live) (text)'
complete -c pai-exec -n "__pai_exec_at :0" -l max-stdout -x -d 'cut standard output there (none; json 10M)'
complete -c pai-exec -n "__pai_exec_at :0" -l max-stderr -x -d 'cut standard error there (none; json 10M)'
complete -c pai-exec -n "__pai_exec_at :0" -l raw-terminal -d 'let all control sequences reach the terminal'
complete -c pai-exec -n "__pai_exec_at :0" -l color -x -a 'auto always never' -d 'auto, always, never: colours of the program'
complete -c pai-exec -n "__pai_exec_at :0" -l status-fd -x -d 'write a line of status to this descriptor'
complete -c pai-exec -n "__pai_exec_at :0" -l usage -F -d 'write a line of time, memory and bytes'
complete -c pai-exec -n "__pai_exec_at :0" -l check -d 'tell what this host can do, and why not the rest'
complete -c pai-exec -n "__pai_exec_at :0" -l config -r -F -d 'read FILE after the other configuration'
complete -c pai-exec -n "__pai_exec_at :0" -l image -x -a '(__pai_images)' -d 'use another guest image'
complete -c pai-exec -n "__pai_exec_at :0" -l fresh -d 'start cold: use and leave no template'
complete -c pai-exec -n "__pai_exec_at :0" -l quiet -s q -d 'no notes and warnings, only errors'
complete -c pai-exec -n "__pai_exec_at :0" -l verbose -s v -d 'say what is done'
complete -c pai-exec -n "__pai_exec_at :0" -l help -d 'show this help'
complete -c pai-exec -n "__pai_exec_at :0" -l version -d 'show the version'
