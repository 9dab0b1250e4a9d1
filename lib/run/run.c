/* SPDX-License-Identifier: Apache-2.0 */
/* run - the pipeline; see run.h */
#include "run/run.h"

#include "base/clock.h"
#include "base/fd.h"
#include "base/trace.h"
#include "run/turn.h"
#include "state/known.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOOK_MS 30		/* that standard input may take to show the program's start */
#define WARM_MEMORY (256ull << 20)	/* below, only the least template is used */

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
	enum stream_kind to = p->json ? STREAM_CAPTURE : p->raw_terminal ? STREAM_WRITE
			    : STREAM_TERMINAL;

	/* a tar takes its place */
	int out = p->tar_out ? STDERR_FILENO : STDOUT_FILENO;

	stream_init(&r->out, "standard output", out,
		    p->json || open & 1u << out ? to : STREAM_DROP, p->limit[LIMIT_MAX_STDOUT]);
	stream_init(&r->err, "standard error", STDERR_FILENO,
		    p->json || open & 4 ? to : STREAM_DROP, p->limit[LIMIT_MAX_STDERR]);
}

static void tell_why(const struct choice *c, struct result *r)
{
	for (int i = 0; i < BACKENDS && !c->program[i]; i++)
		if (c->why_not[i].kind)
			snprintf(r->why, sizeof(r->why), "%s: %.400s", backends[i]->name,
				 c->why_not[i].msg);
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
	else if (r->signal)
		r->status = RESULT_SIGNAL;
	else
		r->status = r->note[MSG_NOTE_NAME].len > 0 ? RESULT_ERROR : RESULT_OK;
}

/* Which template a run starts from, or leaves behind. */
struct warmth {
	const struct preload *preload;
	char dir[TEMPLATE_PATH];	/* to clone from, or "" */
	struct template_make make;
};

static bool can_be_warm(const struct plan *p, const struct inputs *in, const struct choice *c)
{
	if (p->fresh || p->source == PLAN_MODULE || in->lang == PLAN_SHELL || c->image->is_folder)
		return false;
	for (size_t i = 0; i < p->env.n; i++)
		if (!preload_env_ok(p->env.at[i]))
			return false;
	const struct backend *b = backends[choice_first(c)];
	char version[KNOWN_MAX] = "";

	if (!b->save || !b->clones)
		return b->save != NULL;
	backend_version(b, c->program[choice_first(c)], version, sizeof(version));
	return b->clones(version);
}

static void choose_template(const struct plan *p, struct inputs *in, struct choice *c, int sig_fd,
			    struct warmth *w)
{
	struct template_key key = { .image = c->image->digest, .cpus = p->limit[LIMIT_CPUS] };
	struct buf room = { 0 };
	struct err ignored;
	const char *text;
	char name[TEMPLATE_NAME], more[256] = "";

	*w = (struct warmth){ .make.lock = -1 };
	if (!can_be_warm(p, in, c))
		return;
	if (p->preload) {
		w->preload = p->preload;
	} else {
		size_t n = inputs_look(in, PRELOAD_LOOK, LOOK_MS, sig_fd, &room, &text);

		w->preload = preload_guess(&p->preloads, text, n);
		buf_free(&room);
	}
	if (p->limit[LIMIT_MEMORY] < WARM_MEMORY)
		w->preload = &p->preloads.list[0];	/* what is not needed must not fill it */
	key.backend = c->program[choice_first(c)];
	key.modules = w->preload->modules;
	if (backends[choice_first(c)]->key)
		backends[choice_first(c)]->key(c, more, sizeof(more));
	key.more = more;
	if (template_name(&key, name, &ignored) < 0)
		return;
	if (template_find(name, p->for_all, w->dir)) {
		c->template_dir = w->dir;
		return;
	}
	*w->dir = 0;
	if (template_begin(name, &key, p->for_all, &w->make) == 0)
		c->save_dir = w->make.dir;
}

