/* SPDX-License-Identifier: Apache-2.0 */
/* The inside against a host that may say anything (an older one, or a damaged
 * channel), with files and a program that are played: it never ends without a
 * last word, what it sends are whole frames in their order, and it holds no more
 * than its bounds; and a session that rests takes a next turn. The world around (mounts, uids, processes) is made up. */
#include "bytes.h"
#include "guest/boot.h"
#include "guest/guest.h"
#include "heard.h"
#include "play.h"
#include "scratch.h"
#include "target.h"

#include "base/fd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <search.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define IDLE_MAX 20u		/* polls after the end of the script */
#define SENT_MAX (4u << 20)	/* that one script can make the guest say */
#define FILES_MAX 6		/* of RUN: files, and bytes of them */
#define OUTPUT_MAX 500

static int played_poll(struct pollfd *p, nfds_t n, int ms);
static ssize_t played_writev(int fd, const struct iovec *io, int n);
static pid_t played_wait4(pid_t pid, int *status, int options, struct rusage *use);
static int played_kill(pid_t pid, int sig);
static int played_symlink(const char *target, const char *path);

/* The guest's own code, in the scratch folder and with us for its kernel. */
#undef GUEST_WORKSPACE
#undef GUEST_TEXT
#undef GUEST_NOTE
#define GUEST_WORKSPACE "out"
#define GUEST_TEXT "out/.program"
#define poll played_poll
#define writev played_writev
#define wait4 played_wait4
#define kill played_kill
#define symlink played_symlink
#include "guest/collect.c"
#include "guest/end.c"
#include "guest/kernel.c"
#include "guest/place.c"
#include "guest/pump.c"
#include "guest/report.c"
#include "guest/seen.c"
#include "guest/serve.c"
#undef poll
#undef writev
#undef symlink

struct play play;

static void hear(void)
{
	uint8_t chunk[16384];
	struct err e;
	ssize_t n;

	while (play.host >= 0 && (n = recv(play.host, chunk, sizeof(chunk), MSG_DONTWAIT)) > 0)
		MUST(buf_add(&play.heard, chunk, (size_t)n, SENT_MAX, &e) == 0);
}

