/* SPDX-License-Identifier: Apache-2.0 */
/* link - what the keeper has to say: an attempt, a snapshot, an end; see turn.h */
#include "run/turn.h"

#include "base/clock.h"
#include "base/fd.h"
#include "base/trace.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DEAR_MS 5000		/* a template that fails is dear from there on */
#define CLONE_BOOT_MS 10000u	/* that a clone may take to say hello */

void turn_give_up(struct turn *t, const char *warning)
{
	struct err ignored;

	if (warning)
		(void)strv_add(&t->r->warnings, warning, &ignored);	/* memory: then unsaid */
	turn_enter(t, TURN_OVER, NUM_NONE);
}

/* A template that is slow costs its time and a cold start; a session has nothing else. */
static uint64_t clone_ms(const struct turn *t)
{
	return t->choice->resume_dir ? t->choice->boot_ms : CLONE_BOOT_MS;
}

/* The keeper itself waits for a guest that dials, and says how that went. */
uint64_t turn_boot_ms(const struct turn *t)
{
	bool waits = backends[choice_first(t->choice)]->told != NULL;
	uint64_t ms = t->clone ? clone_ms(t) : t->choice->boot_ms;

	return waits ? ms + PLAN_END_MS : ms;
}

/* What cost seconds and came to nothing is not tried by each run. */
static void avoid_template(const struct turn *t)
{
	if (clock_now_us() - t->r->begin_us > DEAR_MS * 1000ll)
		template_avoid(&t->road->make);
}

/* Another attempt follows; nothing of the last one counts. */
static void forget_attempt(struct turn *t)
{
	fd_closep(&t->ctl);
	fd_closep(&t->out_fd);
	fd_closep(&t->err_fd);
	fd_closep(&t->in_fd);
	t->from.len = t->to.len = 0;
	t->next = 0;
	t->in_open = false;
	*t->how = 0;
	t->attempt++;
}

/* A session has nothing but its snapshot. Restores are known to fail once in a while. */
static int resume_again(struct turn *t, const char *why, struct err *e)
{
	if (t->resumes++ > 0)
		return err_set(e, ERR_SESSION, "session '%s': the snapshot of its turn %ju does not start "
			       "(%.200s); it is left as it is", t->live->session.name,
			       (uintmax_t)t->live->session.turn, why);
	forget_attempt(t);
	turn_enter(t, TURN_BOOT, turn_boot_ms(t));
	return keeper_ask(t->road->keeper.link, KEEPER_AGAIN, 0, e);
}

int turn_go_cold(struct turn *t, bool damaged, const char *why, struct err *e)
{
	char text[ERR_MSG_MAX];
	struct err ignored;

	if (t->choice->resume_dir)
		return resume_again(t, why, e);
	snprintf(text, sizeof(text), "%s (%.300s)%s; cold start", t->making ? "no template could be made"
		 : "the template did not start a sandbox", why, t->making || !damaged ? "" : ": removed");
	(void)strv_add(&t->r->notes, text, &ignored);
	if (t->making) {
		template_end(&t->road->make, false);
		avoid_template(t);
	} else if (damaged) {
		template_drop(t->choice->template_dir ? &t->road->from : &t->road->make.at);
	}
	t->clone = t->making = false;
	forget_attempt(t);
	turn_enter(t, TURN_BOOT, turn_boot_ms(t));
	return keeper_ask(t->road->keeper.link, KEEPER_NEXT, 0, e);
}

/* A session's is made, or not: that is the end of the turn. */
static int on_kept(struct turn *t, const struct keeper_msg *m)
{
	trace("sandbox saved");
	if (m->err.kind)
		live_refuse(t->live, t->r, m->err.msg);
	else
		(void)live_commit(t->live, t->r, &t->r->session.why);
	turn_give_up(t, NULL);
	return 0;
}

/* The snapshot is made, or not; the sandbox that was to be goes on as a clone
 * of itself would. */
static int on_saved(struct turn *t, const struct keeper_msg *m, struct err *e)
{
	char text[ERR_MSG_MAX + 64];
	bool ends = backends[m->backend]->save_ends;
	struct err ignored;

	if (t->phase == TURN_KEEP)
		return on_kept(t, m);
	if (!t->making || !t->saving)
		return err_set(e, ERR_DIED, "the keeper saved what it was not asked to");
	trace("template saved");
	t->making = false;
	t->r->left_template = template_end(&t->road->make, m->err.kind == ERR_NONE);
	if (m->err.kind) {
		avoid_template(t);
		snprintf(text, sizeof(text), "no template was made: %s", m->err.msg);
		(void)strv_add(&t->r->notes, text, &ignored);
	}
	if (!ends) {
		turn_enter(t, TURN_BOOT, t->plan->boot_ms);
		return feed_begin(t, e);
	}
	/* the sandbox is no more: its first clone takes its place */
	forget_attempt(t);
	t->clone = t->r->left_template;
	turn_enter(t, TURN_BOOT, turn_boot_ms(t));
	return keeper_ask(t->road->keeper.link, t->clone ? KEEPER_CLONE : KEEPER_NEXT, 0, e);
}

