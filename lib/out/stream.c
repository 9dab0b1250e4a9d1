/* SPDX-License-Identifier: Apache-2.0 */
/* stream - see stream.h */
#include "out/stream.h"

#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define STEP_MAX (4u << 20)	/* bytes in one step, so that the loop sees the rest */
#define SPLICE_AT_ONCE (1u << 20)

static void find_kind(struct stream *s, enum stream_kind terminal)
{
	struct stat st;
	int flags = fcntl(s->to, F_GETFL);
	bool known = fstat(s->to, &st) == 0 && flags >= 0;

	s->is_file = known && S_ISREG(st.st_mode);
	s->kind = STREAM_WRITE;
	if (isatty(s->to))
		s->kind = terminal;
	/* splice refuses O_APPEND; a socket could make it wait */
	else if (known && !(flags & O_APPEND) && (S_ISFIFO(st.st_mode) || s->is_file))
		s->kind = STREAM_SPLICE;
}

void stream_init(struct stream *s, const char *name, int to, enum stream_kind want, uint64_t max)
{
	*s = (struct stream){ .name = name, .from = -1, .to = to, .kind = want, .max = max,
			      .room = max };
	if (want < STREAM_CAPTURE)
		find_kind(s, want);
	s->state = STREAM_CLOSED;	/* until there is a program */
}

int stream_open(struct stream *s, int from, struct err *e)
{
	s->from = from;
	s->state = STREAM_EMPTY;
	if (fd_nonblock(from, true) < 0)
		return err_sys(e, ERR_HOST, "set up %s", s->name);
	return 0;
}

unsigned stream_waiting(const struct stream *s)
{
	int waiting = 0;

	return s->from >= 0 && ioctl(s->from, FIONREAD, &waiting) == 0 ? (unsigned)waiting : 0;
}

void stream_last(struct stream *s, uint64_t want)
{
	s->last = true;
	s->want = want == STREAM_UNCOUNTED ? s->bytes + stream_waiting(s) : want;
}

bool stream_is_whole(const struct stream *s)
{
	return s->bytes >= s->want;
}

/* How many of MOST bytes may still come: behind the last ones is FROM's end. */
static size_t to_come(const struct stream *s, size_t most)
{
	if (!s->last)
		return most;
	uint64_t left = s->bytes < s->want ? s->want - s->bytes : 0;
	return left < most ? (size_t)left : most;
}

struct pollfd stream_poll(const struct stream *s)
{
	struct pollfd p = { -1, 0, 0 };

	if (s->state == STREAM_EMPTY)
		p = (struct pollfd){ s->from, POLLIN, 0 };
	else if (s->state == STREAM_BLOCKED)
		p = (struct pollfd){ s->to, POLLOUT, 0 };
	return p;
}

static enum stream_state failed(struct stream *s, struct err *e)
{
	if (errno == EPIPE)
		return STREAM_GONE;
	(void)err_sys(e, ERR_OUTPUT, "write to %s", s->name);
	return STREAM_FAILED;
}

/* Reads into *DST; the state that ends the step, or EMPTY with *GOT > 0. */
static enum stream_state take(struct stream *s, uint8_t *dst, size_t max, size_t *got)
{
	ssize_t n = read(s->from, dst, to_come(s, max));

	*got = 0;
	if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
		return STREAM_CLOSED;	/* a connection that was reset is at its end too */
	if (n > 0) {
		*got = (size_t)n;
		s->bytes += (uint64_t)n;
	}
	return STREAM_EMPTY;
}

/* Of N bytes that came, those that are still passed on. */
static size_t allowed(struct stream *s, size_t n)
{
	size_t pass = n < s->room ? n : (size_t)s->room;

	s->room -= pass;
	return pass;
}

static enum stream_state step_capture(struct stream *s, struct err *e)
{
	size_t most = s->kind == STREAM_LINES ? 1 : STEP_MAX;	/* each chunk is a line */
	uint8_t chunk[STREAM_CHUNK];

	for (size_t moved = 0, n = 1; n > 0 && moved < most; moved += n) {
		enum stream_state st = take(s, chunk, sizeof(chunk), &n);
		size_t pass = s->kind != STREAM_DROP ? allowed(s, n) : 0;

		if (buf_add(&s->held, chunk, pass, SIZE_MAX, e) < 0)
			return STREAM_FAILED;
		if (st == STREAM_CLOSED)
			return st;
	}
	return STREAM_EMPTY;
}

