/* SPDX-License-Identifier: Apache-2.0 */
/* attempt - the keeper's life; see backend.h */
#include "backend/backend.h"

#include "base/clock.h"
#include "base/fd.h"
#include "base/num.h"
#include "base/trace.h"
#include "host/confine.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Everything is inherited from the command by fork, but only the link and the
 * cgroup's files are meant for us. */
static void close_inherited(const struct cgroup *cg, int link, int sig_fd)
{
	int keep[CGROUP_LEAVES + 2] = { link, sig_fd };
	size_t n = 2;

	for (int i = 0; i < cg->n; i++)
		keep[n++] = cg->leaf[i].procs;
	fd_close_but(keep, n);
	for (int fd = 0; fd <= 2; fd++)
		(void)close(fd);
	unsigned ignored;
	(void)fd_guard_stdio(&ignored);		/* the root has a /dev/null */
}

/* Soft limits are the caller's wish for its own work; the hard ones hold. */
static void raise_limits(void)
{
	static const __rlimit_resource_t raised[] = { RLIMIT_NOFILE, RLIMIT_AS, RLIMIT_FSIZE,
						      RLIMIT_SIGPENDING };
	struct rlimit r;

	for (size_t i = 0; i < sizeof(raised) / sizeof(*raised); i++)
		if (getrlimit(raised[i], &r) == 0) {
			r.rlim_cur = r.rlim_max;
			(void)setrlimit(raised[i], &r);	/* never more than is allowed */
		}
}

struct keeping {
	const struct choice *c;
	int which, link, sig_fd;
	unsigned attempt;
	bool clone;
	int64_t deadline_us;	/* the second one: see KEEPER_LIMIT */
	struct sandbox sb;
};

/* Starts the next attempt and hands it over. */
static int make_attempt(struct keeping *k, struct err *e)
{
	struct keeper_msg m = { .what = KEEPER_ATTEMPT, .attempt = ++k->attempt,
				.backend = (uint32_t)k->which, .clone = k->clone };

	if (backends[k->which]->start(k->c, k->clone, k->attempt, &k->sb, e) < 0) {
		m.what = KEEPER_FAILED;
		m.err = *e;
		return k->clone ? keeper_send(k->link, &m, NULL, 0, e) : -1;
	}
	int rc = keeper_send(k->link, &m, k->sb.fd, KEEPER_FDS, e);
	for (int i = 0; i < KEEPER_FDS; i++)
		fd_closep(&k->sb.fd[i]);
	return rc;
}

static int first_attempt(struct keeping *k, struct err *e)
{
	struct root_bind binds[BACKEND_BINDS] = { { NULL } };
	const struct backend *b = backends[k->which];
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0 ||
	    (k->sig_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK)) < 0)
		return err_sys(e, ERR_HOST, "watch children");
	raise_limits();
	trace("keeper: up");
	if (b->binds(k->c, k->c->program[k->which], binds, e) < 0 || root_enter(binds, e) < 0)
		return -1;
	close_inherited(&k->c->cgroup, k->link, k->sig_fd);
	trace("keeper: in its root");
	if (confine(&(struct confine){ .who = CONFINE_STARTER }, e) < 0)
		return -1;
	trace("keeper: a starter's rights");
	return make_attempt(k, e);
}

static void say(struct keeping *k, struct keeper_msg m)
{
	struct err ignored;

	m.attempt = k->attempt;
	m.backend = (uint32_t)k->which;
	(void)keeper_send(k->link, &m, NULL, 0, &ignored);	/* it may be gone: then so are we */
}

/* As the first process we inherit what the backend leaves; the end is that of
 * the backend's own process. */
static void reap(struct keeping *k)
{
	struct keeper_msg m = { .what = KEEPER_ENDED };
	struct signalfd_siginfo si;
	struct rusage use;

	while (read(k->sig_fd, &si, sizeof(si)) > 0)
		;
	for (pid_t pid; (pid = wait4(-1, &m.status, WNOHANG, &use)) > 0;) {
		if (pid != k->sb.pid)
			continue;
		k->sb.pid = 0;
		m.peak_bytes = (uint64_t)use.ru_maxrss << 10;
		if (WIFSIGNALED(m.status))
			(void)err_set(&m.err, ERR_DIED, "killed by signal %d", WTERMSIG(m.status));
		else
			(void)err_set(&m.err, ERR_DIED, "exit status %d", WEXITSTATUS(m.status));
		say(k, m);
	}
}

