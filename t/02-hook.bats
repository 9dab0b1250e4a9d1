# SPDX-License-Identifier: Apache-2.0
# The start hook by itself, under this host's python3: no sandbox.

setup() {
	PAI_SOURCE=${PAI_SOURCE:-$(cd "$BATS_TEST_DIRNAME/.." && pwd)}
	export PYTHONPATH=$PAI_SOURCE/deploy/image PYTHONDONTWRITEBYTECODE=1
	cat >"$BATS_TEST_TMPDIR/drive.py" <<-'P'
		import os, runpy, socket, sys
		ours, theirs = socket.socketpair()
		hook = runpy.run_path(sys.argv[1])
		if sys.argv[2] == "broken":
		    hook["start"].__globals__["differ"] = lambda: 1 / 0
		if os.fork() == 0:
		    ours.close()
		    os.dup2(theirs.fileno(), 3)
		    theirs.close()
		    hook["start"]("random")  # without a program to run it fails then
		theirs.close()
		said = ours.recv(1)
		ours.send(b"W")
		said += ours.recv(1)
		print(said.decode())
		ours.close()
		os.wait()
	P
}

@test "a clone that cannot draw new random numbers says so, and runs nothing" {
	[ "$(timeout 10 python3 "$BATS_TEST_TMPDIR/drive.py" "$PAI_SOURCE/deploy/image/sitecustomize.py" broken)" = RF ]
	# it goes on, and ends at once: there is no program for it
	[ "$(timeout 10 python3 "$BATS_TEST_TMPDIR/drive.py" "$PAI_SOURCE/deploy/image/sitecustomize.py" whole 2>/dev/null)" = RD ]
}