/* The first line of what the backend itself had to say, or else how it ended. */
static void boot_text(const struct turn *t, char *text, size_t size)
{
	int fd[2] = { t->err_fd, t->out_fd };
	ssize_t n = 0;

	for (int i = 0; n <= 0 && i < 2; i++)
		if (fd[i] >= 0 && fd_nonblock(fd[i], true) == 0)
			n = read(fd[i], text, size - 1);
	text[n > 0 ? n : 0] = 0;
	text[strcspn(text, "\n")] = 0;
	if (!*text)
		snprintf(text, size, "%s", t->how);
}

/* The keeper says how the backend ended in a moment, if it still lives. */
static int hear_how(struct turn *t, struct err *e)
{
	struct pollfd link = { t->road->keeper.link, POLLIN, 0 };

	if (*t->how || link.fd < 0 || poll(&link, 1, PLAN_END_MS) <= 0)
		return 0;
	return turn_hear(t, e);
}

/* Without a cgroup nobody counts how often memory was refused: how it ended has to tell. */
static bool is_starved(struct turn *t)
{
	const struct backend *b = backends[choice_first(t->choice)];
	struct err ignored = { 0 };

	if (t->choice->cgroup.memory || t->phase <= TURN_MAKE || !b->starved)
		return false;
	(void)hear_how(t, &ignored);
	return *t->how && b->starved(t->status, t->peak_bytes);
}

int turn_died(struct turn *t, struct err *e)
{
	char text[300];

	/* a snapshot may end the sandbox; the keeper says when it is there */
	if (t->phase >= TURN_DRAIN || (t->saving && t->making))
		return 0;
	if (t->phase <= TURN_MAKE && (t->clone || t->phase == TURN_MAKE)) {
		boot_text(t, text, sizeof(text));
		return turn_go_cold(t, true, *text ? text : "it ended", e);
	}
	if (cgroup_oom_kills(&t->choice->cgroup) > 0 || is_starved(t)) {
		turn_strike(t, LIMIT_MEMORY);
		turn_give_up(t, "the memory limit ended the whole sandbox: files may be lost");
		return 0;
	}
	/* the keeper ends all, if we are too late to */
	if (t->phase == TURN_RUN && clock_now_us() >= t->deadline_us)
		turn_strike(t, LIMIT_TIMEOUT);
	if (t->phase == TURN_KILL || t->r->struck < LIMITS)
		return turn_give_up(t, "the sandbox ended before its files could be kept"), 0;
	if (t->phase > TURN_MAKE)
		return err_set(e, ERR_DIED, "the sandbox died before the program's end");
	if (hear_how(t, e) < 0)
		return -1;
	boot_text(t, text, sizeof(text));
	return err_set(e, ERR_BOOT, "the sandbox did not start%s%s", *text ? ": " : "", text);
}

/* The sandbox is started: its channels are ours. */
static int on_attempt(struct turn *t, const struct keeper_msg *m, const int fd[KEEPER_FDS], struct err *e)
{
	trace("sandbox handed over");
	t->r->backend = backends[m->backend]->name;
	t->clone = m->clone;
	t->r->clone = m->clone && !t->r->left_template;
	t->r->resumed = m->clone && t->choice->resume_dir;
	*t->how = 0;
	if (t->clone)
		turn_enter(t, TURN_BOOT, clone_ms(t));
	t->ctl = fd[0];
	t->out_fd = fd[1];
	t->err_fd = fd[2];
	if (fd_nonblock(t->ctl, true) < 0)
		return err_sys(e, ERR_HOST, "set up the control channel");
	return t->making ? feed_prepare(t, e) : feed_begin(t, e);
}

int turn_hear(struct turn *t, struct err *e)
{
	struct keeper_msg m;
	int fd[KEEPER_FDS];
	int rc = keeper_recv(t->road->keeper.link, &m, fd);

	if (rc < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : err_sys(e, ERR_HOST, "hear the keeper");
	if (rc == 0) {
		fd_closep(&t->road->keeper.link);
		/* with a sandbox, the end of its channel is what tells */
		return t->ctl < 0 ? err_set(e, ERR_DIED, "the keeper died") : 0;
	}
	if (m.backend >= BACKENDS)
		return err_set(e, ERR_DIED, "the keeper names a backend that there is not");
	/* it was given up before this came, and another was asked for */
	if (m.attempt < t->attempt && (m.what != KEEPER_FAILED || m.clone)) {
		for (int i = 0; i < KEEPER_FDS; i++)
			fd_closep(&fd[i]);
		return 0;
	}
	switch (m.what) {
	case KEEPER_FAILED:
		if (m.clone)
			return turn_go_cold(t, true, m.err.msg, e);
		*e = m.err;
		return -1;
	case KEEPER_ENDED:
		/* what it still said is in the channel: its end comes there */
		snprintf(t->how, sizeof(t->how), "%.60s", m.err.msg);
		t->status = m.status;
		t->peak_bytes = m.peak_bytes;
		return t->phase <= TURN_MAKE && t->ctl >= 0 ? turn_died(t, e) : 0;
	case KEEPER_SAVED:
		return on_saved(t, &m, e);
	default:
		return on_attempt(t, &m, fd, e);
	}
}
