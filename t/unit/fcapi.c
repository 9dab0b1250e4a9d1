/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/fcapi.h"
#include "base/clock.h"
#include "tap.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define FAULT "{\"fault_message\":\"no such file\"}"

struct answer {
	unsigned status;
	const char *body;
	size_t len;
};

static int parse_n(const char *text, size_t n, struct answer *a)
{
	/* as large as it is, so that a sanitizer sees a byte too far */
	char *copy = malloc(n ? n : 1);

	memcpy(copy, text, n);
	*a = (struct answer){ 0 };
	int rc = fcapi_parse(copy, n, &a->status, &a->body, &a->len);
	if (rc == 1)
		a->body = text + (a->body - copy);
	free(copy);
	return rc;
}

static int parse(const char *text, struct answer *a)
{
	return parse_n(text, strlen(text), a);
}

static void whole(void)
{
	static const char said[] = "HTTP/1.1 400 \r\nServer: Firecracker API\r\nConnection: keep-alive\r\n"
				   "Content-Type: application/json\r\nContent-Length: 32\r\n\r\n" FAULT;
	struct answer a;
	bool good = true;

	OK(parse("HTTP/1.1 204 \r\nServer: Firecracker API\r\nConnection: keep-alive\r\n\r\n", &a) == 1 &&
	   a.status == 204 && a.len == 0, "204 and no content-length: no body");
	OK(parse(said, &a) == 1 && a.status == 400 && a.len == 32 && !memcmp(a.body, FAULT, 32),
	   "400 and its fault_message");
	for (size_t n = 0; n < sizeof(said) - 1; n++)
		good &= parse_n(said, n, &a) == 0 && a.status == 0 && !a.body && a.len == 0;
	OK(good, "cut anywhere: more must come, and nothing is given out");
	OK(parse("HTTP/1.1 200 OK\r\ncontent-length:2\r\n\r\n{}more", &a) == 1 && a.len == 2 &&
	   !memcmp(a.body, "{}", 2), "a name in small letters, and what comes after the body is not of it");
	OK(parse("HTTP/1.1 200 OK\r\nX-Content-Length: 9\r\n\r\n", &a) == 1 && a.len == 0,
	   "another header's name is not this one's");
}

static void refused(void)
{
	static const char *const bad[] = {
		"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551615\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: 16384\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: 0x10\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n",
		"HTTP/1.1 2x4 OK\r\n\r\n",
		"HTTP/1.1 20\r\n\r\n",
		"HTTP/1.1 \r\n\r\n",
		"HTTP/1.0 200 OK\r\n\r\n",
		"\xff\xfe\x01 no HTTP at all",
		"G",
	};
	static char flood[FCAPI_ANSWER_MAX + 64];
	struct answer a;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		OK(parse(bad[i], &a) == -1 && a.status == 0 && !a.body, "no answer, at once");
	memset(flood, 'x', sizeof(flood));
	memcpy(flood, "HTTP/1.1 200 ", 13);
	OK(parse_n(flood, FCAPI_ANSWER_MAX - 1, &a) == 0, "a head without end, below the ceiling");
	OK(parse_n(flood, FCAPI_ANSWER_MAX, &a) == -1, "at the ceiling it is given up");
	memcpy(flood + sizeof(flood) - 4, "\r\n\r\n", 4);
	OK(parse_n(flood, sizeof(flood), &a) == -1, "an end beyond the ceiling is none");
	memcpy(flood + FCAPI_ANSWER_MAX - 4, "\r\n\r\n", 4);
	OK(parse_n(flood, FCAPI_ANSWER_MAX, &a) == 1 && a.len == 0, "a head that just fits");
}

enum act { ANSWER, CLOSE, DEAF, SILENT, LATE };

