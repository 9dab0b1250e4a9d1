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

#define LAST_MS 30000u		/* that the last of the output may be under way */

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

static int late(const struct turn *t, struct err *e)
{
	char text[NUM_TEXT];
	bool silent = t->phase == TURN_BOOT;
	bool trial = silent && backends[choice_first(t->choice)]->told;

	return err_set(e, trial ? ERR_SILENT : ERR_BOOT, "the sandbox did not start within %s",
		       num_duration_text(silent ? t->choice->boot_ms : t->plan->boot_ms, text));
}

/* All has been delivered, as far as it will be. A session's kernel that rests is saved. */
static int end_turn(struct turn *t, const char *warning, struct err *e)
{
	turn_give_up(t, warning);
	if (!t->r->count)
		return 0;
	if (t->r->files.mirror.lost.kind) {
		live_refuse(t->live, t->r, t->r->files.mirror.lost.msg);
		return 0;
	}
	turn_enter(t, TURN_KEEP, BACKEND_KEEP_MS + PLAN_END_MS);
	cgroup_release(&t->choice->cgroup);
	return keeper_ask(t->road->keeper.link, KEEPER_KEEP, 0, e);
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
		turn_give_up(t, "the sandbox did not answer and was ended from outside: files may be lost");
		return 0;
	case TURN_COLLECT:
		return err_set(e, ERR_DIED, "the sandbox fell silent while it sent files");
	case TURN_KEEP:
		turn_give_up(t, NULL);
		live_refuse(t->live, t->r, "not in time");
		return 0;
	default:
		if (!t->hurry)
			return err_set(e, ERR_DIED, "the sandbox fell silent before all output had come");
		return end_turn(t, "output that nobody read in time was dropped", e);
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

/* As lines: the first one tells of the start, and who does not read stops the program. */
static bool streams_wait(const struct turn *t)
{
	return t->plan->format == FORMAT_NDJSON && (!t->r->started || lines_wait(t->r));
}

/* Moves bytes of one stream, and judges how that went. */
static int move_bytes(struct turn *t, struct stream *s, struct err *e)
{
	uint64_t before = s->bytes;
	bool lines = s->kind == STREAM_LINES;
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
		if (t->live->on)	/* as at any other first signal */
			return turn_interrupt(t, e);
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

/* One stream's turn. */
static int on_stream(struct turn *t, struct stream *s, struct err *e)
{
	return s->kind == STREAM_LINES && streams_wait(t) ? 0 : move_bytes(t, s, e);
}

int turn_catch_up(struct turn *t, struct err *e)
{
	struct stream *both[] = { &t->r->out, &t->r->err };

	for (int i = 0; i < 2; i++) {
		/* what comes meanwhile is for the next time */
		uint64_t until = both[i]->bytes + stream_waiting(both[i]);

		while (both[i]->bytes < until && !lines_are_full(t->r)) {
			uint64_t before = both[i]->bytes;

			if (move_bytes(t, both[i], e) < 0)
				return -1;
			if (both[i]->bytes == before)
				break;
		}
	}
	return 0;
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
	if (p[P_LINK].revents && turn_hear(t, e) < 0)
		return -1;
	if (p[P_STDIN].revents && feed_stdin(t, e) < 0)
		return -1;
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
		return turn_died(t, e);
	}
	return feed_step(t, e);
}

/* All that comes of the streams has come: is it all that was announced? */
static int end_streams(struct turn *t, struct err *e)
{
	bool all = stream_is_whole(&t->r->out) && stream_is_whole(&t->r->err);

	if (!all && !t->hurry && t->r->struck == LIMITS)
		return err_set(e, ERR_DIED, "the sandbox died before all output had come");
	return end_turn(t, all ? NULL : "the sandbox ended before all its output had come", e);
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
	turn_enter(t, TURN_BOOT, turn_boot_ms(t));
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
