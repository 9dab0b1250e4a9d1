/* SPDX-License-Identifier: Apache-2.0 */
/* serve - the loop of pai-guest: the control channel, the program's standard
 * input, the program's end; see guest.h and wire/msg.h for the order. */
#include "guest/boot.h"
#include "guest/guest.h"

#include "base/fd.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define QUEUE_MAX (32u << 10)

/* Writes the N parts of IO, which it changes. */
static int write_parts(struct guest *g, struct iovec *io, int n, struct err *e)
{
	for (int i = 0; i < n;) {
		ssize_t put = writev(g->ctl, io + i, n - i);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return err_sys(e, ERR_HOST, "write to the host");
		while (i < n && (size_t)put >= io[i].iov_len)
			put -= (ssize_t)io[i++].iov_len;
		if (i < n) {
			io[i].iov_base = (uint8_t *)io[i].iov_base + put;
			io[i].iov_len -= (size_t)put;
		}
	}
	return 0;
}

int guest_send(struct guest *g, enum msg_kind kind, const void *body, size_t n, struct err *e)
{
	uint8_t head[FRAME_HEAD];
	struct iovec io[3] = { { g->out.at, g->out.len }, { head, sizeof(head) },
			       { (void *)(uintptr_t)body, n } };

	frame_head(head, kind, (uint32_t)n);
	int rc = write_parts(g, io, 3, e);
	g->out.len = 0;
	return rc;
}

int guest_queue(struct guest *g, enum msg_kind kind, const void *body, size_t n, struct err *e)
{
	uint8_t head[FRAME_HEAD];

	if (g->out.len + FRAME_HEAD + n > QUEUE_MAX)
		return guest_send(g, kind, body, n, e);
	frame_head(head, kind, (uint32_t)n);
	if (buf_add(&g->out, head, sizeof(head), QUEUE_MAX, e) < 0)
		return -1;
	return buf_add(&g->out, body, n, QUEUE_MAX, e);
}

static int say_hello(struct guest *g, struct err *e)
{
	uint8_t body[4];
	struct packer p = { .at = body, .cap = sizeof(body) };

	pack_number(&p, MSG_VERSION, 4);
	return guest_send(g, MSG_HELLO, body, p.len, e);
}

/* In a microVM: whether standard error is a stream of its own. Those of the turn before
 * have all been read. */
static int choose_streams(struct guest *g, struct err *e)
{
	bool one = g->run.flags & MSG_ONE_STREAM;

	for (int i = 0; i < 2; i++)
		g->pump[i].bytes = g->pump[i].len - g->pump[i].at;
	if ((one || g->resumed) && dup2(one ? STDOUT_FILENO : g->stderr_fd, STDERR_FILENO) < 0)
		return err_sys(e, ERR_HOST, "make one stream of two");
	return 0;
}

static int on_run(struct guest *g, const struct frame *f, struct err *e)
{
	if (g->have_run || (g->warm && !g->ready))
		return err_set(e, ERR_GUEST, "RUN at the wrong time");
	if (msg_get_run(f, &g->run, &g->text, e) < 0)
		return -1;
	g->have_run = true;
	if (g->vm && (boot_refresh(&g->run, e) < 0 || choose_streams(g, e) < 0))
		return -1;
	/* a template may come to itself meanwhile, but what stands still between two turns
	 * stays so until START; whoever talks to a clone did not hear its first hello */
	if (g->warm && ((!g->resumed && kernel_wake(g, e) < 0) || say_hello(g, e) < 0))
		return -1;
	return kernel_choose(g, e) < 0 ? -1 : world_enter(g, e);
}

