/* SPDX-License-Identifier: Apache-2.0 */
/* turn - the loop of one run, and its deadlines; see turn.h */
#include "run/turn.h"

#include "base/clock.h"
#include "base/fd.h"
#include "base/trace.h"
#include "out/lines.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define DEAR_MS 5000		/* a template that fails is dear from there on */
#define LAST_MS 30000u		/* that the last of the output may be under way */
#define CLONE_BOOT_MS 10000u	/* that a clone may take to say hello */

enum { P_LINK, P_CTL, P_SIGNAL, P_OUT, P_ERR, P_FILES, P_LINES, P_STDIN, POLLED };

void turn_enter(struct turn *t, enum turn_phase phase, uint64_t after_ms)
{
	t->phase = phase;
	t->deadline_us = after_ms == NUM_NONE ? CLOCK_NEVER
			: clock_now_us() + (int64_t)after_ms * 1000;
}

void turn_load(struct turn *t)
{
	bool user = t->inputs->from_stdin || t->inputs->tar;

	/* whoever types his program may take as long as he likes */
	turn_enter(t, TURN_LOAD, user ? NUM_NONE : t->plan->boot_ms);
}

/* From here on nobody waits for a slow reader, nor for what comes late. */
static void hurry(struct turn *t)
{
	t->hurry = true;
	if (t->phase == TURN_DRAIN)
		turn_enter(t, TURN_DRAIN, PLAN_END_MS);
}

int turn_interrupt(struct turn *t, struct err *e)
{
	hurry(t);
	if (t->phase != TURN_RUN)
		return 0;
	turn_enter(t, TURN_GRACE, t->plan->limit[LIMIT_KILL_AFTER]);
	return feed_frame(t, MSG_INTERRUPT, NULL, 0, e);
}

void turn_limit_keeper(struct turn *t, uint64_t boot_ms)
{
	uint64_t limit = t->plan->limit[LIMIT_TIMEOUT], ms = NUM_NONE;
	struct err ignored;

	if (boot_ms != NUM_NONE && limit != NUM_NONE)
		ms = boot_ms + limit + t->plan->limit[LIMIT_KILL_AFTER] + 2 * PLAN_END_MS;
	(void)keeper_ask(t->road->keeper.link, KEEPER_LIMIT, ms, &ignored);	/* if it is gone, so is all */
}

void turn_strike(struct turn *t, enum plan_limit l)
{
	if (t->r->struck == LIMITS)
		t->r->struck = l;
}

static int kill_program(struct turn *t, struct err *e)
{
	turn_enter(t, TURN_KILL, PLAN_END_MS);
	return feed_frame(t, MSG_KILL, NULL, 0, e);
}

/* The sandbox is no more, or is given up: the run is told by what is known. */
static void give_up(struct turn *t, const char *warning)
{
	struct err ignored;

	if (warning)
		(void)strv_add(&t->r->warnings, warning, &ignored);	/* memory: then unsaid */
	turn_enter(t, TURN_OVER, NUM_NONE);
}

/* The keeper itself waits for a guest that dials, and says how that went. */
static uint64_t boot_ms(const struct turn *t)
{
	bool waits = backends[choice_first(t->choice)]->told != NULL;
	uint64_t ms = t->clone ? CLONE_BOOT_MS : t->choice->boot_ms;

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
}

int turn_go_cold(struct turn *t, bool damaged, const char *why, struct err *e)
{
	char text[ERR_MSG_MAX];
	struct err ignored;

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
	turn_enter(t, TURN_BOOT, boot_ms(t));
	return keeper_ask(t->road->keeper.link, KEEPER_NEXT, 0, e);
}

/* The snapshot is made, or not; the sandbox that was to be goes on as a clone
 * of itself would. */
static int on_saved(struct turn *t, const struct keeper_msg *m, struct err *e)
{
	char text[ERR_MSG_MAX + 64];
	bool ends = backends[m->backend]->save_ends;
	struct err ignored;

	if (!t->making)		/* it took too long: the next attempt is on its way */
		return 0;
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
	turn_enter(t, TURN_BOOT, boot_ms(t));
	return keeper_ask(t->road->keeper.link, t->clone ? KEEPER_CLONE : KEEPER_NEXT, 0, e);
}

