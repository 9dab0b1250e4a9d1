/* SPDX-License-Identifier: Apache-2.0 */
/* pump - a stream of the program in a microVM; see guest.h */
#include "guest/guest.h"

#include "base/fd.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define CHUNK (256u << 10)
#define STEP_MAX (4u << 20)	/* bytes in one step, so that the loop sees the rest */

struct pollfd pump_poll(const struct pump *p)
{
	if (p->from >= 0 && p->at < p->len)
		return (struct pollfd){ p->to, POLLOUT, 0 };
	return (struct pollfd){ p->from, POLLIN, 0 };
}

int pump_step(struct pump *p, struct err *e)
{
	if (!p->chunk && !(p->chunk = malloc(CHUNK)))
		return err_sys(e, ERR_HOST, "memory");
	for (size_t moved = 0; moved < STEP_MAX;) {
		ssize_t n;

		if (p->at == p->len) {
			n = read(p->from, p->chunk, CHUNK);
			if (n == 0)	/* no writer is left: never again one */
				fd_closep(&p->from);
			if (n <= 0)
				return 0;
			p->bytes += (uint64_t)n;
			p->at = 0;
			p->len = (size_t)n;
		}
		n = write(p->to, p->chunk + p->at, p->len - p->at);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return 0;
		if (n < 0)		/* the host left: so does this sandbox soon */
			n = (ssize_t)(p->len - p->at);
		p->at += (size_t)n;
		moved += (size_t)n;
	}
	return 0;
}

uint64_t pump_total(const struct pump *p)
{
	int waiting = 0;

	if (p->from < 0 || ioctl(p->from, FIONREAD, &waiting) < 0)
		waiting = 0;
	return p->bytes + (uint64_t)waiting;
}