static void say(unsigned kind, const void *body, size_t n)
{
	uint8_t head[FRAME_HEAD];

	frame_head(head, (uint8_t)kind, (uint32_t)n);
	if (kind == MSG_DATA || kind == MSG_STDIN)
		play.fed += n;
	(void)!send(play.host, head, sizeof(head), MSG_DONTWAIT | MSG_NOSIGNAL);
	(void)!send(play.host, body, n, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void say_run(void)
{
	uint8_t body[4096];
	struct msg_run m = { .version = MSG_VERSION, .lang = bytes_one(&play.script) % 3,
			     .flags = bytes_one(&play.script) & MSG_RUN_FLAGS, .cpus = 1, .pids = 9,
			     .max_files = FILES_MAX, .max_output = OUTPUT_MAX, .disk_bytes = OUTPUT_MAX, .cpu_ms = MSG_UNCOUNTED, .hostname = "h", .shown = "s",
			     .file = bytes_one(&play.script) & 1 ? "job.py" : "" };
	struct err e;

	m.context = !(m.flags & MSG_SESSION) ? "" : m.flags & MSG_STDIN_OPEN ? "main" : "other";
	/* what is heard is held against one of them */
	play.list = play.list < 0 ? (int)(m.flags & MSG_LIST) : play.list;
	m.flags = (uint8_t)((m.flags & ~MSG_LIST) | (unsigned)play.list);
	ssize_t n = msg_put_run(&m, body, sizeof(body), &e);

	m.flags &= (uint8_t)~MSG_ONE_STREAM;	/* our own standard error is not to move */
	body[5] = m.flags;
	say(MSG_RUN, body, (size_t)n);
}

static void say_file(void)
{
	uint8_t how = bytes_one(&play.script), body[2 * BYTES_PATH];
	char path[BYTES_PATH];
	struct err e;

	bytes_path(&play.script, path);
	struct msg_file m = { .type = how % 3, .place = how >> 3 & 3, .mode = how, .size = how, .path = path,
			      .target = how % 3 == MSG_LINK ? "a" : "" };
	ssize_t n = msg_put_file(&m, body, sizeof(body), &e);
	say(MSG_FILE, body, (size_t)n);
}

static void say_any(unsigned kind)
{
	size_t n = bytes_one(&play.script);

	n = n > 240 ? (n - 240) << 10 : n;
	const uint8_t *at = bytes_some(&play.script, &n);
	static const uint8_t much[16 << 10];

	/* RUN and its one stream: see say_run() */
	if (kind)
		say(kind, n > 240 ? much : at, n);
	else if (n == 0 || (*at != MSG_RUN && !memchr(at, MSG_RUN, n)))
		(void)!send(play.host, at, n, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void say_prepare(void)
{
	uint8_t body[64];
	struct packer p = { .at = body, .cap = sizeof(body) };

	pack_number(&p, bytes_one(&play.script) & 3, 4);
	pack_bytes(&p, "json,re", 7);
	say(MSG_PREPARE, body, p.len);
}

/* The program leaves something in its folder, a trap or a file. */
static void make_entry(void)
{
	uint8_t how = bytes_one(&play.script);
	char path[BYTES_PATH + 8] = "out/", name[BYTES_PATH];

	bytes_path(&play.script, name);
	if (!msg_path_ok(name, strlen(name)))
		return;
	strcat(path, name);
	switch (how & 7) {
	case 0: (void)!mkdir(path, how & 8 ? 0 : 0755); break;
	case 1: (void)!symlink("../victim/canary", path); break;
	case 2: (void)!mkfifo(path, 0644); break;
	case 3: (void)!link("victim/canary", path); break;
	default: {
		AUTO_FD fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, how & 8 ? 0 : 0644);

		(void)!write(fd, "content of a file", how & 15);
		if (how & 64)
			(void)!ftruncate(fd, (off_t)1 << (how >> 2 & 31));
	}
	}
}

static void read_stdin(void)
{
	uint8_t chunk[4096];

	if (play.in >= 0)
		(void)!read(play.in, chunk, sizeof(chunk));
}

/* Something that could be a part of a result, from who knows the token or does not. */
static void report(void)
{
	uint8_t said[HEAD + 256], how = bytes_one(&play.script);
	size_t n = bytes_one(&play.script);

	if (play.tell < 0)
		return;
	memset(said, how & 1 ? 't' : 'f', HEAD);
	said[REPORT_TOKEN] = how & 2 ? MSG_RESULT : how & 4 ? MSG_NOTE : how;
	const uint8_t *at = bytes_some(&play.script, &n);
	if (n > 0)
		memcpy(said + HEAD, at, n);
	(void)!send(play.tell, said, HEAD + n, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* The hook says that its cell is over: it passes the socket at which it waits, or what
 * somebody else would. */
static void rest(void)
{
	uint8_t how = bytes_one(&play.script), said[HEAD + 5] = { 0 };
	union {
		char room[CMSG_SPACE(2 * sizeof(int))];
		struct cmsghdr align;
	} control = { { 0 } };
	struct iovec io = { said, sizeof(said) - (how >> 6 & 1) };
	size_t n = how & 32 ? 2 : 1;
	struct msghdr h = { .msg_iov = &io, .msg_iovlen = 1, .msg_control = control.room,
			    .msg_controllen = CMSG_SPACE(n * sizeof(int)) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&h);
	int go[2];

	if (play.tell < 0)
		return;
	MUST(socketpair(AF_UNIX, how & 16 ? SOCK_DGRAM : SOCK_STREAM, 0, go) == 0);
	const int fd[2] = { how & 8 ? play.out[0] : go[1], go[1] };
	memset(said, how & 1 ? 'f' : 't', REPORT_TOKEN);
	said[REPORT_TOKEN] = MSG_ENDED;
	said[HEAD + 1] = !(how & 2);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(n * sizeof(int));
	memcpy(CMSG_DATA(c), fd, n * sizeof(int));
	if (how & 4)
		h.msg_controllen = 0;
	(void)!sendmsg(play.tell, &h, MSG_DONTWAIT | MSG_NOSIGNAL);
	fd_closep(&play.go);
	play.go = go[0];
	fd_closep(&go[1]);
}

static void end_program(void)
{
	play.status = bytes_one(&play.script) << 8 | (bytes_one(&play.script) & 15);
	play.ended = kernel_is(play.g, PID);
	raise(SIGCHLD);
}

static void step(void)
{
	uint8_t op = bytes_one(&play.script), more = op >> 5;
	static const uint8_t words[] = { MSG_ENV, MSG_ARG, MSG_INCLUDE, MSG_EXCLUDE };
	static const uint8_t plain[] = { MSG_END, MSG_START, MSG_STDIN_END, MSG_INTERRUPT, MSG_KILL };

	switch (op & 15) {
	case 0: say_run(); break;
	case 1: say_file(); break;
	case 2: say(plain[more % 5], "", 0); break;
	case 3: say_any(MSG_DATA); break;
	case 4: say_any(MSG_STDIN); break;
	case 5: say_any(words[more & 3]); break;
	case 6: say_prepare(); break;
	case 7: say_any(0); break;
	case 8: say_any(more ? 40 + more : MSG_PREPARE); break;
	case 9: (void)!send(play.go, more & 1 ? "F" : "R", 1, MSG_DONTWAIT | MSG_NOSIGNAL); break;
	case 10: end_program(); break;
	case 11: read_stdin(); break;
	case 12: fd_closep(&play.in); break;
	case 13: make_entry(); break;
	case 14: (void)!write(play.out[more & 1], "some text", 9); break;
	default:
		if (more == 0)
			play.fails = true;
		else if (more == 1)
			fd_closep(&play.go);
		else if (more == 2)
			play.cut = shutdown(play.host, SHUT_WR) == 0;
		else if (more == 3)
			rest();
		else
			report();
	}
}

static int played_poll(struct pollfd *p, nfds_t n, int ms)
{
	(void)ms;
	MUST(play.g->stdin_buf.len <= MSG_CREDIT && play.g->out.len <= 32u << 10);
	hear();
	if (play.script.left > 0) {
		step();
	} else {
		/* the host leaves: so must the guest, soon */
		MUST(play.idle++ < IDLE_MAX);
		play.cut = true;
		fd_closep(&play.host);
	}
	return poll(p, n, 0);
}

/* The host always reads, in time. */
static ssize_t played_writev(int fd, const struct iovec *io, int n)
{
	const struct msghdr h = { .msg_iov = (struct iovec *)(uintptr_t)io, .msg_iovlen = (size_t)n };
	ssize_t put = sendmsg(fd, &h, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (put < 0 && errno == EAGAIN) {
		hear();
		put = sendmsg(fd, &h, MSG_DONTWAIT | MSG_NOSIGNAL);
	}
	return put;
}

static pid_t played_wait4(pid_t pid, int *status, int options, struct rusage *use)
{
	(void)pid;
	(void)options;
	if (!play.ended)
		return -1;
	play.ended = false;
	*use = (struct rusage){ .ru_maxrss = 1 };
	*status = play.status;
	return PID;
}

static int played_kill(pid_t pid, int sig)
{
	MUST((pid == PID || pid == -PID) && sig == SIGINT);
	return 0;
}

/* An input may be a link to anywhere; here that must not be followed. */
static int played_symlink(const char *target, const char *path)
{
	(void)target;
	return symlink("nowhere", path);
}

static void begin(struct guest *g, const uint8_t *data, size_t size)
{
	sigset_t chld;
	int pipes[2][2];
	struct err e;

	scratch_enter();
	MUST(mkdir("out", 0755) == 0);
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	(void)sigprocmask(SIG_BLOCK, &chld, NULL);
	while (sigtimedwait(&chld, NULL, &(struct timespec){ 0 }) > 0)
		;
	play = (struct play){ .script = { data, size }, .g = g, .host = -1, .go = -1, .in = -1, .tell = -1, .list = -1 };
	*g = (struct guest){ .ctl = -1, .group = { -1, -1 }, .file = -1, .stdin_fd = -1, .go_fd = -1,
			     .report.fd = -1, .stderr_fd = STDERR_FILENO, .pump = { { .from = -1, .to = -1 }, { .from = -1, .to = -1 } } };
	for (int i = 0; i < 2; i++) {
		MUST(pipe2(pipes[i], O_CLOEXEC | O_NONBLOCK) == 0);
		play.out[i] = pipes[i][1];
		g->pump[i].from = pipes[i][0];
		g->pump[i].to = open("/dev/null", O_WRONLY | O_CLOEXEC);
	}
	g->vm = bytes_one(&play.script) & 1;
	if (!g->vm)
		MUST(boot_dial(g, &e) == 0);
}

static void end(struct guest *g)
{
	int *all[] = { &g->ctl, &g->file, &g->stdin_fd, &g->go_fd, &g->report.fd, &play.host, &play.go, &play.in,
		       &play.tell };

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		fd_closep(all[i]);
	for (size_t i = 0; i < g->kernels; i++)
		fd_closep(&g->kernel[i].go_fd);
	for (int i = 0; i < 2; i++) {
		fd_closep(&play.out[i]);
		fd_closep(&g->pump[i].from);
		fd_closep(&g->pump[i].to);
		free(g->pump[i].chunk);
	}
	if (g->seen)
		tdestroy(g->seen->root, free);
	free(g->seen);
	strv_free(&g->args);
	strv_free(&g->env);
	strv_free(&g->include);
	strv_free(&g->exclude);
	buf_free(&g->out);
	buf_free(&g->stdin_buf);
	buf_free(&play.heard);
	scratch_clean();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct guest g;

	begin(&g, data, size);
	int rc = guest_serve(&g);
	hear();
	bool session = g.kernels > 0;
	const struct heard_rules rules = {
		.files_max = session ? MSG_MIRROR_MAX : FILES_MAX, .output_max = OUTPUT_MAX,
		.list = g.run.flags & MSG_LIST && !session, .session = session, .fed = play.fed,
		.dialled_anew = play.dialled_anew, .cut = play.cut, .failed = rc != 0,
	};
	heard_check(&play.heard, &rules);
	end(&g);
	return 0;
}
