/* SPDX-License-Identifier: Apache-2.0 */
/* live - see live.h */
#include "run/live.h"

#include "base/clock.h"
#include "base/trace.h"
#include "host/program.h"
#include "out/quote.h"
#include "plan/preload.h"
#include "state/known.h"

#include <inttypes.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FILES_TOLD 100u		/* names in a line of the log */

/* What a session has from its first turn on. An option that asks for another is
 * refused, a default gives way. */
static int take_sizes(struct live *l, struct err *e)
{
	const struct session_facts *f = &l->session.facts;
	const struct {
		const char *key;
		enum plan_limit limit;
		uint64_t has;
	} sizes[] = {
		{ "defaults.cpus", LIMIT_CPUS, f->cpus },
		{ "defaults.memory", LIMIT_MEMORY, f->memory_bytes },
		{ "defaults.disk", LIMIT_DISK, f->disk_bytes },
	};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		uint64_t asked = l->plan.limit[sizes[i].limit];
		char text[NUM_TEXT];

		l->plan.limit[sizes[i].limit] = sizes[i].has;
		if (asked != sizes[i].has && plan_insists(&l->plan, sizes[i].key))
			return err_set(e, ERR_SESSION, "--%s: session '%s' has %s, since its first turn",
				       plan_limits[sizes[i].limit].name, l->session.name,
				       plan_limit_text(sizes[i].limit, sizes[i].has, text));
	}
	return 0;
}

static int take_over(struct live *l, struct err *e)
{
	struct session_facts *f = &l->session.facts;
	struct plan *p = &l->plan;

	for (size_t i = 0; i < p->env.n; i++) {
		size_t n = strcspn(p->env.at[i], "=");

		if (!preload_env_ok(p->env.at[i]) && plan_asked(p, "defaults.env", p->env.at[i], n))
			return err_set(e, ERR_SESSION, "--env: %.*s acts when the interpreter starts, and that of "
				       "session '%s' has started", (int)n, p->env.at[i], l->session.name);
	}
	if (!plan_insists(p, "code_interpreter.backend") || !p->backend || !strcmp(p->backend, "auto"))
		p->backend = f->backend;
	else if (strcmp(p->backend, "off") && strcmp(p->backend, f->backend))
		return err_set(e, ERR_SESSION, "--backend=%s: session '%s' was saved with %s", p->backend,
			       l->session.name, f->backend);
	if (!plan_insists(p, "defaults.image") && !p->gvisor_rootfs)
		p->image = f->image;
	session_snapshot(&l->session, l->resume);
	return take_sizes(l, e);
}

/* The wait for the lock ends by a signal as a run does. */
static int note_signal(int sig_fd, struct result *r, const struct err *e)
{
	struct signalfd_siginfo si;

	if (e->kind == ERR_BUSY && read(sig_fd, &si, sizeof(si)) == sizeof(si))
		r->cancel = (int)si.ssi_signo;
	return -1;
}

/* A name of the option --WHAT, or of who has set it else. */
static int check_name(const struct plan *p, const char *what, const char *name, struct err *e)
{
	char key[32];

	if (session_check_name(what, name, e) == 0)
		return 0;
	snprintf(key, sizeof(key), "defaults.%s", what);
	const char *where = plan_where(p, key);
	return where ? err_in(e, "%s: %s", where, key) : err_in(e, "--%s", what);
}

int live_open(struct live *l, const struct plan *p, struct inputs *in, int sig_fd, struct result *r,
	      struct err *e)
{
	char folder[SESSION_PATH], put[SESSION_PATH];

