/* SPDX-License-Identifier: Apache-2.0 */
/* report - what the start hook has to tell of the program beside its streams: results,
 * an uncaught exception; see guest.h
 *
 * It tells by datagrams, each with the token of this run, to an address, over a socket
 * that it makes for the moment: so there is no descriptor that a program could write
 * to, close or hand on by chance. What does not have the token, or comes out of order,
 * was never said: a program that plays with this harms its own results alone.
 */
#include "guest/guest.h"

#include "base/fd.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>

#define NAME "pai-results"	/* in the abstract name space */
#define HEAD (REPORT_TOKEN + 1u)	/* bytes before a frame's body: the token, its kind */
#define AT_ONCE 64		/* datagrams, so that the loop sees the rest */

static int listen_for(struct report *r, struct err *e)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };

	memcpy(addr.sun_path + 1, NAME, sizeof(NAME) - 1);
	r->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (r->fd < 0 || bind(r->fd, (struct sockaddr *)&addr,
			      (socklen_t)(offsetof(struct sockaddr_un, sun_path) + sizeof(NAME))) < 0)
		return err_sys(e, ERR_HOST, "listen for results");
	return 0;
}

/* A session's address stays: nobody else can have it between two turns. */
int report_open(struct guest *g, struct err *e)
{
	uint8_t random[REPORT_TOKEN / 2];
	const int fd = g->report.fd;

	g->report = (struct report){ .fd = fd };
	if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
		return err_sys(e, ERR_HOST, "random bytes");
	str_hex(g->report.token, random, sizeof(random));
	return fd < 0 ? listen_for(&g->report, e) : 0;
}

static bool fits_note(struct report *r, const uint8_t *body, size_t n)
{
	if (n < 2 || body[0] >= MSG_NOTES || body[0] < r->note)
		return false;
	if (body[0] != r->note)
		r->bytes_noted = 0;
	r->note = body[0];
	if (n - 1 > MSG_NOTE_MAX - r->bytes_noted)
		return false;
	r->bytes_noted += (uint32_t)(n - 1);
	return true;
}

static bool fits_result(struct report *r, const uint8_t *body, size_t n)
{
	uint8_t what = body[0];

	if (what == MSG_RESULT_BEGIN) {
		r->open = n == 2 && body[1] <= 1;
		r->key = what;
		return r->open;
	}
	if (!r->open || what < r->key || what > MSG_RESULT_END || (what == r->key && n == 1))
		return false;
	if (what == MSG_RESULT_END) {
		r->open = false;
		return n == 1;
	}
	if (what != r->key)
		r->bytes = 0;
	r->key = what;
	if (n - 1 > MSG_RESULT_MAX - r->bytes)
		return false;
	r->bytes += (uint32_t)(n - 1);
	return true;
}

/* A datagram, and in *FD the descriptor that came with it, if that was one and nothing
 * more (else -1). All others are closed: who has sent them is the program. */
static ssize_t take(int from, uint8_t *said, size_t size, int *fd)
{
	union {
		char room[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec io = { said, size };
	struct msghdr h = { .msg_iov = &io, .msg_iovlen = 1, .msg_control = control.room,
			    .msg_controllen = sizeof(control.room) };
	ssize_t n = recvmsg(from, &h, MSG_CMSG_CLOEXEC);
	bool one = true;

	*fd = -1;
	for (struct cmsghdr *c = n < 0 ? NULL : CMSG_FIRSTHDR(&h); c; c = CMSG_NXTHDR(&h, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t at = CMSG_LEN(0); at + sizeof(int) <= c->cmsg_len; at += sizeof(int)) {
			one = *fd < 0;
			fd_closep(fd);
			memcpy(fd, (uint8_t *)c + at, sizeof(int));
		}
	}
	if (!one || (n >= 0 && h.msg_flags & (MSG_CTRUNC | MSG_TRUNC)))
		fd_closep(fd);
	return n >= 0 && h.msg_flags & MSG_TRUNC ? 0 : n;
}

int report_step(struct guest *g, struct err *e)
{
	uint8_t said[HEAD + 1 + MSG_RESULT_CHUNK];
	struct report *r = &g->report;

	for (int i = 0; i < AT_ONCE; i++) {
		AUTO_FD fd = -1;
		ssize_t n = take(r->fd, said, sizeof(said), &fd);

		if (n < 0)
			return errno == EAGAIN || errno == EINTR ? 0 : err_sys(e, ERR_HOST, "hear of results");
		if (n <= (ssize_t)HEAD || !g->started || memcmp(said, r->token, REPORT_TOKEN))
			continue;
		const uint8_t kind = said[REPORT_TOKEN], *body = said + HEAD;
		size_t len = (size_t)n - HEAD;
		if (kind == MSG_ENDED)
			kernel_over(g, body, len, &fd);
		if (!(g->run.flags & MSG_REPORT))
			continue;
		if ((kind == MSG_NOTE && fits_note(r, body, len)) || (kind == MSG_RESULT && fits_result(r, body, len)))
			if (guest_send(g, kind, body, len, e) < 0)
				return -1;
	}
	return 1;
}

int report_drain(struct guest *g, struct err *e)
{
	int rc = 0;

	while (g->report.fd >= 0 && (rc = report_step(g, e)) > 0)
		;
	return rc;
}

int report_end(struct guest *g, struct err *e)
{
	int rc = report_drain(g, e);	/* nobody is left who could say more */

	fd_closep(&g->report.fd);
	return rc;
}