/* Refills s->held from the program, if there is something. */
static int refill(struct stream *s, struct err *e)
{
	uint8_t in[FD_SMALL];
	size_t n;
	bool tty = s->kind == STREAM_TERMINAL;
	size_t room = tty ? TERM_GROWTH * (sizeof(in) + TERM_HOLD) : STREAM_CHUNK;

	s->at = s->held.len = 0;
	if (buf_room(&s->held, room, 2 * (size_t)STREAM_CHUNK, e) < 0)
		return -1;
	s->ended = take(s, tty ? in : s->held.at, tty ? sizeof(in) : STREAM_CHUNK, &n) ==
		   STREAM_CLOSED;
	n = allowed(s, n);
	s->held.len = tty ? term_filter(&s->term, in, n, s->ended || !s->room, s->held.at) : n;
	return 0;
}

static enum stream_state step_write(struct stream *s, struct err *e)
{
	for (size_t moved = 0; moved < STEP_MAX;) {
		struct pollfd p = { s->to, POLLOUT, 0 };
		size_t left = s->held.len - s->at;

		if (left == 0 && (s->ended || s->from < 0))
			return s->ended ? STREAM_CLOSED : STREAM_EMPTY;
		if (left == 0 && !s->room) {
			s->kind = STREAM_DROP;
			return step_capture(s, e);
		}
		if (left == 0) {
			if (refill(s, e) < 0)
				return STREAM_FAILED;
			if (s->held.len == 0)
				return s->ended ? STREAM_CLOSED : STREAM_EMPTY;
			continue;
		}
		if (!s->is_file && left > FD_SMALL)
			left = FD_SMALL;
		if (!s->is_file && poll(&p, 1, 0) == 0)
			return STREAM_BLOCKED;
		ssize_t n = write(s->to, s->held.at + s->at, left);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return STREAM_BLOCKED;
		if (n < 0)
			return failed(s, e);
		s->at += (size_t)n;
		moved += (size_t)n;
	}
	return s->at < s->held.len ? STREAM_BLOCKED : STREAM_EMPTY;
}

static enum stream_state step_splice(struct stream *s, struct err *e)
{
	for (size_t moved = 0; moved < STEP_MAX;) {
		if (!s->room) {
			s->kind = STREAM_DROP;
			return step_capture(s, e);
		}
		size_t most = s->room < SPLICE_AT_ONCE ? (size_t)s->room : SPLICE_AT_ONCE;
		ssize_t n = splice(s->from, NULL, s->to, NULL, to_come(s, most),
				   SPLICE_F_NONBLOCK | SPLICE_F_MOVE);

		if (n == 0)
			return STREAM_CLOSED;
		if (n < 0 && errno == EINVAL) {	/* a file system without, or from a socket */
			s->kind = STREAM_WRITE;
			return step_write(s, e);
		}
		if (n < 0 && errno == EAGAIN)	/* which of the two ends is it? */
			return stream_waiting(s) > 0 ? STREAM_BLOCKED : STREAM_EMPTY;
		if (n < 0 && errno != EINTR)
			return failed(s, e);
		if (n > 0) {
			moved += allowed(s, (size_t)n);
			s->bytes += (uint64_t)n;
		}
	}
	return STREAM_EMPTY;
}

enum stream_state stream_step(struct stream *s, struct err *e)
{
	if (s->state >= STREAM_CLOSED)
		return s->state;
	switch (s->kind) {
	case STREAM_SPLICE:
		s->state = step_splice(s, e);
		break;
	case STREAM_CAPTURE:
	case STREAM_LINES:
	case STREAM_DROP:
		s->state = step_capture(s, e);
		break;
	default:
		s->state = step_write(s, e);
		break;
	}
	return s->state;
}

int stream_push(struct stream *s, const void *data, size_t n, size_t max, struct err *e)
{
	if (s->kind == STREAM_DROP)
		return 0;
	s->kind = STREAM_WRITE;		/* there is no pipe to splice from */
	buf_drop(&s->held, s->at);
	s->at = 0;
	s->ended = !data;
	s->state = STREAM_BLOCKED;
	return data ? buf_add(&s->held, data, n, max, e) : 0;
}

void stream_drop(struct stream *s)
{
	s->kind = STREAM_DROP;
	s->state = s->from < 0 ? STREAM_CLOSED : STREAM_EMPTY;
	s->held.len = s->at = 0;
}

void stream_free(struct stream *s)
{
	fd_closep(&s->from);
	buf_free(&s->held);
}
