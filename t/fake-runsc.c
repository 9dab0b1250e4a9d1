/* SPDX-License-Identifier: Apache-2.0 */
/* fake-runsc - a runsc with the fault FAULT, for what the real one won't do on
 * demand. As the container's, its descriptor 0 is the control channel. */
#include "wire/msg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HANG, CRASH, GARBAGE, FLAG, SILENT, MID_FRAME, LIAR, HUGE_FRAME, EARLY_END };

/* The head of a frame of N bytes, and HAVE of them. */
static void frame(enum msg_kind kind, uint32_t n, const void *body, size_t have)
{
	uint8_t head[FRAME_HEAD];

	frame_head(head, (uint8_t)kind, n);
	if (write(0, head, sizeof(head)) < 0 || (have > 0 && write(0, body, have) < 0))
		_exit(9);
}

static void hello(void)
{
	static const uint8_t version[4] = { MSG_VERSION };
	char rest[4096];

	frame(MSG_HELLO, 4, version, 4);
	/* the host's START is the last of what it sends at once */
	for (ssize_t n = 1; n > 0;) {
		n = read(0, rest, sizeof(rest));
		if (n >= FRAME_HEAD && rest[n - FRAME_HEAD] == MSG_START)
			break;
	}
}

static int act(int fault)
{
	switch (fault) {
	case HANG:
		return pause();
	case CRASH:
		abort();
	case GARBAGE:
		if (write(0, "\xff\xfe not a frame at all", 22) < 0)
			return 9;
		return pause();
	case FLAG:
		fputs("flag provided but not defined: -nvproxy\nUsage: runsc <flags>\n", stderr);
		return 2;
	case SILENT:
		return 0;
	case HUGE_FRAME:
		frame(MSG_HELLO, 0xffffffff, "", 0);
		return pause();
	default:
		break;
	}
	hello();
	if (fault == MID_FRAME)
		return write(0, "\x42\x10", 2) < 0;
	if (fault == LIAR)
		frame(MSG_DONE, 0, "", 0);
	if (fault == EARLY_END)
		frame(MSG_STARTED, 0, "", 0);
	return fault == LIAR ? pause() : 0;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--version"))
			continue;
		if (FAULT == HANG)
			return pause();
		puts(FAULT == GARBAGE ? "\x1b[2J\xff nonsense" : "runsc version fake");
		return 0;
	}
	return act(FAULT);
}
