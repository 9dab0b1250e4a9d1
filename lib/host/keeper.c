/* SPDX-License-Identifier: Apache-2.0 */
/* keeper - see keeper.h */
#include "host/keeper.h"

#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NAMESPACES (CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS)

static int write_file(const char *path, const char *text, struct err *e)
{
	AUTO_FD fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || fd_write_all(fd, text, strlen(text)) < 0)
		return err_sys(e, ERR_BACKEND, "write %s", path);
	return 0;
}

/* A plain user is uid 0 of the new user namespace, and nobody else is there. */
static int map_user(uid_t uid, gid_t gid, struct err *e)
{
	char text[64];

	if (write_file("/proc/self/setgroups", "deny", e) < 0)
		return -1;
	snprintf(text, sizeof(text), "0 %u 1", uid);
	if (write_file("/proc/self/uid_map", text, e) < 0)
		return -1;
	snprintf(text, sizeof(text), "0 %u 1", gid);
	return write_file("/proc/self/gid_map", text, e);
}

/* Ties our life to the command's. A parent-death signal is forgotten at a
 * change of uid, so it is set after that; and it says nothing of a parent
 * that died before it was set: the link does, whose other end is closed then.
 * (getppid() is 0 here, in the new PID namespace, either way.) */
static int tie_life(int link, struct err *e)
{
	struct pollfd p = { link, POLLIN, 0 };

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		return err_sys(e, ERR_HOST, "tie the keeper's life to ours");
	if (poll(&p, 1, 0) < 0 || p.revents & POLLHUP)
		_exit(0);
	if (setsid() < 0)
		return err_sys(e, ERR_HOST, "start a session");
	return 0;
}

/* Our copies of the caller's arguments and environment, which /proc shows: a backend
 * has no need to read a program or a secret there. The first word stays, a name. */
static void wipe_words(void)
{
	char text[1024];
	unsigned long at[4] = { 0 };	/* arguments and environment: start, end */

	(void)fd_read_text("/proc/self/stat", text, sizeof(text));	/* then nothing is wiped */
	char *word = strrchr(text, ')');
	for (int field = 3; word && field <= 51 && (word = strchr(word + 1, ' ')); field++)
		if (field >= 48)
			at[field - 48] = strtoul(word + 1, NULL, 10);
	if (!word || !at[0] || at[1] < at[0] || at[3] < at[2])	/* an old kernel */
		return;
	size_t name = strnlen((char *)at[0], at[1] - at[0]);
	memset((char *)at[0] + name, 0, at[1] - at[0] - name);
	memset((char *)at[2], 0, at[3] - at[2]);
}

static void reset_signals(void)
{
	sigset_t none;

	for (int s = 1; s < NSIG; s++)
		(void)signal(s, SIG_DFL);	/* KILL and STOP refuse, rightly */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

int keeper_start(struct keeper *k, int (*body)(void *arg, int link), void *arg, struct err *e)
{
	uid_t uid = geteuid();
	gid_t gid = getegid();
	unsigned long flags = NAMESPACES | SIGCHLD | (uid ? CLONE_NEWUSER : 0);
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return err_sys(e, ERR_HOST, "make a socket pair");
	AUTO_FD ours = pair[0];
	AUTO_FD theirs = pair[1];
	pid_t pid = (pid_t)syscall(SYS_clone, flags, NULL, NULL, NULL, 0);
	if (pid < 0)
		return err_sys(e, ERR_BACKEND, "make namespaces%s", uid ? " as a plain user" : "");
	if (pid == 0) {
		struct keeper_msg m = { .what = KEEPER_FAILED };

		fd_closep(&ours);
		reset_signals();
		wipe_words();
		if ((uid && map_user(uid, gid, &m.err) < 0) || tie_life(theirs, &m.err) < 0) {
			(void)keeper_send(theirs, &m, NULL, 0, &m.err);
			_exit(1);
		}
		_exit(body(arg, theirs));
	}
	k->pid = pid;
	k->link = fd_take(&ours);
	return 0;
}

void keeper_end(struct keeper *k)
{
	fd_closep(&k->link);	/* at its end it goes of itself, too */
	if (k->pid > 0) {
		(void)kill(k->pid, SIGKILL);	/* not reaped yet: the pid is its own */
		while (waitpid(k->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	k->pid = 0;
}

int keeper_send(int link, const struct keeper_msg *m, const int *fd, int n, struct err *e)
{
	char space[CMSG_SPACE(sizeof(int) * KEEPER_FDS)] = { 0 };
	struct iovec io = { (void *)(uintptr_t)m, sizeof(*m) };
	struct msghdr h = { .msg_iov = &io, .msg_iovlen = 1 };

	if (n > 0) {
		h.msg_control = space;
		h.msg_controllen = CMSG_SPACE(sizeof(int) * (size_t)n);
		struct cmsghdr *c = CMSG_FIRSTHDR(&h);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int) * (size_t)n);
		memcpy(CMSG_DATA(c), fd, sizeof(int) * (size_t)n);
	}
	if (sendmsg(link, &h, MSG_NOSIGNAL) < 0)
		return err_sys(e, ERR_HOST, "tell the command");
	return 0;
}

int keeper_ask(int link, enum keeper_ask what, uint64_t ms, struct err *e)
{
	struct keeper_word word = { what, ms };

	if (send(link, &word, sizeof(word), MSG_NOSIGNAL) != sizeof(word))
		return err_sys(e, ERR_HOST, "ask the keeper");
	return 0;
}

int keeper_recv(int link, struct keeper_msg *m, int fd[KEEPER_FDS])
{
	char space[CMSG_SPACE(sizeof(int) * KEEPER_FDS)];
	struct iovec io = { m, sizeof(*m) };
	/* not all of SPACE: its padding would hold one more */
	struct msghdr h = { .msg_iov = &io, .msg_iovlen = 1, .msg_control = space,
			    .msg_controllen = CMSG_LEN(sizeof(int) * KEEPER_FDS) };
	ssize_t n = recvmsg(link, &h, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	char text[ERR_MSG_MAX];

	for (int i = 0; i < KEEPER_FDS; i++)
		fd[i] = -1;
	if (n < 0)
		return errno == ECONNRESET ? 0 : -1;
	struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&h) : NULL;
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
		memcpy(fd, CMSG_DATA(c), c->cmsg_len - CMSG_LEN(0));
	if (n != sizeof(*m))
		return 0;
	/* it tells what a backend said */
	m->err.msg[sizeof(m->err.msg) - 1] = 0;
	snprintf(text, sizeof(text), "%s", m->err.msg);
	if (m->err.kind)
		(void)err_set(&m->err, m->err.kind, "%s", text);
	return 1;
}