static int late(const struct turn *t, struct err *e)
{
	char text[NUM_TEXT];
	bool silent = t->phase == TURN_BOOT;
	bool trial = silent && backends[choice_first(t->choice)]->told;

	return err_set(e, trial ? ERR_SILENT : ERR_BOOT, "the sandbox did not start within %s",
		       num_duration_text(silent ? t->choice->boot_ms : t->plan->boot_ms, text));
}

static int on_deadline(struct turn *t, struct err *e)
{
	switch (t->phase) {
	case TURN_BOOT:
	case TURN_MAKE:
		if (t->clone || t->phase == TURN_MAKE)
			return turn_go_cold(t, false, "not in time", e);
		return late(t, e);
	case TURN_LOAD:
	case TURN_START:
		return late(t, e);
	case TURN_RUN:
		turn_strike(t, LIMIT_TIMEOUT);
		return turn_interrupt(t, e);
	case TURN_GRACE:
		return kill_program(t, e);
	case TURN_KILL:
		give_up(t, "the sandbox did not answer and was ended from outside: files may be lost");
		return 0;
	case TURN_COLLECT:
		return err_set(e, ERR_DIED, "the sandbox fell silent while it sent files");
	default:
		if (!t->hurry)
			return err_set(e, ERR_DIED, "the sandbox fell silent before all output had come");
		give_up(t, "output that nobody read in time was dropped");
		return 0;
	}
}

static int on_signal(struct turn *t, struct err *e)
{
	struct signalfd_siginfo si;

	if (read(t->sig_fd, &si, sizeof(si)) != sizeof(si))
		return 0;
	if (t->r->cancel || t->phase <= TURN_LOAD) {	/* the second, or nothing runs yet */
		t->r->cancel = t->r->cancel ? t->r->cancel : (int)si.ssi_signo;
		turn_enter(t, TURN_OVER, NUM_NONE);
		return 0;
	}
	t->r->cancel = (int)si.ssi_signo;
	return turn_interrupt(t, e);
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

static int on_link(struct turn *t, struct err *e);

/* The keeper says how the backend ended in a moment, if it still lives. */
static int hear_how(struct turn *t, struct err *e)
{
	struct pollfd link = { t->road->keeper.link, POLLIN, 0 };

	if (*t->how || link.fd < 0 || poll(&link, 1, PLAN_END_MS) <= 0)
		return 0;
	return on_link(t, e);
}

/* Without a cgroup nobody counts how often memory was refused: a sentry that was
 * refused more heap ends as Go programs do, with 2. */
static bool heap_struck(struct turn *t)
{
	struct err ignored = { 0 };

	if (t->choice->cgroup.memory || t->phase <= TURN_MAKE ||
	    backends[choice_first(t->choice)]->own_limits)
		return false;
	(void)hear_how(t, &ignored);
	return !strcmp(t->how, "exit status 2");
}

/* The channel or the backend ended without MSG_DONE. */
static int on_death(struct turn *t, struct err *e)
{
	char text[300];

	/* a snapshot may end the sandbox; the keeper says when it is there */
	if (t->phase >= TURN_DRAIN || (t->saving && t->making))
		return 0;
	if (t->phase <= TURN_MAKE && (t->clone || t->phase == TURN_MAKE)) {
		boot_text(t, text, sizeof(text));
		return turn_go_cold(t, true, *text ? text : "it ended", e);
	}
	if (cgroup_oom_kills(&t->choice->cgroup) > 0 || heap_struck(t)) {
		turn_strike(t, LIMIT_MEMORY);
		give_up(t, "the memory limit ended the whole sandbox: files may be lost");
		return 0;
	}
	/* the keeper ends all, if we are too late to */
	if (t->phase == TURN_RUN && clock_now_us() >= t->deadline_us)
		turn_strike(t, LIMIT_TIMEOUT);
	if (t->phase == TURN_KILL || t->r->struck < LIMITS)
		return give_up(t, "the sandbox ended before its files could be kept"), 0;
	if (t->phase > TURN_MAKE)
		return err_set(e, ERR_DIED, "the sandbox died before the program's end");
	if (hear_how(t, e) < 0)
		return -1;
	boot_text(t, text, sizeof(text));
	return err_set(e, ERR_BOOT, "the sandbox did not start%s%s", *text ? ": " : "", text);
}

static int on_link(struct turn *t, struct err *e)
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
	switch (m.what) {
	case KEEPER_FAILED:
		if (m.clone)
			return turn_go_cold(t, true, m.err.msg, e);
		*e = m.err;
		return -1;
	case KEEPER_ENDED:
		if (m.attempt != t->attempt)
			return 0;
		/* what it still said is in the channel: its end comes there */
		snprintf(t->how, sizeof(t->how), "%.60s", m.err.msg);
		return t->phase <= TURN_MAKE && t->ctl >= 0 ? on_death(t, e) : 0;
	case KEEPER_SAVED:
		return on_saved(t, &m, e);
	default:
		if (m.backend >= BACKENDS)
			return err_set(e, ERR_DIED, "the keeper names a backend that there is not");
		trace("sandbox handed over");
		t->r->backend = backends[m.backend]->name;
		t->clone = m.clone;
		t->attempt = m.attempt;
		t->r->clone = m.clone && !t->r->left_template;
		*t->how = 0;
		if (t->clone)
			turn_enter(t, TURN_BOOT, CLONE_BOOT_MS);
		t->ctl = fd[0];
		t->out_fd = fd[1];
		t->err_fd = fd[2];
		if (fd_nonblock(t->ctl, true) < 0)
			return err_sys(e, ERR_HOST, "set up the control channel");
		return t->making ? feed_prepare(t, e) : feed_begin(t, e);
	}
}