static int run_turn(const struct plan *p, const struct inputs *in, struct choice *c, int sig_fd,
		    unsigned open, struct warmth *w, struct result *r, struct err *e)
{
	struct turn t = {
		.plan = p, .inputs = in, .choice = c, .r = r, .sig_fd = sig_fd,
		.preload = w->preload, .make = &w->make, .making = c->save_dir != NULL,
		.keeper = { .link = -1 }, .ctl = -1, .out_fd = -1, .err_fd = -1, .in_fd = -1,
		.stdin_wanted = !in->from_stdin && !in->tar && !p->no_stdin && open & 1,
	};
	int rc = keeper_start(&t.keeper, backend_attempt, c, e);

	trace("keeper forked");
	if (rc == 0)
		rc = turn_take(&t, e);
	if (!r->done_us)
		r->done_us = clock_now_us();
	keeper_end(&t.keeper);
	trace("sandbox taken down");
	if (rc == 0)
		judge(&t, r);
	fd_closep(&t.ctl);
	fd_closep(&t.out_fd);
	fd_closep(&t.err_fd);
	fd_closep(&t.in_fd);
	buf_free(&t.from);
	buf_free(&t.to);
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

	if (backends[i]->version(c->program[i], text, sizeof(text), &why) < 0)
		*e = why;
}

/* The run on each fit backend in turn, until one takes it. */
static int run_first(const struct plan *p, struct inputs *in, struct choice *c, int sig_fd,
		     unsigned open, struct result *r, struct err *e)
{
	struct warmth w;
	int rc;

	for (;;) {
		const struct backend *b = backends[choice_first(c)];

		choice_prepare(c);
		tell_why(c, r);
		trace("backend chosen, cgroup made");
		choose_template(p, in, c, sig_fd, &w);
		trace("template chosen");
		rc = run_turn(p, in, c, sig_fd, open, &w, r, e);
		template_end(&w.make, false);	/* if it was not put in place before */
		if (rc < 0 && e->kind == ERR_SILENT)
			b->told(false);
		if (rc < 0 && e->kind == ERR_BOOT && may_fall_back(c, r, e))
			blame_version(c, e);
		if (rc == 0 || !may_fall_back(c, r, e) || !choice_fall_back(c, e))
			return rc;
		*e = (struct err){ 0 };
		forget(p, open, r);
	}
}

static void note_run(const struct choice *c, const struct result *r, run_note *note)
{
	char text[ERR_MSG_MAX];

	snprintf(text, sizeof(text), "backend %s, %s%s%.300s%s, image %s, %zu of 3 limits by cgroup",
		 r->backend ? r->backend : "none", r->clone ? "warm" : "cold", *r->why ? " (" : "", r->why,
		 *r->why ? ")" : "", r->image.name,
		 (size_t)c->cgroup.memory + c->cgroup.cpu + c->cgroup.pids);
	note(text);
}

static int run_with(const struct plan *p, struct inputs *in, int sig_fd, unsigned open,
		    run_note *note, struct result *r, struct err *e)
{
	struct choice c;

	if (backend_select(p, &r->image, &c, e) < 0)
		return tell_refusals(&c, r);
	c.one_stream = !p->json && (p->tar_out || same_file(STDOUT_FILENO, STDERR_FILENO));
	if (in->from_stdin && isatty(STDIN_FILENO) && note && !p->quiet)
		note("reading the program from the terminal; Ctrl-D ends it");
	int rc = run_first(p, in, &c, sig_fd, open, r, e);
	if (rc == 0)
		rc = warn_limits(&c, r, e);
	if (rc < 0 && !r->started && backend_explain(&c, e) < 0 && e->kind == ERR_BACKEND)
		(void)tell_refusals(&c, r);
	int first = choice_first(&c);
	if (p->json && r->backend && first < BACKENDS)
		backend_version(backends[first], c.program[first], r->version, sizeof(r->version));
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

static int run_all(const struct plan *p, unsigned open, run_note *note, struct result *r,
		   struct err *e)
{
	struct inputs in;
	AUTO_FD sig_fd = take_signals(e);

	if (p->tar_out && !(open & 2))
		return err_set(e, ERR_OUTPUT, "--output-dir: '-' writes a tar, but standard output is closed");
	if (sig_fd < 0 || plan_allowed(p, e) < 0 ||
	    outdir_open(&r->files, p, e) < 0)
		return -1;
	trace("signals, output folder");
	int rc = inputs_open(p, &in, e);
	if (rc == 0)
		rc = run_image(p, &r->image, e);
	trace("inputs, image found");
	if (rc == 0)
		rc = run_with(p, &in, sig_fd, open, note, r, e);
	inputs_close(&in);
	outdir_end_all(&r->files);
	return rc;
}

void run(const struct plan *p, int64_t begin_us, unsigned open, run_note *note, struct result *r)
{
	result_init(r, begin_us);
	open_streams(p, open, r);
	if (run_all(p, open, note, r, &r->error) < 0)
		r->status = r->cancel ? RESULT_CANCELLED : RESULT_FAILED;
	r->finish_us = clock_now_us();
}