static int on_prepare(struct guest *g, const struct frame *f, struct err *e)
{
	char preload[MSG_PATH_MAX + 1];
	struct unpacker u = unpack(f);
	uint32_t cpus = (uint32_t)unpack_number(&u, 4);
	size_t n;
	const uint8_t *names = unpack_bytes(&u, &n);

	if (unpack_end(&u, "prepare", e) < 0)
		return -1;
	if (g->warm || g->have_run || cpus == 0 || n > MSG_PATH_MAX || memchr(names, 0, n))
		return err_set(e, ERR_GUEST, "PREPARE at the wrong time");
	memcpy(preload, names, n);
	preload[n] = 0;
	g->run.cpus = cpus;	/* libraries ask for it at their import */
	return world_prepare(e) < 0 ? -1 : program_prepare(g, preload, e);
}

/* The interpreter says one byte when it is up, and a clone's another when it
 * has drawn anew what would be the same in each of them. */
static int on_ready(struct guest *g, struct err *e)
{
	char byte;
	ssize_t n = recv(g->go_fd, &byte, 1, MSG_DONTWAIT);

	if (n < 0 && errno == EAGAIN)
		return 0;
	if (n != 1)
		return err_set(e, ERR_IMAGE, "the interpreter ended before the program");
	if (byte == 'F' && g->resumed)
		return err_set(e, ERR_SESSION, "the kernel cannot go on, for its program has damaged "
			       "the interpreter ('pai-session rewind' goes a turn back)");
	if (byte == 'F')
		return err_set(e, ERR_IMAGE, "the clone could not draw new random numbers");
	g->ready = true;
	if (g->wanted)
		return program_start(g, e);
	return g->have_run ? 0 : guest_send(g, MSG_READY, NULL, 0, e);
}

static int on_word(struct guest *g, const struct frame *f, struct err *e)
{
	struct strv *v = f->kind == MSG_ARG ? &g->args : f->kind == MSG_ENV ? &g->env
		       : f->kind == MSG_INCLUDE ? &g->include : &g->exclude;
	char *text = strndup((const char *)f->body, f->len);
	int rc = text ? strv_add(v, text, e) : err_sys(e, ERR_HOST, "memory");

	free(text);
	return rc;
}

static int on_file(struct guest *g, const struct frame *f, struct err *e)
{
	struct msg_text t;
	struct msg_file m;

	return msg_get_file(f, &m, &t, e) < 0 ? -1 : place_file(g, &m, e);
}

static int on_end(struct guest *g, const struct frame *f, struct err *e)
{
	(void)f;
	return place_end(g, e);
}

static int on_start(struct guest *g, const struct frame *f, struct err *e)
{
	(void)f;
	if (g->wanted)
		return err_set(e, ERR_GUEST, "a second START");
	g->wanted = true;
	return program_start(g, e);
}

/* Gives bytes of standard input to the program as far as it takes them, and
 * the host credit for as many. */
static int feed_stdin(struct guest *g, struct err *e)
{
	uint8_t body[4];
	struct packer p = { .at = body, .cap = sizeof(body) };
	size_t taken = 0;

	while (g->stdin_fd >= 0 && taken < g->stdin_buf.len) {
		ssize_t put = write(g->stdin_fd, g->stdin_buf.at + taken, g->stdin_buf.len - taken);

		if (put < 0 && (errno == EAGAIN || errno == EINTR))
			break;
		if (put < 0)		/* nobody reads it any more: the rest is dropped */
			fd_closep(&g->stdin_fd);
		else
			taken += (size_t)put;
	}
	if (g->stdin_fd < 0)
		taken = g->stdin_buf.len;
	buf_drop(&g->stdin_buf, taken);
	if (g->stdin_end && g->stdin_buf.len == 0)
		fd_closep(&g->stdin_fd);
	if (taken == 0)
		return 0;
	pack_number(&p, taken, 4);
	return guest_send(g, MSG_CREDIT_MORE, body, p.len, e);
}

static int on_stdin(struct guest *g, const struct frame *f, struct err *e)
{
	if (g->stdin_end)
		return err_set(e, ERR_GUEST, "standard input after its end");
	g->stdin_end = f->kind == MSG_STDIN_END;
	if (buf_add(&g->stdin_buf, f->body, f->len, MSG_CREDIT, e) < 0)
		return -1;
	return feed_stdin(g, e);
}

