# SPDX-License-Identifier: Apache-2.0
# bats file_tags=sandbox
# The tools for agents, from the SDK's own client.

load helper

has_sdk() {
	python=$(command -v python3)
	"${as_user[@]}" "$python" -c 'import mcp.server.mcpserver, os, sys; os.execl(sys.executable, "python3", "-c", "0")' 2>/dev/null ||
		skip 'the Python package mcp, version 2, is missing'
}

@test "an agent's client runs programs and sessions, and has files in and out" {
	has_sdk
	PATH=$PAI_BUILD:$PATH timeout 120 "${as_user[@]}" "$python" "$PAI_SOURCE/t/mcp/client.py" \
		"$PAI_SOURCE/deploy/mcp/pai-exec-mcp" ${PAI_IMAGE:+--image="$PAI_IMAGE"}
}

@test "the sample of its README for clients starts it, with the folders that it names" {
	has_sdk
	mkdir data made
	sed -n 's/^    //p' "$PAI_SOURCE/deploy/mcp/README.md" | sed '1,/^{"mcpServers"/{/^{"mcpServers"/!d;}' |
		sed "s|/home/me/.local/share/pai-exec-mcp/bin/python|$python|; s|/opt/pai-exec|$PAI_SOURCE|; s|/home/me|$work|g" >sample
	[ "$(jq -c '.mcpServers | keys' sample)" = '["pai-exec"]' ]
	mapfile -t words < <(jq -r '.mcpServers[] | .command, .args[]' sample)
	[ "${#words[@]}" = 4 ]
	# what a client says first; the server ends with its input
	echo '{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18",
		"capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}}' | tr -d '\n\t' >hello
	echo >>hello
	PATH=$PAI_BUILD:$PATH timeout 60 "${as_user[@]}" "${words[@]}" <hello >said
	jq -e '.id == 1 and .result.serverInfo.name == "pai-exec"' said
}

@test "a number that is none, and a folder that is not there, are refused in a line" {
	has_sdk
	refused() {
		PATH=$PAI_BUILD:$PATH run -2 --separate-stderr timeout 60 "${as_user[@]}" "$python" "$PAI_SOURCE/deploy/mcp/pai-exec-mcp" "$1" </dev/null
		[ -z "$output" ]
		[ "${stderr_lines[-1]}" = "pai-exec-mcp: error: argument ${1%%=*}: $2" ]
	}
	for option in --jobs --timeout --max-text; do
		refused "$option=0" "'0' is less than 1"
	done
	for option in --inputs --outputs; do
		refused "$option=$work/none" "'$work/none' is no folder"
	done
}
