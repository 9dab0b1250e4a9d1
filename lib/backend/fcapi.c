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
#include <sys/un.h>
#include <unistd.h>

#define RETRY_MS 2

/* The number behind the header NAME in [TEXT, END), or -1. */
static long header(const char *text, const char *end, const char *name)
{
	size_t n = strlen(name);

	for (const char *p = text; p && p < end; p = memchr(p, '\n', (size_t)(end - p))) {
		p += *p == '\n';
		if ((size_t)(end - p) > n && !strncasecmp(p, name, n) && p[n] == ':') {
			long v = 0;

			for (p += n + 1; p < end && *p == ' '; p++)
				;
			if (p == end || *p < '0' || *p > '9')
				return -1;
			for (; p < end && *p >= '0' && *p <= '9' && v <= (long)FCAPI_ANSWER_MAX; p++)
				v = 10 * v + (*p - '0');
			return v;
		}
	}
	return -1;
}

int fcapi_parse(const char *text, size_t n, unsigned *status, const char **body, size_t *len)
{
	static const char start[] = "HTTP/1.1 ";
	size_t head = sizeof(start) - 1;

	if (memcmp(text, start, n < head ? n : head))
		return -1;
	const char *end = memmem(text, n, "\r\n\r\n", 4);
	if (!end)
		return n < FCAPI_ANSWER_MAX ? 0 : -1;
	*status = 0;
	for (size_t i = head; i < head + 3; i++) {
		if (text[i] < '0' || text[i] > '9')
			return -1;
		*status = 10 * *status + (unsigned)(text[i] - '0');
	}
	long want = header(text, end, "content-length");
	*body = end + 4;
	*len = want < 0 ? 0 : (size_t)want;
	if (*len > FCAPI_ANSWER_MAX - (size_t)(*body - text))
		return -1;
	return n - (size_t)(*body - text) >= *len;
}

static int connect_until(const char *path, int64_t until_us, struct err *e)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", path);
	for (;;) {
		AUTO_FD fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

		if (fd >= 0 && connect(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0)
			return fd_take(&fd);
		if (fd < 0 || (errno != ENOENT && errno != ECONNREFUSED) || clock_now_us() > until_us)
			return err_sys(e, ERR_BOOT, "firecracker's API");
		(void)poll(NULL, 0, RETRY_MS);
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
			return err_set(e, ERR_BOOT, "firecracker ended at '%s'", what);
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

int fcapi_call(const char *socket_path, const char *verb, const char *path, const char *body,
	       int64_t until_us, struct err *e)
{
	char *text = NULL;
	AUTO_FD fd = connect_until(socket_path, until_us, e);
	int rc = -1;

	if (fd < 0)
		return -1;
	int n = asprintf(&text, "%s %s HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\n"
			 "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s", verb, path,
			 strlen(body), body);
	if (n < 0)
		return err_sys(e, ERR_HOST, "memory");
	if (fd_write_all(fd, text, (size_t)n) < 0)
		(void)err_sys(e, ERR_BOOT, "ask firecracker for '%s'", path);
	else
		rc = answer(fd, until_us, path, e);
	free(text);
	return rc;
}