/* A template that is in its place is changed no more. (EINVAL, ENOENT: it is shut, or
 * went away before it was bound.) */
static int shut_template(const struct keeping *k, struct err *e)
{
	if (k->c->save_dir && umount2(BACKEND_SAVE, MNT_DETACH) < 0 && errno != EINVAL && errno != ENOENT)
		return err_sys(e, ERR_HOST, "shut the template's folder");
	return 0;
}

/* It has started its last backend, which lives on by itself. */
static int give_up_rights(const struct keeping *k, struct err *e)
{
	for (int i = 0; i < k->c->cgroup.n; i++)
		(void)close(k->c->cgroup.leaf[i].procs);
	if (shut_template(k, e) < 0)
		return -1;
	return confine(&(struct confine){ .who = CONFINE_KEEPER }, e);
}

static int obey(struct keeping *k, const struct keeper_word *word, struct err *e)
{
	struct keeper_msg saved = { .what = KEEPER_SAVED };

	switch (word->what) {
	case KEEPER_LIMIT:
		k->deadline_us = word->ms == NUM_NONE ? CLOCK_NEVER
			       : clock_now_us() + (int64_t)word->ms * 1000;
		return 0;
	case KEEPER_SAVE:
		(void)backends[k->which]->save(k->c, &k->sb, k->attempt, &saved.err);
		/* a session's keeper is never told that this was the last */
		if (!backends[k->which]->save_ends && shut_template(k, e) < 0)
			return -1;
		say(k, saved);
		return 0;
	case KEEPER_KEEP:
		(void)backends[k->which]->keep(k->c, &k->sb, k->attempt, &saved.err);
		say(k, saved);
		return 0;
	case KEEPER_CLONE:
		k->clone = true;
		return make_attempt(k, e);
	case KEEPER_AGAIN:
	case KEEPER_NEXT:
		k->sb.pid = 0;
		(void)kill(-1, SIGKILL);	/* ESRCH: all of it has ended already */
		while (wait(NULL) > 0 || errno == EINTR)
			;
		k->clone &= word->what == KEEPER_AGAIN;
		return make_attempt(k, e);
	case KEEPER_LAST:
		return give_up_rights(k, e);
	default:
		return 0;
	}
}

/* Until the link ends, or the second deadline: our end is that of all. */
static int keep(struct keeping *k, struct err *e)
{
	for (;;) {
		struct pollfd p[] = { { k->link, POLLIN, 0 }, { k->sig_fd, POLLIN, 0 } };
		struct keeper_word word;

		if (poll(p, 2, clock_poll_ms(k->deadline_us)) < 0 && errno != EINTR)
			return err_sys(e, ERR_HOST, "poll");
		if (clock_now_us() >= k->deadline_us)
			return 0;
		if (p[1].revents)
			reap(k);
		if (!p[0].revents)
			continue;
		if (recv(k->link, &word, sizeof(word), 0) != sizeof(word))
			return 0;
		if (obey(k, &word, e) < 0)
			return -1;
	}
}

int backend_attempt(void *choice, int link)
{
	const struct choice *c = choice;
	struct keeping k = { .c = c, .which = choice_first(c), .link = link, .sig_fd = -1,
			     .deadline_us = CLOCK_NEVER,
			     .clone = c->template_dir != NULL, .sb.fd = { -1, -1, -1 } };
	struct keeper_msg failed = { .what = KEEPER_FAILED };

	if (first_attempt(&k, &failed.err) == 0 && keep(&k, &failed.err) == 0)
		return 0;
	(void)err_in(&failed.err, "%s", backends[k.which]->name);
	say(&k, failed);
	return 1;
}

int backend_attempt_later(void *choice, int link)
{
	struct keeper_word word;

	return recv(link, &word, sizeof(word), 0) == sizeof(word) && word.what == KEEPER_GO
		? backend_attempt(choice, link) : 0;
}
