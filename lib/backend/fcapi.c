/* SPDX-License-Identifier: Apache-2.0 */
/* fcapi - see fcapi.h */
#include "backend/fcapi.h"

#include "base/clock.h"
#include "base/fd.h"
#include "base/str.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#define RETRY_MS 2

/* The number at P, to the end of the header's line; -1 if it is none. */
static long number(const char *p, const char *end)
{
	long v = 0;

	for (; p < end && *p == ' '; p++)
		;
	if (p == end || *p < '0' || *p > '9')
		return -1;
	for (; p < end && *p >= '0' && *p <= '9'; p++)
		v = v > (long)FCAPI_ANSWER_MAX ? v : 10 * v + (*p - '0');
	for (; p < end && *p == ' '; p++)
		;
	return p == end || *p == '\r' ? v : -1;
}

/* What the head [TEXT, END) says of the body's length: 0 if nothing, -1 if it
 * cannot be. */
static long content_length(const char *text, const char *end)
{
	static const char name[] = "content-length:";
	size_t n = sizeof(name) - 1;

	for (const char *p = text; p; p = memchr(p, '\n', (size_t)(end - p))) {
		p += *p == '\n';
		if ((size_t)(end - p) >= n && !strncasecmp(p, name, n))
			return number(p + n, end);
	}
	return 0;
}

/* The three digits at P, 100 to 599, or -1. */
static int status_at(const char *p)
{
	int v = 0;

	for (int i = 0; i < 3; i++) {
		if (p[i] < '0' || p[i] > '9')
			return -1;
		v = 10 * v + (p[i] - '0');
	}
	return v >= 100 && v <= 599 ? v : -1;
}

int fcapi_parse(const char *text, size_t n, unsigned *status, const char **body, size_t *len)
{
	static const char start[] = "HTTP/1.1 ";
	static const size_t at = sizeof(start) - 1;

	if (memcmp(text, start, n < at ? n : at))
		return -1;
	const char *end = memmem(text, n, "\r\n\r\n", 4);
	if (!end)
		return n < FCAPI_ANSWER_MAX ? 0 : -1;
	size_t head = (size_t)(end - text) + 4;
	int code = status_at(text + at);	/* a head that is too short has a \r there */
	long want = content_length(text, end);
	if (code < 0 || want < 0 || head > FCAPI_ANSWER_MAX || (size_t)want > FCAPI_ANSWER_MAX - head)
		return -1;
	if (n - head < (size_t)want)
		return 0;
	*status = (unsigned)code;
	*body = text + head;
	*len = (size_t)want;
	return 1;
}

/* A connect() to one who listens and accepts nobody waits, as does a write to
 * one who does not read: until then. */
static int bound(int fd, int64_t until_us)
{
	int ms = clock_poll_ms(until_us);
	struct timeval t = { ms / 1000, ms % 1000 * 1000 + 1 };	/* 0 would be for ever */

	return ms < 0 ? 0 : setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &t, sizeof(t));
}

static int connect_until(const char *path, int pid_fd, int64_t until_us, struct err *e)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", path);
	for (;;) {
		AUTO_FD fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		struct pollfd p = { pid_fd, POLLIN, 0 };

		if (fd >= 0 && bound(fd, until_us) == 0 &&
		    connect(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0)
			return fd_take(&fd);
		if (fd < 0 || (errno != ENOENT && errno != ECONNREFUSED) || clock_now_us() > until_us)
			return err_sys(e, ERR_BOOT, "firecracker's API");
		if (poll(&p, 1, RETRY_MS) > 0)
			return err_set(e, ERR_DIED, "firecracker ended before it took a request");
	}
}

static int answer(int fd, int64_t until_us, const char *what, struct err *e)
{
	char text[FCAPI_ANSWER_MAX], said[300];
	const char *body = "";
	unsigned status = 0;
	size_t n = 0, len = 0;
	int rc = 0;

	while (rc == 0 && n < sizeof(text)) {
		struct pollfd p = { fd, POLLIN, 0 };

		if (poll(&p, 1, clock_poll_ms(until_us)) == 0)
			return err_set(e, ERR_BOOT, "firecracker did not answer '%s' in time", what);
		ssize_t got = read(fd, text + n, sizeof(text) - n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return err_set(e, ERR_DIED, "firecracker ended at '%s'", what);
		n += (size_t)got;
		rc = fcapi_parse(text, n, &status, &body, &len);
	}
	if (rc <= 0)
		return err_set(e, ERR_BOOT, "firecracker's answer to '%s' is no HTTP", what);
	if (status / 100 == 2)
		return 0;
	str_printable(said, sizeof(said), body, len);
	return err_set(e, ERR_BOOT, "firecracker answered %u to '%s': %s", status, what, said);
}

int fcapi_call(const char *socket_path, int pid_fd, const char *verb, const char *path,
	       const char *body, int64_t until_us, struct err *e)
{
	char *text = NULL;
	AUTO_FD fd = connect_until(socket_path, pid_fd, until_us, e);
	int rc = -1;

	if (fd < 0)
		return -1;
	int n = asprintf(&text, "%s %s HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\n"
			 "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s", verb, path,
			 strlen(body), body);
	if (n < 0)
		return err_sys(e, ERR_HOST, "memory");
	if (fd_write_all(fd, text, (size_t)n) < 0)
		(void)err_sys(e, ERR_DIED, "ask firecracker for '%s'", path);
	else
		rc = answer(fd, until_us, path, e);
	free(text);
	return rc;
}