/* One connection, in a process of its own; what it says is TEXT. */
static pid_t serve(const char *path, enum act act, const char *text)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	char asked[4096];
	int listener = socket(AF_UNIX, SOCK_STREAM, 0), ready[2];

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", path);
	(void)unlink(path);
	if (listener < 0 || pipe(ready) < 0)
		abort();
	pid_t pid = fork();
	if (pid != 0) {
		close(listener);
		close(ready[1]);
		/* LATE listens when the caller has begun to try */
		if (read(ready[0], asked, 1) < 0 || pid < 0)
			abort();
		close(ready[0]);
		return pid;
	}
	if (act == LATE) {
		close(ready[1]);
		(void)poll(NULL, 0, 50);
	}
	if (bind(listener, (struct sockaddr *)&addr, sizeof(addr)) < 0 ||
	    listen(listener, act == DEAF ? 0 : 8) < 0)
		_exit(1);
	close(ready[1]);
	if (act == DEAF) {
		/* its queue is full: a connect() waits */
		int fill = socket(AF_UNIX, SOCK_STREAM, 0);
		if (connect(fill, (struct sockaddr *)&addr, sizeof(addr)) < 0)
			_exit(1);
		pause();
	}
	int fd = accept(listener, NULL, NULL);
	if (fd < 0 || read(fd, asked, sizeof(asked)) <= 0)
		_exit(1);
	/* byte by byte, as slowly as a stream may come */
	for (size_t i = 0; text[i]; i++)
		if (write(fd, text + i, 1) != 1)
			_exit(1);
	if (act == SILENT)
		pause();
	_exit(0);
}

static int64_t soon(int ms)
{
	return clock_now_us() + (int64_t)ms * 1000;
}

static void end(pid_t pid)
{
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
}

static int call(const char *path, int ms, struct err *e)
{
	*e = (struct err){ 0 };
	return fcapi_call(path, -1, "PUT", "/snapshot/load", "{\"resume_vm\":true}", soon(ms), e);
}

static void calls(const char *path)
{
	struct err e;
	pid_t pid = serve(path, ANSWER, "HTTP/1.1 204 \r\nServer: x\r\n\r\n");

	OK(call(path, 20000, &e) == 0, "a call that is answered by 204");
	end(pid);
	pid = serve(path, ANSWER, "HTTP/1.1 400 \r\nContent-Length: 33\r\n\r\n" "\x1b" FAULT);
	OK(call(path, 20000, &e) < 0 && e.kind == ERR_BOOT &&
	   !strcmp(e.msg, "firecracker answered 400 to '/snapshot/load': \\x1b" FAULT),
	   "400: its words are told, printable");
	end(pid);
	pid = serve(path, CLOSE, "HTTP/1.1 204");
	OK(call(path, 20000, &e) < 0 && e.kind == ERR_DIED &&
	   !strcmp(e.msg, "firecracker ended at '/snapshot/load'"), "an end in the middle of the answer");
	end(pid);
	pid = serve(path, ANSWER, "I am no server of that kind");
	OK(call(path, 20000, &e) < 0 &&
	   !strcmp(e.msg, "firecracker's answer to '/snapshot/load' is no HTTP"), "garbage");
	end(pid);
	pid = serve(path, LATE, "HTTP/1.1 204 \r\n\r\n");
	OK(call(path, 20000, &e) == 0, "nobody listens yet: it is tried again");
	end(pid);
}

static void deadlines(const char *path)
{
	struct err e;
	int64_t begin = clock_now_us();
	pid_t pid = serve(path, SILENT, "HTTP/1.1 2");

	OK(call(path, 100, &e) < 0 && !strcmp(e.msg, "firecracker did not answer '/snapshot/load' in time"),
	   "an answer that does not come");
	end(pid);
	pid = serve(path, DEAF, "");
	OK(call(path, 100, &e) < 0 && e.kind == ERR_BOOT, "a call that nobody takes");
	end(pid);
	(void)unlink(path);
	OK(call(path, 100, &e) < 0 && e.sys == ENOENT, "a socket that never is");
	OK(clock_now_us() - begin >= 300000 && clock_now_us() - begin < 15000000, "all in their time");

	pid = fork();
	if (pid == 0)
		_exit(0);
	int pid_fd = (int)syscall(SYS_pidfd_open, pid, 0);
	OK(pid_fd >= 0 && fcapi_call(path, pid_fd, "PUT", "/x", "", CLOCK_NEVER, &e) < 0 &&
	   e.kind == ERR_DIED, "who has ended is not waited for");
	close(pid_fd);
	end(pid);
}

int main(void)
{
	char dir[] = "/tmp/fcapi-XXXXXX", path[64];

	(void)signal(SIGPIPE, SIG_IGN);
	whole();
	refused();
	if (!mkdtemp(dir))
		return 1;
	snprintf(path, sizeof(path), "%s/api.sock", dir);
	calls(path);
	deadlines(path);
	(void)unlink(path);
	(void)rmdir(dir);
	return TAP_DONE();
}