static int on_signal(struct guest *g, const struct frame *f, struct err *e)
{
	(void)e;
	if (!g->started || g->pid <= 0)
		return 0;
	if (f->kind == MSG_KILL) {
		program_kill(g, MSG_BY_KILL);
	} else if (kill(-g->pid, SIGINT) < 0) {
		(void)kill(g->pid, SIGINT);	/* it left its group, or has ended */
	}
	return 0;
}

typedef int handler(struct guest *g, const struct frame *f, struct err *e);
static const struct {
	handler *fn;
	bool before_start, after_start, late;
} handlers[] = {
	[MSG_PREPARE] = { on_prepare, true, false, false },
	[MSG_RUN] = { on_run, true, false, false },
	[MSG_ARG] = { on_word, true, false, false },
	[MSG_ENV] = { on_word, true, false, false },
	[MSG_INCLUDE] = { on_word, true, false, false },
	[MSG_EXCLUDE] = { on_word, true, false, false },
	[MSG_FILE] = { on_file, true, false, false },
	[MSG_DATA] = { place_data, true, false, false },
	[MSG_END] = { on_end, true, false, false },
	[MSG_START] = { on_start, true, false, false },
	[MSG_STDIN] = { on_stdin, false, true, true },
	[MSG_STDIN_END] = { on_stdin, false, true, true },
	[MSG_INTERRUPT] = { on_signal, true, true, true },
	[MSG_KILL] = { on_signal, true, true, true },
};

static int handle(struct guest *g, const struct frame *f, struct err *e)
{
	bool known = f->kind < sizeof(handlers) / sizeof(*handlers) && handlers[f->kind].fn;

	/* of a turn that is over, whose end the host had not heard */
	if (known && handlers[f->kind].late && g->resumed && !g->have_run)
		return 0;
	if (!known || (!g->have_run && f->kind != MSG_RUN && f->kind != MSG_PREPARE) ||
	    !(g->started ? handlers[f->kind].after_start : handlers[f->kind].before_start))
		return err_set(e, ERR_GUEST, "message %u at the wrong time", f->kind);
	return handlers[f->kind].fn(g, f, e);
}

/* A clone has a new channel under the same descriptor, which is known by its time of
 * birth, for gVisor gives it no number: what was left of the old one's last frame is not
 * its begin. */
static void notice_channel(struct guest *g, struct buf *in)
{
	struct stat st;

	if (g->have_run || fstat(g->ctl, &st) < 0 || !memcmp(&st.st_ctim, &g->ctl_born, sizeof(g->ctl_born)))
		return;
	g->ctl_born = st.st_ctim;
	in->len = 0;
}

/* Reads what the host sent and handles each whole frame; 0 at its end. */
static int read_host(struct guest *g, struct buf *in, struct err *e)
{
	struct frame f;
	ssize_t used;
	size_t at = 0;

	notice_channel(g, in);
	if (buf_room(in, MSG_CHUNK + FRAME_HEAD, 2 * FRAME_MAX, e) < 0)
		return -1;
	ssize_t n = read(g->ctl, in->at + in->len, in->cap - in->len);
	if (n < 0 && errno == EINTR)
		return 1;
	if (n < 0)
		return err_sys(e, ERR_HOST, "read from the host");
	in->len += (size_t)n;
	while ((used = frame_next(in->at + at, in->len - at, &f, e)) > 0) {
		if (handle(g, &f, e) < 0)
			return -1;
		at += (size_t)used;
	}
	buf_drop(in, at);
	return used < 0 ? -1 : n > 0;
}

/* A snapshot resets all connections of its clones: they dial anew. */
static int hear_host(struct guest *g, struct buf *in, struct err *e)
{
	int rc = read_host(g, in, e);

	if (rc > 0 || !g->vm || !g->ready || g->have_run)
		return rc;
	*e = (struct err){ 0 };
	in->len = 0;
	return boot_dial(g, e) < 0 ? -1 : 1;
}

