/* SPDX-License-Identifier: Apache-2.0 */
/* run - the pipeline; see run.h */
#include "run/run.h"

#include "base/clock.h"
#include "base/fd.h"
#include "base/trace.h"
#include "out/lines.h"
#include "run/live.h"
#include "run/turn.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

/* Signals become readable before the keeper exists, so none is lost. */
static int take_signals(struct err *e)
{
	static const int caught[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(caught) / sizeof(*caught); i++)
		sigaddset(&set, caught[i]);
	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGXFSZ, SIG_IGN);	/* the caller's file size limit is an error then */
	(void)signal(SIGCHLD, SIG_DFL);	/* ignored by the caller, it would eat our child */
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return err_sys(e, ERR_HOST, "block signals");
	int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? err_sys(e, ERR_HOST, "signalfd") : fd;
}

static bool same_file(int a, int b)
{
	struct stat x, y;

	return fstat(a, &x) == 0 && fstat(b, &y) == 0 && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

static void open_streams(const struct plan *p, unsigned open, struct result *r)
{
	bool told = plan_wants_results(p);	/* by us, wherever their own would go */
	enum stream_kind to = p->format == FORMAT_NDJSON ? STREAM_LINES : told ? STREAM_CAPTURE
			    : p->raw_terminal ? STREAM_WRITE : STREAM_TERMINAL;

	/* a tar takes its place */
	int out = p->tar_out ? STDERR_FILENO : STDOUT_FILENO;

	stream_init(&r->out, "standard output", out,
		    told || open & 1u << out ? to : STREAM_DROP, p->limit[LIMIT_MAX_STDOUT]);
	stream_init(&r->err, "standard error", STDERR_FILENO,
		    told || open & 4 ? to : STREAM_DROP, p->limit[LIMIT_MAX_STDERR]);
	if (to == STREAM_LINES)
		lines_open(r);
}

static void tell_why(const struct choice *c, struct result *r)
{
	for (int i = 0; i < BACKENDS && !c->program[i]; i++) {
		const char *why = c->why_not[i].msg;

		if (!c->why_not[i].kind)
			continue;
		size_t n = (size_t)snprintf(r->why, sizeof(r->why), "%s: ", backends[i]->name);
		(void)str_printable(r->why + n, sizeof(r->why) - n, why, strlen(why));	/* no half letter */
	}
}

/* Limits that this host does not hold as they should be are said. */
static int warn_limits(const struct choice *c, struct result *r, struct err *e)
{
	if (backends[choice_first(c)]->own_limits)
		return 0;
	if (!c->cgroup.memory &&
	    strv_add(&r->notes, "no memory cgroup here: --memory is held by watching the sandbox",
		     e) < 0)
		return -1;
	if (!c->cgroup.cpu &&
	    strv_add(&r->notes, "no cpu cgroup here: --cpus is held by CPU affinity", e) < 0)
		return -1;
	return 0;
}

/* The program's side of the status; pai-exec's own failures are told apart. */
static void judge(struct turn *t, struct result *r)
{
	/* the kernel may have taken a part of the sandbox, or all of it */
	bool oom = (!r->ended || r->signal == SIGKILL) && cgroup_oom_kills(&t->choice->cgroup) > 0;

	if (oom)
		turn_strike(t, LIMIT_MEMORY);
	if (r->cancel)
		r->status = RESULT_CANCELLED;
	else if (r->struck < LIMITS)
		r->status = r->struck == LIMIT_MEMORY ? RESULT_MEMORY : RESULT_TIMEOUT;
	else if (r->files.losses > 0)
		r->status = RESULT_FAILED, r->error = r->files.lost;
	else if (r->session.why.kind)
		r->status = RESULT_FAILED, r->error = r->session.why;
	else if (r->signal)
		r->status = RESULT_SIGNAL;
	else
		r->status = r->note[MSG_NOTE_NAME].len > 0 ? RESULT_ERROR : RESULT_OK;
}

static int run_turn(struct live *live, const struct inputs *in, struct choice *c, int sig_fd,
		    unsigned open, struct road *road, struct road *spare, struct result *r, struct err *e)
{
	const struct plan *p = &live->plan;
	struct turn t = {
		.plan = p, .live = live, .inputs = in, .choice = c, .r = r, .sig_fd = sig_fd,
		.road = road, .spare = spare, .making = c->save_dir != NULL,
		.attempt = 1, .ctl = -1, .out_fd = -1, .err_fd = -1, .in_fd = -1,
		.stdin_wanted = !in->from_stdin && !in->tar && !p->no_stdin && open & 1,
	};
	int rc = c->confined ? 0 : turn_prepare(&t, e);

	if (rc == 0)
		rc = live_verify(live, e);
	if (rc == 0)
		rc = turn_take(&t, e);
	if (!r->done_us)
		r->done_us = clock_now_us();
	road_close(road);
	trace("sandbox taken down");
	if (rc == 0)
		judge(&t, r);
	fd_closep(&t.ctl);
	fd_closep(&t.out_fd);
	fd_closep(&t.err_fd);
	fd_closep(&t.in_fd);
	buf_free(&t.from);
	buf_free(&t.to);
	confine_free(&t.confine);
	free(t.places);
	return rc;
}

/* Each backend's refusal, for the story of why none works. */
static int tell_refusals(const struct choice *c, struct result *r)
{
	struct err ignored;
	char text[2 * ERR_MSG_MAX];

	for (int i = 0; i < BACKENDS; i++) {
		if (!c->why_not[i].kind)
			continue;
		snprintf(text, sizeof(text), "%s: %s", backends[i]->name, c->why_not[i].msg);
		(void)strv_add(&r->refusals, text, &ignored);	/* the error has them too */
	}
	return -1;
}

/* True if the run, which failed with *E on the first backend, may go on with
 * another: nothing was started, and nobody asked for that one. */
static bool may_fall_back(const struct choice *c, const struct result *r, const struct err *e)
{
	return backends[choice_first(c)]->told && !r->started && !r->taken && !r->cancel &&
	       r->out.bytes == 0 && r->err.bytes == 0 && e->kind != ERR_USAGE;
}

/* Nothing of the last backend's attempt counts. */
static void forget(const struct plan *p, unsigned open, struct result *r)
{
	stream_free(&r->out);
	stream_free(&r->err);
	open_streams(p, open, r);
	r->backend = NULL;
	r->clone = r->left_template = false;
	r->done_us = 0;
}

/* It may be a program of another kind, or too old: then that is the reason. */
static void blame_version(const struct choice *c, struct err *e)
{
	int i = choice_first(c);
	char text[128];
	struct err why = { 0 };

	if (backends[i]->version(c->program[i], text, sizeof(text), &why) < 0 &&
	    (backends[i]->told || why.sys == 0))	/* else the start has said as much */
		*e = why;
}

/* The road of the backend that takes over where the first one fails. Without it
 * there is no other: no error. */
static void make_spare(const struct plan *p, struct inputs *in, const struct choice *c, int sig_fd,
		       const struct road *first, struct road *spare)
{
	struct err ignored;

	spare->preload = first->preload;
	if (choice_next(c, &spare->c) && road_make(spare, p, in, sig_fd, true, &ignored) < 0)
		cgroup_drop(&spare->c.cgroup);
}

/* Sends SPARE off. As long as we are not confined it is made anew, for it can leave a
 * template behind then. */
static int take_spare(const struct plan *p, struct inputs *in, struct choice *c, int sig_fd,
		      struct road *spare, struct err *e)
{
	const struct preload *preload = spare->preload;
	const struct err why = *e;
	int rc;

	*e = (struct err){ 0 };
	if (c->confined) {
		rc = keeper_ask(spare->keeper.link, KEEPER_GO, 0, e);
	} else {
		road_close(spare);
		cgroup_drop(&spare->c.cgroup);
		*spare = ROAD_NONE;
		spare->preload = preload;
		(void)choice_next(c, &spare->c);	/* it was there before */
		rc = road_make(spare, p, in, sig_fd, false, e);
	}
	choice_fall_back(c, &spare->c, &why);
	spare->c.cgroup.n = 0;	/* it is C's */
	return rc;
}

/* The run on the first fit backend, and where that fails on the next. */
static int run_first(struct live *live, struct inputs *in, struct choice *c, int sig_fd,
		     unsigned open, struct result *r, struct err *e)
{
	const struct plan *p = &live->plan;
	struct road first = ROAD_NONE, spare = ROAD_NONE;

	tell_why(c, r);
	first.c = *c;
	int rc = road_make(&first, p, in, sig_fd, false, e);
	*c = first.c;
	first.c.cgroup.n = 0;	/* they are C's */
	if (rc == 0 && backends[choice_first(c)]->told)
		make_spare(p, in, c, sig_fd, &first, &spare);
	snprintf(r->version, sizeof(r->version), "%s", first.version);
	snprintf(r->cold, sizeof(r->cold), "%s", first.cold.kind ? first.cold.msg : "");
	if (rc == 0)
		rc = run_turn(live, in, c, sig_fd, open, &first, &spare, r, e);
	if (rc < 0 && e->kind == ERR_SILENT)
		backends[choice_first(c)]->told(false);
	if (rc < 0 && e->kind == ERR_BOOT && !c->confined && !r->started)
		blame_version(c, e);
	if (rc < 0 && spare.keeper.pid > 0 && may_fall_back(c, r, e)) {
		rc = take_spare(p, in, c, sig_fd, &spare, e);
		forget(p, open, r);
		tell_why(c, r);
		snprintf(r->version, sizeof(r->version), "%s", spare.version);
		snprintf(r->cold, sizeof(r->cold), "%s", spare.cold.kind ? spare.cold.msg : "");
		if (rc == 0)
			rc = run_turn(live, in, c, sig_fd, open, &spare, &first, r, e);
	}
	road_close(&first);
	road_close(&spare);
	cgroup_drop(&spare.c.cgroup);
	return rc;
}

static void note_run(const struct choice *c, const struct result *r, run_note *note)
{
	char text[ERR_MSG_MAX];

	snprintf(text, sizeof(text), "backend %s, %s%s%.300s%s, image %s, %zu of 3 limits by cgroup",
		 r->backend ? r->backend : "none", result_start(r), *r->why ? " (" : "", r->why,
		 *r->why ? ")" : "", r->image.name,
		 (size_t)c->cgroup.memory + c->cgroup.cpu + c->cgroup.pids);
	note(text);
	if (*r->cold) {
		snprintf(text, sizeof(text), "cold start: %.400s", r->cold);
		note(text);
	}
}

static int run_with(struct live *live, struct inputs *in, int sig_fd, unsigned open,
		    run_note *note, struct result *r, struct err *e)
{
	const struct plan *p = &live->plan;
	struct choice c;

	if (backend_select(p, &r->image, &c, e) < 0)
		return tell_refusals(&c, r);
	c.one_stream = !plan_wants_results(p) && (p->tar_out || same_file(STDOUT_FILENO, STDERR_FILENO));
	if (in->from_stdin && isatty(STDIN_FILENO) && note && !p->quiet)
		note("reading the program from the terminal; Ctrl-D ends it");
	int rc = live_begin(live, &c, r, e);
	if (rc == 0)
		rc = run_first(live, in, &c, sig_fd, open, r, e);
	if (rc == 0)
		rc = warn_limits(&c, r, e);
	if (rc < 0 && !r->started && !c.confined && backend_explain(&c, e) < 0 && e->kind == ERR_BACKEND)
		(void)tell_refusals(&c, r);
	if (p->verbose && note)
		note_run(&c, r, note);
	choice_drop(&c);
	trace("cgroup removed");
	return rc;
}

int run_image(const struct plan *p, struct image *im, struct err *e)
{
	if (p->gvisor_rootfs && (!p->backend || strcmp(p->backend, "firecracker")))
		return image_at(p->gvisor_rootfs, im, e);
	return image_find(p->image, im, e);
}

static int run_all(struct plan *p, unsigned open, run_note *note, struct result *r, struct err *e)
{
	struct inputs in;
	struct live live;
	AUTO_FD sig_fd = take_signals(e);

	if (p->tar_out && !(open & 2))
		return err_set(e, ERR_OUTPUT, "--output-dir: '-' writes a tar, but standard output is closed");
	if (sig_fd < 0 || plan_allowed(p, e) < 0)
		return -1;
	if (outdir_open(&r->files, p, e) < 0)
		return err_in(e, "--output-dir");
	trace("signals, output folder");
	int rc = inputs_open(p, &in, sig_fd, e);
	if (rc < 0)
		return inputs_close(&in), outdir_end_all(&r->files), -1;
	rc = live_open(&live, p, &in, sig_fd, r, e);
	memcpy(r->limit, live.plan.limit, sizeof(r->limit));	/* what holds: FILE's and the session's */
	if (rc == 0)
		rc = run_image(&live.plan, &r->image, e);
	trace("inputs, image found");
	if (rc == 0)
		rc = run_with(&live, &in, sig_fd, open, note, r, e);
	live_close(&live, r);
	inputs_close(&in);
	outdir_end_all(&r->files);
	return rc;
}

void run(struct plan *p, int64_t begin_us, unsigned open, run_note *note, struct result *r)
{
	result_init(r, p, begin_us);
	open_streams(p, open, r);
	if (run_all(p, open, note, r, &r->error) < 0)
		r->status = r->cancel ? RESULT_CANCELLED : RESULT_FAILED;
	results_end(&r->results);
	r->finish_us = clock_now_us();
}
