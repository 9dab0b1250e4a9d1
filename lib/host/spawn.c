/* SPDX-License-Identifier: Apache-2.0 */
/* spawn - see spawn.h */
#include "host/spawn.h"

#include "base/clock.h"
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void unblock_signals(void)
{
	sigset_t none;

	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

static void become(const char *const *argv, int out)
{
	static char *env[] = { NULL };
	int in = open("/dev/null", O_RDONLY | O_CLOEXEC);

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);	/* it is short-lived in any case */
	(void)setpgid(0, 0);			/* so that all of it can be killed */
	unblock_signals();
	if (dup2(in, 0) >= 0 && dup2(out, 1) >= 0 && dup2(out, 2) >= 0)
		execve(argv[0], (char *const *)(uintptr_t)argv, env);
	_exit(127);
}

/* Reads until the end or the deadline; 0 at the end. */
static int drain(int fd, int64_t until, char *text, size_t size)
{
	size_t n = 0;
	char rest[4096];

	for (;;) {
		struct pollfd p = { fd, POLLIN, 0 };
		int ready = poll(&p, 1, clock_poll_ms(until));

		text[n] = 0;
		if (ready == 0 || (ready < 0 && errno != EINTR))
			return -1;
		ssize_t got = n + 1 < size ? read(fd, text + n, size - 1 - n)
					   : read(fd, rest, sizeof(rest));
		if (got == 0)
			return 0;
		if (got > 0 && n + 1 < size)
			n += (size_t)got;
	}
}

pid_t spawn_fork(int *from, int *to, struct err *e)
{
	int pair[2];

	if (pipe2(pair, O_CLOEXEC) < 0)
		return err_sys(e, ERR_HOST, "make a pipe");
	*from = pair[0];
	*to = pair[1];
	pid_t pid = fork();
	return pid < 0 ? err_sys(e, ERR_HOST, "fork") : pid;
}

pid_t spawn_become(int (*become_it)(const void *arg, struct err *e), const void *arg, struct err *e)
{
	struct err failed = { 0 };
	AUTO_FD from = -1;
	AUTO_FD to = -1;
	pid_t pid = spawn_fork(&from, &to, e);

	if (pid < 0)
		return -1;
	if (pid == 0) {
		unblock_signals();
		(void)become_it(arg, &failed);
		(void)fd_write_all(to, &failed, sizeof(failed));	/* else the reader sees an end */
		_exit(1);
	}
	fd_closep(&to);
	if (fd_read_all(from, &failed, sizeof(failed)) <= 0)
		return pid;
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	*e = failed;
	return -1;
}

int spawn_read(const char *const *argv, uint32_t ms, char *text, size_t size, struct err *e)
{
	AUTO_FD from = -1;
	AUTO_FD to = -1;
	int status;
	pid_t pid = spawn_fork(&from, &to, e);

	if (pid < 0)
		return -1;
	if (pid == 0)
		become(argv, to);
	(void)setpgid(pid, pid);	/* whoever of us two is first */
	fd_closep(&to);
	int late = drain(from, clock_now_us() + (int64_t)ms * 1000, text, size);
	if (late)
		(void)kill(-pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (late)
		(void)err_set(e, ERR_BACKEND, "%s: no answer within %u ms", argv[0], ms);
	else if (WIFSIGNALED(status))
		(void)err_set(e, ERR_BACKEND, "%s: killed by signal %d", argv[0], WTERMSIG(status));
	if (late || WIFSIGNALED(status)) {
		e->sys = ECHILD;
		return -1;
	}
	if (WEXITSTATUS(status) == 127 && !*text)
		return err_set(e, ERR_BACKEND, "%s: cannot be started", argv[0]);
	return WEXITSTATUS(status);
}
