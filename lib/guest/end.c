/* SPDX-License-Identifier: Apache-2.0 */
/* end - how a turn ends: the program is no more, or the kernel of a session has run its
 * cell and rests; see guest.h */
#include "guest/guest.h"

#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

static int send_done(struct guest *g, struct err *e)
{
	uint8_t body[16];
	struct packer p = { .at = body, .cap = sizeof(body) };

	for (int i = 0; i < 2; i++)
		pack_number(&p, g->vm ? pump_total(&g->pump[i]) : MSG_UNCOUNTED, 8);
	return guest_send(g, MSG_DONE, body, p.len, e);
}

static int send_ended(struct guest *g, const struct msg_ended *m, struct err *e)
{
	uint8_t body[64];
	ssize_t n = msg_put_ended(m, body, sizeof(body), e);

	return n < 0 ? -1 : guest_send(g, MSG_ENDED, body, (size_t)n, e);
}

static uint64_t cpu_us(const struct timeval *all, uint64_t spent)
{
	uint64_t us = (uint64_t)all->tv_sec * 1000000 + (uint64_t)all->tv_usec;

	return us > spent ? us - spent : 0;
}

/* The run is over, and the sandbox of no more use. */
static int end_run(struct guest *g, int status, const struct rusage *use, struct err *e)
{
	if (g->by == MSG_BY_ITSELF && WIFSIGNALED(status) && world_memory_struck(g))
		g->by = MSG_BY_MEMORY;
	const struct msg_ended m = {
		.signaled = WIFSIGNALED(status), .by = (uint8_t)g->by,
		.code = (uint32_t)(WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status)),
		.user_us = cpu_us(&use->ru_utime, g->spent_user_us),
		.sys_us = cpu_us(&use->ru_stime, g->spent_sys_us),
		.peak_bytes = (uint64_t)use->ru_maxrss << 10,
	};

	if (program_end_all(g, e) < 0 || report_end(g, e) < 0 || send_ended(g, &m, e) < 0 ||
	    collect_send(g, e) < 0 || send_done(g, e) < 0)
		return -1;
	return 0;
}

int end_reap(struct guest *g, struct err *e)
{
	struct rusage use, last = { 0 };
	int status, final = 0;
	bool over = false;
	pid_t pid;

	while ((pid = wait4(-1, &status, WNOHANG, &use)) > 0) {
		if (over || !kernel_is(g, pid))
			continue;
		/* without one of its kernels a session is not what it was */
		over = true;
		final = status;
		if (pid == g->pid)
			last = use;
	}
	if (!over)
		return 1;
	g->pid = -1;
	if (!g->started)
		return err_set(e, ERR_IMAGE, g->resumed ? "a kernel of the session ended between two turns"
			       : "the interpreter ended before the program");
	return end_run(g, final, &last, e);
}

int end_rest(struct guest *g, struct err *e)
{
	struct msg_ended m = { .by = MSG_BY_ITSELF, .code = g->code, .count = g->count };
	struct err why = { 0 };

	g->over = false;
	if (g->by != MSG_BY_ITSELF)	/* its end is under way */
		return 1;
	if (still_begin(g, &why) < 0) {
		program_kill(g, MSG_BY_ITSELF);
		return 1;
	}
	int rc = end_reap(g, e);	/* a kernel may have died meanwhile */
	if (rc <= 0)
		return rc;
	kernel_usage(g, &m);
	if (report_drain(g, e) < 0 || send_ended(g, &m, e) < 0 || collect_send(g, e) < 0 ||
	    send_done(g, e) < 0)
		return -1;
	kernel_next(g);
	return 1;
}