/* As lines: the first one tells of the start, and who does not read stops the program. */
static bool streams_wait(const struct turn *t)
{
	return t->plan->format == FORMAT_NDJSON && (!t->r->started || lines_wait(t->r));
}

/* One stream's turn: moves bytes, and judges how that went. */
static int on_stream(struct turn *t, struct stream *s, struct err *e)
{
	uint64_t before = s->bytes;
	bool lines = s->kind == STREAM_LINES;

	if (lines && streams_wait(t))
		return 0;
	enum stream_state state = stream_step(s, e);
	if (lines && lines_stream(t->r, s, e) < 0)
		return -1;
	switch (state) {
	case STREAM_GONE:
		/* SIGPIPE would have ended the program without a word */
		stream_drop(s);
		if (t->r->cancel)
			return 0;
		t->r->cancel = SIGPIPE;
		hurry(t);
		if (s == &t->r->files.stream)
			turn_enter(t, TURN_OVER, NUM_NONE);
		return t->phase == TURN_RUN || t->phase == TURN_GRACE ? kill_program(t, e) : 0;
	case STREAM_FAILED:
		stream_drop(s);
		return -1;
	default:
		if (s->bytes > before && !t->r->first_us) {
			trace("first output");
			t->r->first_us = clock_now_us();
		}
		return 0;
	}
}

/* No more files come while those that have wait for their reader, */
static bool files_wait(const struct turn *t)
{
	return t->r->files.stream.state == STREAM_BLOCKED;
}

/* nor results, once much of them waits; but no limit waits with them. */
static bool results_wait(const struct turn *t)
{
	return !t->hurry && t->phase <= TURN_KILL && lines_are_full(t->r);
}

/* The time that the reader of files takes is nobody's fault: tar(1) would wait too. */
static int wait_for_any(struct turn *t, struct pollfd p[POLLED])
{
	bool wait = files_wait(t) && t->deadline_us != CLOCK_NEVER;
	int64_t since = clock_now_us();
	int n = poll(p, POLLED, clock_poll_ms(t->deadline_us));
	int64_t took = wait ? clock_now_us() - since : 0;

	t->deadline_us += took;
	t->collect_us += took;
	return n;
}