	*l = (struct live){ .on = p->session != NULL, .plan = *p, .session = SESSION_NONE,
			    .turn = SESSION_TURN_NONE };
	sha256_init(&l->code);
	if (!l->on)
		return 0;
	if (check_name(p, "session", p->session, e) < 0 ||
	    (p->context && check_name(p, "context", p->context, e) < 0))
		return -1;
	if (session_folder(p->session_dir, true, folder, e) < 0)
		return -1;
	if (session_open(&l->session, folder, p->session, SESSION_TURN, p->lock_wait_ms, sig_fd, e) < 0)
		return note_signal(sig_fd, r, e);
	trace("session opened");
	snprintf(r->session.name, sizeof(r->session.name), "%s", p->session);
	session_put(&l->session, put);
	if (inputs_add_folder(in, put, e) < 0)
		return -1;
	return l->session.turn ? take_over(l, e) : 0;
}

/* What a resume with the backend I will depend on. */
static int learn(struct live *l, const struct choice *c, int i, struct err *e)
{
	struct session_facts *f = &l->here[i];
	const struct image *im = c->image;

	snprintf(f->backend, sizeof(f->backend), "%s", backends[i]->name);
	backend_version(backends[i], c->program[i], f->version, sizeof(f->version));
	if (backends[i]->clones && !backends[i]->clones(f->version))
		return err_set(e, ERR_SESSION, "%s %s is too old for sessions: its restored sandboxes crash; "
			       "%s/get-runsc --new builds another", f->backend, f->version, program_deploy());
	if (known_digest(c->program[i], f->program, e) < 0)
		return -1;
	/* a path that holds wherever the next turn is begun */
	char *path = strchr(im->name, '/') ? realpath(im->name, NULL) : NULL;
	snprintf(f->image, sizeof(f->image), "%s", path ? path : im->name);
	free(path);
	snprintf(f->image_digest, sizeof(f->image_digest), "%s", im->digest);
	if (backends[i]->own_limits)
		snprintf(f->kernel_digest, sizeof(f->kernel_digest), "%s %s", im->vmlinux_digest, im->initrd_digest);
	cpu_text(f->cpu);
	f->cpus = l->plan.limit[LIMIT_CPUS];
	f->memory_bytes = l->plan.limit[LIMIT_MEMORY];
	f->disk_bytes = l->plan.limit[LIMIT_DISK];
	return 0;
}

int live_begin(struct live *l, struct choice *c, struct result *r, struct err *e)
{
	if (!l->on)
		return 0;
	if (c->image->is_folder)
		return err_set(e, ERR_SESSION, "--session: needs an image file, and %s is a folder", c->image->name);
	for (int i = 0; i < BACKENDS; i++)
		if (c->program[i] && learn(l, c, i, e) < 0)
			return -1;
	if (l->session.turn && session_fits(&l->session, &l->here[choice_first(c)], e) < 0)
		return -1;
	if (session_begin(&l->session, &l->turn, e) < 0 ||
	    outdir_open_mirror(&r->files, l->turn.files, l->plan.limit[LIMIT_DISK], e) < 0)
		return -1;
	c->keep_dir = l->turn.snapshot;
	c->resume_dir = l->session.turn ? l->resume : NULL;
	trace("turn begun");
	return 0;
}

int live_verify(const struct live *l, struct err *e)
{
	if (!l->on || !l->session.turn)
		return 0;
	int rc = session_verify(&l->session, e);
	trace("snapshot verified");
	return rc;
}

void live_code(struct live *l, const uint8_t *text, size_t n)
{
	if (!l->on)		/* nobody asks for its digest */
		return;
	sha256_update(&l->code, n, text);
	l->code_bytes += n;
}

static json_t *code_object(struct live *l)
{
	uint8_t digest[SHA256_DIGEST_SIZE];
	char hex[2 * sizeof(digest) + 1];

	sha256_digest(&l->code, sizeof(digest), digest);
	str_hex(hex, digest, sizeof(digest));
	return json_pack("{s:s, s:I}", "sha256", hex, "bytes", (json_int_t)l->code_bytes);
}

static json_t *file_names(const struct outdir *d)
{
	json_t *list = json_array();

	for (size_t i = 0; i < d->files && i < FILES_TOLD; i++)
		json_array_append_new(list, quote_json(d->file[i].path, strlen(d->file[i].path)));
	return list;
}

