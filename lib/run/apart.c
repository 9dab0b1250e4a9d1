/* SPDX-License-Identifier: Apache-2.0 */
/* apart - a run in a process of its own; see run.h */
#include "run/run.h"

#include "base/clock.h"
#include "base/fd.h"
#include "host/spawn.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void summarize(const struct result *r, struct run_summary *s)
{
	*s = (struct run_summary){ .status = r->status, .error = r->error, .clone = r->clone,
				   .left_template = r->left_template, .us = r->finish_us - r->begin_us };
	if (r->out.held.len < sizeof(s->out))
		memcpy(s->out, r->out.held.at ? (char *)r->out.held.at : "", r->out.held.len);
	if (*r->cold)
		snprintf(s->note, sizeof(s->note), "no template was made: %.400s", r->cold);
	else if (r->notes.n > 0)	/* what failed on the way comes before what holds for all runs */
		snprintf(s->note, sizeof(s->note), "%s", r->notes.at[0]);
}

static void run_child(struct plan *p, int to)
{
	struct run_summary s;
	struct result r;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	run(p, clock_now_us(), 0, NULL, &r);
	summarize(&r, &s);
	_exit(fd_write_all(to, &s, sizeof(s)) < 0);
}

int run_apart(struct plan *p, struct run_summary *s, struct err *e)
{
	AUTO_FD from = -1;
	AUTO_FD to = -1;
	pid_t pid = spawn_fork(&from, &to, e);

	if (pid < 0)
		return -1;
	if (pid == 0)
		run_child(p, to);
	/* a terminal's goes to both: the child's answer to it is ours */
	sighandler_t before = signal(SIGINT, SIG_IGN);

	fd_closep(&to);
	ssize_t n = fd_read_all(from, s, sizeof(*s));
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	(void)signal(SIGINT, before);
	return n == sizeof(*s) ? 0 : err_set(e, ERR_DIED, "the process of the run died");
}
