# SPDX-License-Identifier: Apache-2.0
# fish completion for pai-image. Made by completions/generate from its tables: change that.

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
function __pai_image_at
    set -l places $argv
    set -l words (commandline -opc)
    argparse name= include= requirements= wheels= cpus= json q/quiet help version -- $words[2..] '' 2>/dev/null
    test "$argv[-1]" = ''; and set -e argv[-1]
    set -l n (count $argv)
    test $n -gt 2; and set n 2
    for place in $places
        string match -q -- $place "$argv[1]:$n"; and return
    end
    return 1
end

complete -c pai-image -f
complete -c pai-image -n '__pai_image_at :0' -a build -d 'make an image, with more packages'
complete -c pai-image -n '__pai_image_at :0' -a list -d 'all images, their size and templates'
complete -c pai-image -n '__pai_image_at :0' -a verify -d 'read and hash them (all): 1 if not in order'
complete -c pai-image -n '__pai_image_at :0' -a warm -d 'make templates (root: for all users)'
complete -c pai-image -n '__pai_image_at :0' -a gc -d 'remove templates that nothing uses'
complete -c pai-image -n '__pai_image_at :0' -a df -d 'what images and templates take'
complete -c pai-image -n "__pai_image_at 'verify:*'" -a '(__pai_images)'
complete -c pai-image -n "__pai_image_at 'warm:*'" -a '(__pai_images)'
complete -c pai-image -n "__pai_image_at 'build:*'" -l name -x -a '(__pai_images)' -d 'of the new image (default)'
complete -c pai-image -n "__pai_image_at 'build:*'" -l include -x -d 'Debian packages to add (repeatable)'
complete -c pai-image -n "__pai_image_at 'build:*'" -l requirements -r -F -d 'Python packages to add, for pip'
complete -c pai-image -n "__pai_image_at 'build:*'" -l wheels -x -a '(__pai_folders)' -d 'add them from this folder only'
complete -c pai-image -n "__pai_image_at 'warm:*'" -l cpus -x -d 'templates for runs with so many CPUs (1)'
complete -c pai-image -n "__pai_image_at 'list:*' 'df:*'" -l json -d 'say it as JSON'
complete -c pai-image -l quiet -s q -d 'no progress'
complete -c pai-image -l help -d 'show this help'
complete -c pai-image -l version -d 'show the version'
