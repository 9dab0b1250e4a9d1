/* SPDX-License-Identifier: Apache-2.0 */
/* stream - one raw stream of the program on its way to the caller.
 *
 * From a pipe (not blocking, ours) to one of: the caller's descriptor as it is
 * (spliced where the kernel can, else small writes after POLLOUT, for its
 * O_NONBLOCK is not ours to set), through the terminal's filter, a buffer with
 * a ceiling (JSON), a buffer that someone empties after each step (LINES), or nowhere. Nothing is held without a bound: a reader that
 * waits makes the program wait.
 */
#ifndef PAI_OUT_STREAM_H
#define PAI_OUT_STREAM_H

#include "base/err.h"
#include "base/str.h"
#include "out/term.h"

#include <poll.h>
#include <stdbool.h>

#define STREAM_CHUNK (64u << 10)	/* bytes read at once where they pass through us */
#define STREAM_UNCOUNTED UINT64_MAX

enum stream_kind { STREAM_SPLICE, STREAM_WRITE, STREAM_TERMINAL, STREAM_CAPTURE, STREAM_LINES, STREAM_DROP };

enum stream_state {
	STREAM_EMPTY,		/* waits for the program */
	STREAM_BLOCKED,		/* waits for the reader */
	STREAM_CLOSED,		/* the program's side is at its end, all is delivered */
	STREAM_GONE,		/* the reader went away (EPIPE) */
	STREAM_FAILED,		/* the caller's side failed: stream_step set *e */
};

struct stream {
	const char *name;	/* for messages */
	int from, to;		/* -1: none */
	enum stream_kind kind;
	enum stream_state state;
	uint64_t bytes;		/* that the program wrote, as far as we read them */
	struct buf held;	/* read, not yet written from at on; or the capture */
	size_t at;
	bool last;		/* the program is gone: */
	uint64_t want;		/* so many bytes it wrote in all */
	bool ended;		/* and it has been read */
	bool is_file;		/* to is a regular file: it never makes us wait */
	uint64_t max;		/* bytes that are passed on; the rest is read and dropped */
	uint64_t room;		/* of them left */
	struct term term;
};

/* TO is the caller's and stays open; its kind is found out, but CAPTURE, LINES and DROP
 * are said, and TERMINAL or WRITE is what happens to a terminal. MAX bytes are passed on. */
void stream_init(struct stream *s, const char *name, int to, enum stream_kind want, uint64_t max);
/* FROM is taken over and made non-blocking. */
int stream_open(struct stream *s, int from, struct err *e);
/* Bytes that wait in its pipe. */
unsigned stream_waiting(const struct stream *s);
/* The program is gone, and wrote WANT bytes in all (STREAM_UNCOUNTED: what is in
 * the pipe now is the rest). Whatever else comes is not looked at. */
void stream_last(struct stream *s, uint64_t want);
/* False if its end came before the bytes that stream_last() said. */
bool stream_is_whole(const struct stream *s);
/* What to poll for in this state; fd -1: nothing. */
struct pollfd stream_poll(const struct stream *s);
/* Moves what can be moved without waiting, at most about a pipe's worth. */
enum stream_state stream_step(struct stream *s, struct err *e);
/* Instead of a program's pipe: N bytes to be written next, while no more than MAX
 * wait. With DATA NULL nothing follows. */
int stream_push(struct stream *s, const void *data, size_t n, size_t max, struct err *e);
/* Whatever still comes is dropped, so that nobody waits for a reader that left. */
void stream_drop(struct stream *s);
void stream_free(struct stream *s);

#endif
