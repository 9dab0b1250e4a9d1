/* SPDX-License-Identifier: Apache-2.0 */
/* fake-runsc - a runsc with the fault FAULT, for what the real one won't do on
 * demand. As the container's, its descriptor 0 is the control channel. */
#include "wire/msg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HANG, CRASH, GARBAGE, FLAG, SILENT, MID_FRAME, LIAR, HUGE_FRAME, EARLY_END, SHORT_FILE,
       LOST_FILE };

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

/* A file of 512 bytes, of which N come. */
static void send_file(size_t n)
{
	static const uint8_t content[512] = "content";
	const struct msg_file file = { .size = sizeof(content), .mode = 0644, .path = "f", .target = "" };
	const struct msg_ended ended = { 0 };
	uint8_t body[256];
	struct err e;

	frame(MSG_STARTED, 0, "", 0);
	ssize_t len = msg_put_ended(&ended, body, sizeof(body), &e);
	frame(MSG_ENDED, (uint32_t)len, body, (size_t)len);
	len = msg_put_file(&file, body, sizeof(body), &e);
	frame(MSG_FILE, (uint32_t)len, body, (size_t)len);
	frame(MSG_DATA, (uint32_t)n, content, n);
	frame(MSG_END, 0, "", 0);
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
	if (fault == SHORT_FILE || fault == LOST_FILE)
		send_file(fault == LOST_FILE ? 512 : 500);
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
