/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the answer of Firecracker's API: nothing is read beyond them, what
 * is given out lies in them, and no part of a stream is read in another way than
 * all of it: a whole answer stays the same, and what is none becomes none. One who
 * sends them and no more, over a socket, is waited for until the deadline at most,
 * and is no success unless he says so. */
#include "backend/fcapi.h"
#include "base/clock.h"
#include "base/fd.h"
#include "bytes.h"
#include "scratch.h"
#include "target.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define CUTS 64

struct answer {
	int rc;
	unsigned status;
	size_t at, len;
};

static struct answer parse(const uint8_t *data, size_t n)
{
	/* as large as it is, so that a sanitizer sees a byte too far */
	char *copy = malloc(n ? n : 1);
	const char *body = NULL;
	struct answer a = { 0 };

	MUST(copy);
	if (n)
		memcpy(copy, data, n);
	a.rc = fcapi_parse(copy, n, &a.status, &body, &a.len);
	MUST(a.rc >= -1 && a.rc <= 1 && (a.rc == 1 || (!a.status && !body && !a.len)));
	if (a.rc == 1) {
		MUST(body >= copy && body <= copy + n && a.len <= n - (size_t)(body - copy));
		MUST(a.status >= 100 && a.status <= 599 && (size_t)(body - copy) + a.len <= FCAPI_ANSWER_MAX);
		a.at = (size_t)(body - copy);
	}
	free(copy);
	return a;
}

static bool same(const struct answer *a, const struct answer *b)
{
	return a->rc == b->rc && a->status == b->status && a->at == b->at && a->len == b->len;
}

/* The one who answers, a part each time that the caller is about to wait. */
static struct {
	struct bytes script;
	size_t step;
	int listener, peer;
	int64_t time_us;
	unsigned waits;
	bool hangs_up;
} server;

int64_t clock_now_us(void)
{
	return server.time_us;
}

/* Nobody waits in truth: where nothing comes, the deadline has. */
int clock_poll_ms(int64_t at_us)
{
	size_t n = server.step;

	if (server.waits++ == 0)	/* before the connection */
		return 0;
	if (server.peer < 0)
		server.peer = accept4(server.listener, NULL, NULL, SOCK_CLOEXEC);
	const uint8_t *part = bytes_some(&server.script, &n);
	if (n > 0)
		MUST(send(server.peer, part, n, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)n);
	else if (server.hangs_up)
		fd_closep(&server.peer);
	else
		server.time_us = at_us;
	return 0;
}

static void call(const uint8_t *data, size_t size, const struct answer *all)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX, .sun_path = "api" };
	struct err e = { 0 };

	scratch_enter();
	server.script = (struct bytes){ data, size };
	server.step = size / 8 + 1;
	server.hangs_up = size & 1;
	server.waits = 0;
	server.time_us = 1;
	server.peer = -1;
	server.listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	MUST(bind(server.listener, (struct sockaddr *)&addr, sizeof(addr)) == 0 && listen(server.listener, 1) == 0);
	int rc = fcapi_call("api", -1, "PUT", "/actions", "{}", 1000, &e);
	bool good = all->rc == 1 && all->status / 100 == 2;
	MUST((rc == 0) == good && (rc == 0 || e.kind == ERR_BOOT || e.kind == ERR_DIED));
	MUST(server.waits <= 12 && server.time_us <= 1000);
	fd_closep(&server.peer);
	fd_closep(&server.listener);
	(void)unlink("api");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t step = size < CUTS ? 1 : size / CUTS;
	struct answer all = parse(data, size);

	for (size_t n = 0; n < size; n += step) {
		struct answer part = parse(data, n);

		MUST(!part.rc || same(&part, &all));
		MUST(part.rc || all.rc != 1 || n < all.at + all.len);
	}
	call(data, size, &all);
	return 0;
}
