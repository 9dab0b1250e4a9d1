/* SPDX-License-Identifier: Apache-2.0 */
/* kernel - the interpreters of a session, and what a start hook is told; see guest.h
 *
 * Between two turns each of them waits at a socket of its own, whose other end we hold;
 * it made both when its cell was over. What comes from there and what we say is bounded:
 * the program has run, and may be anything by now.
 */
#include "guest/guest.h"

#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define TELL_MS 5000		/* that it may take to hear us */
#define WORDS_MAX (64u << 20)	/* bytes of all that a hook is told */
#define KERNEL_FDS 2		/* that a resting kernel is given: descriptors 0 and 2 */

static struct kernel *find(struct guest *g, const char *name)
{
	for (size_t i = 0; i < g->kernels; i++)
		if (!strcmp(g->kernel[i].name, name))
			return &g->kernel[i];
	return NULL;
}

int kernel_choose(struct guest *g, struct err *e)
{
	if (!(g->run.flags & MSG_SESSION))
		return g->resumed ? err_set(e, ERR_GUEST, "RUN of no session") : 0;
	if (g->run.lang != MSG_PYTHON || !(g->run.flags & MSG_CELL))
		return err_set(e, ERR_GUEST, "RUN of a session, and no cell");
	struct kernel *k = find(g, g->run.context);
	if (k) {
		g->pid = k->pid;
		g->go_fd = fd_take(&k->go_fd);
	} else if (g->kernels == MSG_CONTEXTS_MAX) {
		return err_set(e, ERR_USAGE, "--context=%s: the session has %u contexts already, "
			       "and cannot have more", g->run.context, MSG_CONTEXTS_MAX);
	} else {
		k = &g->kernel[g->kernels++];
		*k = (struct kernel){ .go_fd = -1 };
		snprintf(k->name, sizeof(k->name), "%s", g->run.context);
		/* in a first turn it is the template's, if there is one */
		if (g->resumed) {
			g->pid = 0;
			g->warm = g->ready = false;
		}
	}
	g->active = k;
	return 0;
}

bool kernel_is(const struct guest *g, pid_t pid)
{
	bool is = pid == g->pid;

	for (size_t i = 0; i < g->kernels; i++)
		is |= pid == g->kernel[i].pid;
	return is;
}

static bool is_socket(int fd)
{
	int type = 0, domain = 0;
	socklen_t n = sizeof(type), m = sizeof(domain);

	return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &n) == 0 && type == SOCK_STREAM &&
	       getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &m) == 0 && domain == AF_UNIX;
}

void kernel_over(struct guest *g, const uint8_t *body, size_t n, int *fd)
{
	const struct frame f = { .body = body, .len = (uint32_t)n };
	struct unpacker u = unpack(&f);
	uint8_t code = (uint8_t)unpack_number(&u, 1);
	uint32_t count = (uint32_t)unpack_number(&u, 4);
	struct err ignored;

	if (!g->active || g->active->go_fd >= 0 || !g->started || unpack_end(&u, "end", &ignored) < 0 ||
	    count == 0 || !is_socket(*fd))
		return;		/* it was never said */
	g->active->pid = g->pid;
	g->active->go_fd = fd_take(fd);
	g->code = code;
	g->count = count;
	g->over = true;
}

/* Never waits long: whoever does not hear us has had his time. */
static int tell(int fd, const void *data, size_t n)
{
	const uint8_t *at = data;

	while (n > 0) {
		ssize_t put = send(fd, at, n, MSG_DONTWAIT | MSG_NOSIGNAL);
		struct pollfd p = { fd, POLLOUT, 0 };

		if (put < 0 && errno == EAGAIN) {
			errno = ETIMEDOUT;
			if (poll(&p, 1, TELL_MS) == 0)
				return -1;
		} else if (put < 0 && errno != EINTR) {
			return -1;
		}
		at += put > 0 ? put : 0;
		n -= put > 0 ? (size_t)put : 0;
	}
	return 0;
}

static int add_strings(struct buf *to, const char *const *words, size_t n, struct err *e)
{
	for (size_t i = 0; i < n; i++)
		if (buf_add(to, words[i], strlen(words[i]) + 1, WORDS_MAX, e) < 0)
			return -1;
	return 0;
}

int kernel_go(struct guest *g, struct err *e)
{
	const struct msg_run *run = &g->run;
	char path[sizeof(GUEST_WORKSPACE) + 1 + MSG_PATH_MAX], count[16];
	bool one = g->vm && run->flags & MSG_ONE_STREAM;	/* gVisor's are one already */
	bool figures = run->flags & (MSG_COLLECT | MSG_LIST);
	const char *words[] = {
		run->lang == MSG_MODULE ? "module" : run->flags & MSG_CELL ? "cell" : "program",
		*run->file ? path : GUEST_TEXT,
		run->shown,
		run->flags & MSG_PRINT_LAST ? "1" : "",
		g->report.token,
		run->flags & MSG_REPORT ? "1" : "",
		figures ? "1" : "",
		one ? "1" : "",
		run->flags & MSG_SESSION ? "1" : "",
		count,
	};
	struct buf all = { 0 };

	snprintf(path, sizeof(path), GUEST_WORKSPACE "/%s", run->file);
	snprintf(count, sizeof(count), "%zu", g->args.n);
	int rc = add_strings(&all, words, sizeof(words) / sizeof(*words), e);
	if (rc == 0)
		rc = add_strings(&all, (const char *const *)g->args.at, g->args.n, e);
	if (rc == 0)
		rc = add_strings(&all, (const char *const *)g->env.at, g->env.n, e);
	if (rc == 0 && tell(g->go_fd, all.at, all.len) < 0)
		rc = err_sys(e, ERR_IMAGE, "tell the interpreter");
	buf_free(&all);
	return rc;
}

