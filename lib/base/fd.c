/* SPDX-License-Identifier: Apache-2.0 */
/* fd - see fd.h */
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

void fd_closep(int *fd)
{
	int sys = errno;

	if (*fd >= 0)
		(void)close(*fd);	/* nothing is lost: never a written file */
	*fd = -1;
	errno = sys;
}

int fd_take(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

int fd_write_all(int fd, const void *data, size_t n)
{
	const char *at = data;

	while (n > 0) {
		ssize_t put = write(fd, at, n);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -1;
		at += put;
		n -= (size_t)put;
	}
	return 0;
}

int fd_write_caller(int fd, const void *data, size_t n, int ms)
{
	const struct timespec most = { ms / 1000, ms % 1000 * 1000000l };
	struct pollfd p = { fd, POLLOUT, 0 };
	const char *at = data;
	sigset_t none;

	sigemptyset(&none);
	while (n > 0) {
		ssize_t put = ppoll(&p, 1, ms < 0 ? NULL : &most, &none);

		if (put == 0)
			put = -1, errno = ETIME;
		if (put > 0)
			put = write(fd, at, n < FD_SMALL ? n : FD_SMALL);
		if (put < 0 && errno != EINTR && errno != EAGAIN)
			return -1;
		at += put > 0 ? put : 0;
		n -= put > 0 ? (size_t)put : 0;
	}
	return 0;
}

ssize_t fd_read_all(int fd, void *data, size_t n)
{
	size_t got = 0;

	while (got < n) {
		ssize_t r = read(fd, (char *)data + got, n - got);

		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			return -1;
		if (r == 0)
			break;
		got += (size_t)r;
	}
	return (ssize_t)got;
}

ssize_t fd_read_text(const char *path, char *text, size_t size)
{
	AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : fd_read_all(fd, text, size - 1);

	text[n > 0 ? n : 0] = 0;
	return n;
}

int fd_nonblock(int fd, bool on)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0)
		return -1;
	flags = on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK;
	return fcntl(fd, F_SETFL, flags);
}

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

void fd_close_but(int *keep, size_t n)
{
	unsigned from = 3;

	qsort(keep, n, sizeof(*keep), by_number);
	for (size_t i = 0; i < n; i++) {
		if (keep[i] < (int)from)
			continue;
		if ((unsigned)keep[i] > from)
			(void)close_range(from, (unsigned)keep[i] - 1, 0);
		from = (unsigned)keep[i] + 1;
	}
	(void)close_range(from, ~0u, 0);
}

int fd_guard_stdio(unsigned *was_open)
{
	*was_open = 0;
	for (int fd = 0; fd <= 2; fd++) {
		if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF) {
			*was_open |= 1u << fd;
			continue;
		}
		/* The lowest free number is FD itself: those below are open. */
		if (open("/dev/null", O_RDWR) < 0)
			return -1;
	}
	return 0;
}
