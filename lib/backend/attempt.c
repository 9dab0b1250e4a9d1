/* SPDX-License-Identifier: Apache-2.0 */
/* attempt - the keeper's life; see backend.h */
#include "backend/backend.h"

#include "base/fd.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Everything is inherited from the command by fork, but only the link and the
 * cgroup's files are meant for us. */
static void close_stdio(void)
{
	for (int fd = 0; fd <= 2; fd++)
		(void)close(fd);
	unsigned ignored;
	(void)fd_guard_stdio(&ignored);		/* the root has a /dev/null */
}

/* Soft limits are the caller's wish for its own work; the hard ones hold. */
static void raise_limits(void)
{
	static const __rlimit_resource_t raised[] = { RLIMIT_NOFILE, RLIMIT_AS, RLIMIT_FSIZE };
	struct rlimit r;

	for (size_t i = 0; i < sizeof(raised) / sizeof(*raised); i++)
		if (getrlimit(raised[i], &r) == 0) {
			r.rlim_cur = r.rlim_max;
			(void)setrlimit(raised[i], &r);	/* never more than is allowed */
		}
}

static int first_fit(const struct choice *c)
{
	int i = 0;

	while (i < BACKENDS && !c->program[i])
		i++;
	return i;
}

static int make_attempt(const struct choice *c, int which, int link, struct sandbox *sb,
			struct err *e)
{
	struct root_bind binds[BACKEND_BINDS] = { { NULL, NULL } };
	struct keeper_msg m = { .what = KEEPER_ATTEMPT, .attempt = 1, .backend = (uint32_t)which };

	if (backends[which]->binds(c, c->program[which], binds, e) < 0 ||
	    root_enter(binds, e) < 0)
		return -1;
	close_stdio();
	if (backends[which]->start(c, sb, e) < 0)
		return -1;
	int rc = keeper_send(link, &m, sb->fd, KEEPER_FDS, e);
	for (int i = 0; i < KEEPER_FDS; i++)
		fd_closep(&sb->fd[i]);
	return rc;
}

int backend_attempt(void *choice, int link)
{
	const struct choice *c = choice;
	struct sandbox sb = { .fd = { -1, -1, -1 } };
	struct keeper_msg failed = { .what = KEEPER_FAILED, .attempt = 1 };
	int which = first_fit(c);

	raise_limits();
	if (make_attempt(c, which, link, &sb, &failed.err) < 0) {
		(void)err_in(&failed.err, "%s", backends[which]->name);
		(void)keeper_send(link, &failed, NULL, 0, &failed.err);	/* nobody left to tell */
		return 1;
	}
	/* As the first process we inherit what the backend leaves; the end is
	 * that of the backend's own process. */
	int status = 0;
	for (pid_t pid; (pid = wait(&status)) != sb.pid;)
		if (pid < 0 && errno != EINTR)
			break;
	struct keeper_msg end = { .what = KEEPER_ENDED, .attempt = 1 };
	if (WIFSIGNALED(status))
		(void)err_set(&end.err, ERR_DIED, "killed by signal %d", WTERMSIG(status));
	else
		(void)err_set(&end.err, ERR_DIED, "exit status %d", WEXITSTATUS(status));
	(void)keeper_send(link, &end, NULL, 0, &end.err);	/* it may be gone */
	return 0;
}