static int pump_both(struct guest *g, const struct pollfd p[2], struct err *e)
{
	for (int i = 0; i < 2; i++)
		if (p[i].revents && pump_step(&g->pump[i], e) < 0)
			return -1;
	return 0;
}

static int loop(struct guest *g, int sig_fd, struct buf *in, struct err *e)
{
	for (int more = 1; more > 0;) {
		struct pollfd p[7] = {
			{ g->ctl, POLLIN, 0 },
			{ g->unpack.pid > 0 ? -1 : sig_fd, POLLIN, 0 },	/* it is waited for */
			{ g->stdin_buf.len > 0 || g->stdin_end ? g->stdin_fd : -1, POLLOUT, 0 },
			{ g->ready ? -1 : g->go_fd, POLLIN, 0 },
			pump_poll(&g->pump[0]), pump_poll(&g->pump[1]),
			{ g->report.fd, POLLIN, 0 },
		};
		struct signalfd_siginfo si;
		int ms;

		if (program_watch(g, &ms, e) < 0)
			return -1;
		if (poll(p, 7, ms) < 0 && errno != EINTR)
			return err_sys(e, ERR_HOST, "poll");
		if (pump_both(g, p + 4, e) < 0 || (p[3].revents && on_ready(g, e) < 0))
			return -1;
		if ((p[2].revents && feed_stdin(g, e) < 0) || (p[6].revents && report_step(g, e) < 0))
			return -1;
		if (g->over)
			more = end_rest(g, e);
		if (more > 0 && p[1].revents && read(sig_fd, &si, sizeof(si)) > 0)
			more = end_reap(g, e);
		if (more > 0 && p[0].revents)
			more = hear_host(g, in, e);
		if (more < 0)
			return -1;
	}
	return 0;
}

/* The host takes the sandbox down; until then everything stays readable. */
static void linger(struct guest *g)
{
	uint8_t rest[4096];
	struct err ignored;

	for (;;) {
		struct pollfd p[3] = { { g->ctl, POLLIN, 0 }, pump_poll(&g->pump[0]),
				       pump_poll(&g->pump[1]) };

		if (poll(p, 3, -1) < 0 && errno != EINTR)
			return;
		if (p[0].revents && read(g->ctl, rest, sizeof(rest)) <= 0)
			return;
		(void)pump_both(g, p + 1, &ignored);
	}
}

static int start_world(struct guest *g, struct err *e)
{
	if (g->vm && (boot_modules(e) < 0 || boot_dial(g, e) < 0 || boot_root(g, e) < 0))
		return -1;
	return world_base(g, e) < 0 ? -1 : say_hello(g, e);
}

/* The last word. */
static void send_fail(struct guest *g, const struct err *why)
{
	uint8_t body[1 + ERR_MSG_MAX] = { why->kind == ERR_USAGE };
	struct err ignored;
	size_t n = strlen(why->msg);

	memcpy(body + 1, why->msg, n);
	(void)guest_send(g, MSG_FAIL, body, n + 1, &ignored);
}

int guest_serve(struct guest *g)
{
	struct err e = { 0 };
	struct buf in = { 0 };
	sigset_t chld;

	signal(SIGPIPE, SIG_IGN);	/* the death of the first process is the sandbox's */
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, NULL);
	int rc = start_world(g, &e);
	AUTO_FD sig_fd = signalfd(-1, &chld, SFD_CLOEXEC | SFD_NONBLOCK);
	if (rc == 0 && sig_fd < 0)
		rc = err_sys(&e, ERR_HOST, "signalfd");
	if (rc == 0)
		rc = loop(g, sig_fd, &in, &e);
	buf_free(&in);
	if (rc < 0 && g->ctl >= 0)
		send_fail(g, &e);
	if (g->ctl >= 0)
		linger(g);
	return rc < 0;
}