static void fill_poll(struct turn *t, struct pollfd p[POLLED])
{
	p[P_LINK] = (struct pollfd){ t->road->keeper.link, POLLIN, 0 };
	bool deaf = files_wait(t) || results_wait(t);

	p[P_CTL] = (struct pollfd){ deaf ? -1 : t->ctl, (short)(POLLIN | (t->to.len > 0 ? POLLOUT : 0)), 0 };
	p[P_SIGNAL] = (struct pollfd){ t->sig_fd, POLLIN, 0 };
	p[P_OUT] = stream_poll(&t->r->out);
	p[P_ERR] = stream_poll(&t->r->err);
	if (streams_wait(t))
		p[P_OUT].fd = p[P_ERR].fd = -1;
	p[P_FILES] = stream_poll(&t->r->files.stream);
	p[P_LINES] = stream_poll(&t->r->lines);
	p[P_STDIN] = (struct pollfd){ feed_wants_stdin(t) ? STDIN_FILENO : -1, POLLIN, 0 };
}

static int serve(struct turn *t, struct pollfd p[POLLED], struct err *e)
{
	bool end = false;

	if (p[P_SIGNAL].revents && on_signal(t, e) < 0)
		return -1;
	if (p[P_LINK].revents && on_link(t, e) < 0)
		return -1;
	if (p[P_STDIN].revents && feed_stdin(t, e) < 0)
		return -1;
	/* what was printed before a result was shown comes before it */
	if (p[P_OUT].revents && on_stream(t, &t->r->out, e) < 0)
		return -1;
	if (p[P_ERR].revents && on_stream(t, &t->r->err, e) < 0)
		return -1;
	if (t->ctl >= 0 && p[P_CTL].revents & (POLLIN | POLLHUP | POLLERR) &&
	    (turn_shut(t, e) < 0 || talk_read(t, &end, e) < 0))
		return -1;
	if (p[P_FILES].revents && on_stream(t, &t->r->files.stream, e) < 0)
		return -1;
	if (p[P_LINES].revents && on_stream(t, &t->r->lines, e) < 0)
		return -1;
	if (end && t->ctl >= 0) {
		fd_closep(&t->ctl);
		return on_death(t, e);
	}
	return feed_step(t, e) < 0 ? -1 : feed_flush(t, e);
}

/* All that comes of the streams has come: is it all that was announced? */
static int end_streams(struct turn *t, struct err *e)
{
	bool all = stream_is_whole(&t->r->out) && stream_is_whole(&t->r->err);

	if (!all && !t->hurry && t->r->struck == LIMITS)
		return err_set(e, ERR_DIED, "the sandbox died before all output had come");
	give_up(t, all ? NULL : "the sandbox ended before all its output had come");
	return 0;
}

/* After the end of the program: all streams until they have nothing more. A slow
 * reader has all the time, the guest has not: what is under way is little. */
static int drain(struct turn *t, struct err *e)
{
	struct stream *all[] = { &t->r->out, &t->r->err, &t->r->files.stream };
	bool open = false, reader = lines_wait(t->r);

	for (int i = 0; i < 3; i++) {
		if (all[i]->state < STREAM_CLOSED && on_stream(t, all[i], e) < 0)
			return -1;
		open |= all[i]->state < STREAM_CLOSED;
		reader |= all[i]->state == STREAM_BLOCKED;
	}
	if (!open)
		return end_streams(t, e);
	if (!t->hurry && (reader || t->deadline_us == CLOCK_NEVER))
		turn_enter(t, TURN_DRAIN, reader ? NUM_NONE : LAST_MS);
	return 0;
}

int turn_take(struct turn *t, struct err *e)
{
	t->clone = t->choice->template_dir != NULL;
	turn_enter(t, TURN_BOOT, boot_ms(t));
	while (t->phase != TURN_OVER) {
		struct pollfd p[POLLED];

		fill_poll(t, p);
		if (wait_for_any(t, p) < 0 && errno != EINTR)
			return err_sys(e, ERR_HOST, "poll");
		if (serve(t, p, e) < 0)
			return -1;
		if (t->phase == TURN_DRAIN && drain(t, e) < 0)
			return -1;
		if (t->phase != TURN_OVER && clock_now_us() >= t->deadline_us &&
		    on_deadline(t, e) < 0)
			return -1;
	}
	return 0;
}
