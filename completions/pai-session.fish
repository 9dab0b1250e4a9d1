# SPDX-License-Identifier: Apache-2.0
# fish completion for pai-session. Made by completions/generate from its tables: change that.

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
function __pai_session_at
    set -l places $argv
    set -l words (commandline -opc)
    argparse json session-dir= lock-wait= o/output= older= dry-run help version -- $words[2..] '' 2>/dev/null
    test "$argv[-1]" = ''; and set -e argv[-1]
    set -l n (count $argv)
    test $n -gt 2; and set n 2
    for place in $places
        string match -q -- $place "$argv[1]:$n"; and return
    end
    return 1
end

complete -c pai-session -f
complete -c pai-session -n '__pai_session_at :0' -a list -d 'all sessions, their size and last use'
complete -c pai-session -n '__pai_session_at :0' -a show -d 'what it is, its turns and files'
complete -c pai-session -n '__pai_session_at :0' -a log -d 'a line for each turn'
complete -c pai-session -n '__pai_session_at :0' -a fork -d 'a new session that starts where NAME is'
complete -c pai-session -n '__pai_session_at :0' -a rewind -d 'back to TURN (the one before the last)'
complete -c pai-session -n '__pai_session_at :0' -a rm -d 'remove sessions'
complete -c pai-session -n '__pai_session_at :0' -a prune -d 'remove what was not used for TIME'
complete -c pai-session -n '__pai_session_at :0' -a put -d 'files for the next turn (-:NAME: stdin)'
complete -c pai-session -n '__pai_session_at :0' -a get -d 'files of /workspace, into the current folder'
complete -c pai-session -n "__pai_session_at 'show:1'" -a '(__pai_sessions)'
complete -c pai-session -n "__pai_session_at 'log:1'" -a '(__pai_sessions)'
complete -c pai-session -n "__pai_session_at 'fork:1'" -a '(__pai_sessions)'
complete -c pai-session -n "__pai_session_at 'rewind:1'" -a '(__pai_sessions)'
complete -c pai-session -n "__pai_session_at 'rm:*'" -a '(__pai_sessions)'
complete -c pai-session -n "__pai_session_at 'put:1'" -a '(__pai_sessions)'
complete -c pai-session -n "__pai_session_at 'put:2'" -F
complete -c pai-session -n "__pai_session_at 'get:1'" -a '(__pai_sessions)'
complete -c pai-session -l json -d 'say it as JSON'
complete -c pai-session -l session-dir -x -a '(__pai_folders)' -d 'where sessions lie (the user\'s state folder)'
complete -c pai-session -l lock-wait -x -d 'wait for a session in use (60s)'
complete -c pai-session -n "__pai_session_at 'get:*'" -l output -s o -r -F -d 'a folder, a file, or -: standard output'
complete -c pai-session -n "__pai_session_at 'prune:*'" -l older -x -d 'not used for so long (30d, 12h)'
complete -c pai-session -n "__pai_session_at 'prune:*'" -l dry-run -d 'only tell which'
complete -c pai-session -l help -d 'show this help'
complete -c pai-session -l version -d 'show the version'
