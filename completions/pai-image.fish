# SPDX-License-Identifier: Apache-2.0
# fish completion for pai-image. Made by completions/generate-image from its tables: change that.

function __pai_image_names
	set -l data ~/.local/share
	test -n "$XDG_DATA_HOME"; and set data $XDG_DATA_HOME
	for f in $data/pai/images/*/image.json /var/lib/pai/images/*/image.json
		basename (dirname $f)
	end
end

complete -c pai-image -f
complete -c pai-image -n __fish_use_subcommand -a build -d 'make an image, with more packages'
complete -c pai-image -n __fish_use_subcommand -a list -d 'all images, their size and templates'
complete -c pai-image -n __fish_use_subcommand -a verify -d 'read and hash them (all): 1 if not in order'
complete -c pai-image -n __fish_use_subcommand -a warm -d 'make templates (root: for all users)'
complete -c pai-image -n __fish_use_subcommand -a gc -d 'remove templates that nothing uses'
complete -c pai-image -n __fish_use_subcommand -a df -d 'what images and templates take'
complete -c pai-image -n '__fish_seen_subcommand_from verify warm' -a '(__pai_image_names)'
complete -c pai-image -l name -x -a '(__pai_image_names)' -d 'of the new image (default)'
complete -c pai-image -l include -x -d 'Debian packages to add (repeatable)'
complete -c pai-image -l requirements -r -F -d 'Python packages to add, for pip'
complete -c pai-image -l wheels -x -a '(__fish_complete_directories)' -d 'add them from this folder only'
complete -c pai-image -l cpus -x -d 'templates for runs with so many CPUs (1)'
complete -c pai-image -l json -d 'say it as JSON'
complete -c pai-image -l quiet -s q -d 'no progress'
complete -c pai-image -l help -d 'show this help'
complete -c pai-image -l version -d 'show the version'