int kernel_wake(struct guest *g, struct err *e)
{
	g->ready = false;	/* until it has new random numbers */
	return tell(g->go_fd, "W", 1) < 0 ? err_sys(e, ERR_IMAGE, "wake the interpreter") : 0;
}

/* Wakes the kernel, and gives it a standard input; in a microVM a standard error too,
 * for the turn before may have had one stream, and this one two. */
static int wake_with(struct guest *g, struct err *e)
{
	AUTO_FD in = program_stdin(g, e);
	union {
		char room[CMSG_SPACE(KERNEL_FDS * sizeof(int))];
		struct cmsghdr align;
	} control = { { 0 } };
	struct iovec io = { (void *)(uintptr_t)"W", 1 };
	const int fd[KERNEL_FDS] = { in, STDERR_FILENO };
	size_t n = (g->vm ? KERNEL_FDS : 1) * sizeof(int);
	struct msghdr h = { .msg_iov = &io, .msg_iovlen = 1, .msg_control = control.room,
			    .msg_controllen = CMSG_SPACE(n) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&h);

	if (in < 0)
		return -1;
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(n);
	memcpy(CMSG_DATA(c), fd, n);
	if (sendmsg(g->go_fd, &h, MSG_DONTWAIT | MSG_NOSIGNAL) != 1)
		return err_sys(e, ERR_IMAGE, "wake the session's kernel");
	g->ready = false;
	return 0;
}

int kernel_resume(struct guest *g, struct err *e)
{
	if (!g->still.on)
		return 0;
	if (still_end(g, e) < 0)
		return -1;
	return g->pid > 0 ? wake_with(g, e) : 0;
}

/* The text of a file of the process in /proc, or "". */
static void read_proc(pid_t pid, const char *file, char *text, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, file);
	AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : fd_read_all(fd, text, size - 1);
	text[n > 0 ? n : 0] = 0;
}

/* CPU time of the process and of the children that it has reaped. In ticks of 10 ms, as
 * /proc tells it. */
static bool cpu_time(pid_t pid, uint64_t *user_us, uint64_t *sys_us)
{
	char text[1024];
	uint64_t t[4], tick_us = 1000000 / (uint64_t)sysconf(_SC_CLK_TCK);

	read_proc(pid, "stat", text, sizeof(text));
	const char *p = strrchr(text, ')');	/* behind the name, which may hold anything */
	if (!p || sscanf(p, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %" SCNu64 " %" SCNu64
			 " %" SCNu64 " %" SCNu64, &t[0], &t[1], &t[2], &t[3]) != 4)
		return false;
	*user_us = (t[0] + t[2]) * tick_us;
	*sys_us = (t[1] + t[3]) * tick_us;
	return true;
}

void kernel_begin(struct guest *g)
{
	char path[64];

	/* where it cannot be told, all counts */
	if (!cpu_time(g->pid, &g->spent_user_us, &g->spent_sys_us))
		g->spent_user_us = g->spent_sys_us = 0;
	if (!g->resumed)
		return;
	/* the peak of this turn; gVisor has no such file */
	snprintf(path, sizeof(path), "/proc/%d/clear_refs", g->pid);
	AUTO_FD fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd >= 0)
		(void)!write(fd, "5", 1);
}

void kernel_usage(const struct guest *g, struct msg_ended *m)
{
	char text[4096];
	uint64_t user = g->spent_user_us, sys = g->spent_sys_us;

	(void)cpu_time(g->pid, &user, &sys);
	m->user_us = user > g->spent_user_us ? user - g->spent_user_us : 0;
	m->sys_us = sys > g->spent_sys_us ? sys - g->spent_sys_us : 0;
	read_proc(g->pid, "status", text, sizeof(text));
	const char *at = strstr(text, "\nVmHWM:");
	at = at ? at : strstr(text, "\nVmRSS:");	/* gVisor has no other */
	m->peak_bytes = at ? strtoull(at + 7, NULL, 10) << 10 : 0;
}

void kernel_next(struct guest *g)
{
	struct strv *const words[] = { &g->args, &g->env, &g->include, &g->exclude };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		strv_free(words[i]);
	fd_closep(&g->stdin_fd);
	buf_drop(&g->stdin_buf, g->stdin_buf.len);
	g->have_run = g->wanted = g->started = g->over = g->stdin_end = g->cpu_spent = false;
	g->by = MSG_BY_ITSELF;
	g->unpack.pid = 0;
	g->placed = false;
	g->pid = 0;
	g->active = NULL;
	g->warm = g->ready = g->resumed = true;
}
