/* SPDX-License-Identifier: Apache-2.0 */
/* fake-guest - a runsc that holds a conversation in the guest's place.
 *
 * It is started in a bare root with an empty environment, so what it is to say
 * stands at the end of its own file (t/hostile/converse.py puts it there): steps,
 * their length (4 bytes, little endian) and "talk". A step is a letter, a length
 * (4 bytes), and so many bytes. As the container's, descriptor 0 is the control
 * channel, 1 and 2 are the program's raw streams.
 */
#include "base/fd.h"
#include "wire/msg.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TAIL 8u			/* the length of the steps, "talk" */

static void need(bool good)
{
	if (!good)
		_exit(9);	/* the host has ended the conversation */
}

static uint32_t number(const uint8_t *at)
{
	return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* The steps at the end of our own file. */
static uint8_t *read_steps(size_t *n)
{
	AUTO_FD fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	uint8_t tail[TAIL], *steps;
	struct stat st;

	need(fd >= 0 && fstat(fd, &st) == 0 &&
	     pread(fd, tail, TAIL, st.st_size - (off_t)TAIL) == (ssize_t)TAIL && !memcmp(tail + 4, "talk", 4));
	*n = number(tail);
	steps = malloc(*n + 1);
	need(steps && pread(fd, steps, *n, st.st_size - (off_t)(TAIL + *n)) == (ssize_t)*n);
	return steps;
}

/* Takes the host's frames up to START. */
static void wait_for_start(void)
{
	uint8_t head[FRAME_HEAD] = { 0 }, rest[4096];

	while (head[0] != MSG_START) {
		need(fd_read_all(0, head, sizeof(head)) == (ssize_t)sizeof(head));
		for (size_t left = number(head + 1), n; left > 0; left -= n) {
			n = left < sizeof(rest) ? left : sizeof(rest);
			need(fd_read_all(0, rest, n) == (ssize_t)n);
		}
	}
}

/* Beside the conversation, until the sandbox is taken down. */
static void flood(int fd)
{
	char text[64 << 10];
	pid_t pid = fork();

	need(pid >= 0);
	memset(text, 'x', sizeof(text));
	while (pid == 0)
		need(fd_write_all(fd, text, sizeof(text)) == 0);
}

static void take(char what, const uint8_t *at, size_t n)
{
	switch (what) {
	case 'w':		/* say it */
		need(fd_write_all(0, at, n) == 0);
		break;
	case 'o':		/* as the program's output */
	case 'e':
		need(fd_write_all(what == 'o' ? 1 : 2, at, n) == 0);
		break;
	case 'd':		/* byte by byte */
		for (size_t i = 0; i < n; i++)
			need(fd_write_all(0, at + i, 1) == 0);
		break;
	case 'r':		/* so often: a number in front */
		for (uint32_t i = number(at); i > 0; i--)
			need(fd_write_all(0, at + 4, n - 4) == 0);
		break;
	case 'f':		/* bytes without end on that descriptor */
		flood(at[0]);
		break;
	case 's':
		wait_for_start();
		break;
	case 'c':
		(void)close(0);
		break;
	case 'x':
		_exit(at[0]);
	default:		/* 'p' */
		(void)pause();
		break;
	}
}

int main(int argc, char **argv)
{
	size_t n;

	if (argc == 2 && (!strcmp(argv[1], "--version") || !strcmp(argv[1], "flags"))) {
		puts(argv[1][0] == '-' ? "runsc version fake" : "systrap");
		return 0;
	}
	const uint8_t *steps = read_steps(&n);
	for (size_t at = 0; at + 5 <= n; at += 5 + number(steps + at + 1))
		take((char)steps[at], steps + at + 5, number(steps + at + 1));
	return 0;
}
