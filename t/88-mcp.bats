# SPDX-License-Identifier: Apache-2.0
# bats file_tags=sandbox
# The tools for agents, from the SDK's own client.

load helper

@test "an agent's client runs programs and sessions, and has files in and out" {
	local python
	python=$(command -v python3)
	"${as_user[@]}" "$python" -c 'import mcp.server.mcpserver, os, sys; os.execl(sys.executable, "python3", "-c", "0")' 2>/dev/null ||
		skip 'the Python package mcp, version 2, is missing'
	PATH=$PAI_BUILD:$PATH timeout 120 "${as_user[@]}" "$python" "$PAI_SOURCE/t/mcp/client.py" \
		"$PAI_SOURCE/deploy/mcp/pai-exec-mcp" ${PAI_IMAGE:+--image="$PAI_IMAGE"}
}