/* The turn's line of the log. */
static char *log_line(struct live *l, const struct result *r, int64_t now)
{
	enum result_status outcome = r->cancel ? RESULT_CANCELLED
		: r->struck < LIMITS ? RESULT_TIMEOUT	/* memory leaves no kernel */
		: r->note[MSG_NOTE_NAME].len > 0 ? RESULT_ERROR : RESULT_OK;
	json_t *o = json_pack("{s:I, s:I, s:s, s:o, s:s, s:i, s:f, s:o}",
		"turn", (json_int_t)(l->session.turn + 1), "time", (json_int_t)now,
		"context", l->plan.context ? l->plan.context : PLAN_CONTEXT, "code", code_object(l),
		"status", result_word(outcome), "exit_code", r->exit_code,
		"run_ms", (double)(r->ended_us - r->started_us) / 1000, "files", file_names(&r->files));
	char *text = o ? json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(6)) : NULL;

	json_decref(o);
	return text;
}

/* Somebody has removed the session's folder, which we hold open. */
static bool is_gone(const struct live *l)
{
	struct stat st;

	return l->session.dir >= 0 && fstat(l->session.dir, &st) == 0 && st.st_nlink == 0;
}

void live_refuse(const struct live *l, struct result *r, const char *why)
{
	why = is_gone(l) ? "its folder was removed meanwhile" : why;
	(void)err_set(&r->session.why, ERR_SESSION, "session '%s': turn %" PRIu64 " is not saved: %s",
		      l->session.name, l->session.turn + 1, why);
}

int live_commit(struct live *l, struct result *r, struct err *e)
{
	int i = 0;

	while (i < BACKENDS - 1 && strcmp(backends[i]->name, r->backend))
		i++;
	char *line = log_line(l, r, (int64_t)time(NULL));
	int rc = line ? session_commit(&l->session, &l->turn, &l->here[i], line, l->plan.keep_turns, e)
		      : err_set(e, ERR_SESSION, "memory is short");
	free(line);
	trace("turn committed");
	if (rc == 0) {
		r->session.turn = l->session.turn;
		r->session.state = SESSION_KEPT;
	} else if (is_gone(l)) {
		live_refuse(l, r, "");
	}
	return rc;
}

static const char *why_not(const struct result *r)
{
	if (r->session.why.kind)
		return "the turn could not be saved";
	/* after a signal to us only we kill it */
	return r->struck == LIMIT_MEMORY ? "its kernel was ended by the memory limit"
	     : r->struck < LIMITS || (r->cancel && r->signal == SIGKILL) ? "its kernel did not answer the interrupt"
	     : r->ended ? "its kernel has ended" : "its sandbox was ended";
}

/* A turn that has begun and was not saved is said aloud. */
static void tell(const struct live *l, struct result *r)
{
	char text[ERR_MSG_MAX];
	struct err ignored;

	if (is_gone(l))
		snprintf(text, sizeof(text), "session '%s' is no more", l->session.name);
	else if (l->session.turn)
		snprintf(text, sizeof(text), "session '%s' is back at turn %" PRIu64 ": %s", l->session.name,
			 l->session.turn, why_not(r));
	else
		snprintf(text, sizeof(text), "session '%s' is lost, this was its first turn: %s", l->session.name,
			 why_not(r));
	(void)strv_add(&r->warnings, text, &ignored);
}

void live_close(struct live *l, struct result *r)
{
	if (!l->on)
		return;
	if (*r->session.name && r->session.state != SESSION_KEPT) {
		r->session.turn = is_gone(l) ? 0 : l->session.turn;
		r->session.state = !r->session.turn ? SESSION_LOST : r->started ? SESSION_REWOUND : SESSION_KEPT;
		if (r->started)
			tell(l, r);
	}
	session_drop(&l->session, &l->turn);
	session_close(&l->session);
	trace("session closed");
}
