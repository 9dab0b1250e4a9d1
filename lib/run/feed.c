/* SPDX-License-Identifier: Apache-2.0 */
/* feed - frames to the guest; see turn.h */
#include "run/turn.h"

#include "base/fd.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define QUEUE_MAX (4u << 20)	/* all arguments and variables, then chunks */
#define QUEUE_LOW (64u << 10)	/* more is queued when less than this is left */

int feed_frame(struct turn *t, enum msg_kind kind, const void *body, size_t n, struct err *e)
{
	uint8_t head[FRAME_HEAD];

	if (n > FRAME_MAX)
		return err_set(e, ERR_USAGE, "an argument of %zu bytes", n);
	frame_head(head, kind, (uint32_t)n);
	if (buf_add(&t->to, head, sizeof(head), QUEUE_MAX, e) < 0 ||
	    buf_add(&t->to, body, n, QUEUE_MAX, e) < 0)
		return -1;
	return 0;
}

/* Writes what is queued as far as the guest takes it. */
static int flush(struct turn *t, struct err *e)
{
	ssize_t n = 0;
	size_t done = 0;

	while (t->ctl >= 0 && done < t->to.len) {
		n = send(t->ctl, t->to.at + done, t->to.len - done, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n < 0)
			break;
		done += (size_t)n;
	}
	buf_drop(&t->to, done);
	/* a channel that is gone is told by its reading end */
	if (n < 0 && errno != EAGAIN && errno != EINTR && errno != EPIPE && errno != ECONNRESET)
		return err_sys(e, ERR_HOST, "write to the sandbox");
	return 0;
}

static int send_run(struct turn *t, struct err *e)
{
	const struct plan *p = t->plan;
	const struct inputs *in = t->inputs;
	uint8_t body[2 * MSG_PATH_MAX + 1024];
	char hostname[32];
	uint64_t id;
	struct timespec now;
	bool list = !plan_wants_results(p) && !p->quiet && isatty(STDERR_FILENO);
	struct msg_run m = {
		.version = MSG_VERSION,
		.lang = p->source == PLAN_MODULE ? MSG_MODULE
		      : p->lang == PLAN_SHELL ? MSG_SHELL : MSG_PYTHON,
		.flags = (uint8_t)((p->print_last ? MSG_PRINT_LAST : 0) |
			 (t->stdin_wanted ? MSG_STDIN_OPEN : 0) | (plan_wants_results(p) ? MSG_REPORT : 0) |
			 (t->choice->one_stream ? MSG_ONE_STREAM : 0) |
			 (p->cell ? MSG_CELL : 0) | (p->session ? MSG_SESSION : 0) |
			 (p->output_dir ? MSG_COLLECT : list ? MSG_LIST : 0)),
		.cpus = (uint32_t)p->limit[LIMIT_CPUS],
		.pids = (uint32_t)p->limit[LIMIT_PIDS],
		.max_files = (uint32_t)p->limit[LIMIT_MAX_FILES],
		.max_output = p->limit[LIMIT_MAX_OUTPUT],
		.memory_bytes = p->limit[LIMIT_MEMORY],
		.cpu_ms = p->limit[LIMIT_CPU_TIME],
		.disk_bytes = p->limit[LIMIT_DISK],
		.shm_bytes = p->limit[LIMIT_MEMORY] / 2,
		.hostname = hostname,
		.shown = p->source == PLAN_FILE || p->source == PLAN_MODULE ? p->program
		       : p->source == PLAN_CODE ? "<string>" : "<stdin>",
		.file = in->file ? in->file : "",
		.context = !p->session ? "" : p->context ? p->context : PLAN_CONTEXT,
	};

	t->r->files.asked = m.flags & (MSG_COLLECT | MSG_LIST);
	(void)clock_gettime(CLOCK_REALTIME, &now);	/* cannot fail */
	m.clock_us = (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
	if (getrandom(&id, sizeof(id), 0) != sizeof(id) ||
	    getrandom(m.seed, sizeof(m.seed), 0) != sizeof(m.seed))
		return err_sys(e, ERR_HOST, "random bytes");
	snprintf(hostname, sizeof(hostname), "pai-%08" PRIx32, (uint32_t)id);
	ssize_t n = msg_put_run(&m, body, sizeof(body), e);
	return n < 0 ? -1 : feed_frame(t, MSG_RUN, body, (size_t)n, e);
}

int feed_prepare(struct turn *t, struct err *e)
{
	const char *modules = t->road->modules;
	uint8_t body[MSG_PATH_MAX + 16];
	struct packer p = { .at = body, .cap = sizeof(body) };

	pack_number(&p, t->plan->limit[LIMIT_CPUS], 4);
	pack_bytes(&p, modules, strlen(modules));
	return feed_frame(t, MSG_PREPARE, body, p.len, e);
}

/* A program's output is no terminal for it, even where it leads to one; this is how
 * programs can be told (no-color.org and its opposite). "" says nothing. */
static const char *color_variable(const struct plan *p)
{
	const char *term = plan_environment(p, "TERM", 4);
	bool shown = !plan_wants_results(p) && isatty(STDOUT_FILENO) && isatty(STDERR_FILENO) &&
		     term && strcmp(term, "dumb") && !plan_environment(p, "NO_COLOR", 8);

	if (p->color == COLOR_NEVER)
		return "NO_COLOR=1";
	return p->color == COLOR_ALWAYS || shown ? "FORCE_COLOR=1" : "";
}

static int send_words(struct turn *t, enum msg_kind kind, const struct strv *v, const char *what,
		      struct err *e)
{
	for (size_t i = 0; i < v->n; i++)
		if (feed_frame(t, kind, v->at[i], strlen(v->at[i]), e) < 0)
			return err_in(e, "%s", what);
	return 0;
}

int feed_begin(struct turn *t, struct err *e)
{
	const struct plan *p = t->plan;
	const char *color = color_variable(p);

	t->credit = MSG_CREDIT;
	if (send_run(t, e) < 0 || send_words(t, MSG_ARG, &p->args, "the arguments", e) < 0)
		return -1;
	/* the user's own variables come later and win */
	if (*color && feed_frame(t, MSG_ENV, color, strlen(color), e) < 0)
		return -1;
	if (send_words(t, MSG_ENV, &p->env, "--env", e) < 0 ||
	    send_words(t, MSG_INCLUDE, &p->include, "--include", e) < 0)
		return -1;
	return send_words(t, MSG_EXCLUDE, &p->exclude, "--exclude", e);
}

static int send_head(struct turn *t, const struct input *i, struct err *e)
{
	uint8_t body[2 * MSG_PATH_MAX + 64];
	struct msg_file m = {
		.type = i->type, .place = i->place, .mode = (uint16_t)i->mode,
		.size = i->size, .path = i->path, .target = i->target ? i->target : "",
	};
	ssize_t n = msg_put_file(&m, body, sizeof(body), e);

	return n < 0 ? -1 : feed_frame(t, MSG_FILE, body, (size_t)n, e);
}

static int end_input(struct turn *t, struct err *e)
{
	fd_closep(&t->in_fd);
	t->in_open = false;
	t->next++;
	return feed_frame(t, MSG_END, NULL, 0, e);
}

static int begin_input(struct turn *t, const struct input *i, struct err *e)
{
	if (t->phase == TURN_LOAD)
		turn_load(t);
	if (i->type == MSG_TYPES) {	/* a repeat */
		t->next++;
		return 0;
	}
	if (i->type == MSG_REGULAR && i->place == MSG_IN_WORKSPACE) {
		t->in_fd = inputs_read(t->inputs, t->next, e);
		if (t->in_fd < 0)
			return -1;
	}
	if (send_head(t, i, e) < 0)
		return -1;
	if (i->type != MSG_REGULAR) {
		t->next++;
		return 0;
	}
	t->in_open = true;
	t->in_left = i->size;
	t->text_at = 0;
	return 0;
}

static bool is_program(const struct turn *t, const struct input *i)
{
	return i->place == MSG_AS_PROGRAM || (t->inputs->file && !strcmp(i->path, t->inputs->file));
}

/* One chunk of the input at hand; 1 if more can be done at once. */
static int more_input(struct turn *t, const struct input *i, struct err *e)
{
	uint8_t chunk[MSG_CHUNK];
	size_t want = t->credit < sizeof(chunk) ? t->credit : sizeof(chunk);
	const uint8_t *at = chunk;
	ssize_t n;

	if (want > t->in_left)
		want = (size_t)t->in_left;
	if (want == 0 && t->in_left > 0)
		return 0;		/* until there is credit again */
	if (t->in_fd >= 0) {
		n = read(t->in_fd, chunk, want);
		if (n < 0)
			return err_sys(e, ERR_USAGE, "--input: '%s'", i->source);
	} else {
		bool head = t->inputs->from_stdin;
		size_t left = t->inputs->head.len - t->text_at;

		at = (head ? t->inputs->head.at : (const uint8_t *)i->text) + t->text_at;
		if (head && want > left)
			want = left;
		n = (ssize_t)want;
		t->text_at += want;
	}
	if (n == 0)			/* its end, or it has shrunk */
		return end_input(t, e) < 0 ? -1 : 1;
	if (is_program(t, i))
		live_code(t->live, at, (size_t)n);
	t->in_left -= (uint64_t)n;
	t->credit -= (uint32_t)n;
	if (t->phase == TURN_LOAD)
		turn_load(t);
	return feed_frame(t, MSG_DATA, at, (size_t)n, e) < 0 ? -1 : 1;
}

/* The input at hand is standard input: a tar, or the program, of which what was
 * read to choose its template comes first. A terminal's end is read once only: where
 * that had it, nothing more is waited for. */
static bool reads_stdin(const struct turn *t)
{
	const struct input *i = &t->inputs->at[t->next];

	return t->in_open && i->place != MSG_IN_WORKSPACE && !i->text &&
	       t->text_at == t->inputs->head.len && !t->inputs->head_end;
}

/* A clone may fail to start, as may a backend that is on trial, and then all begins
 * again: nothing that cannot be read twice goes to one before its hello. */
static bool may_load(const struct turn *t)
{
	bool sure = !t->clone && !backends[choice_first(t->choice)]->told;

	return t->ctl >= 0 && !t->making &&
	       (t->phase == TURN_LOAD || (t->phase == TURN_BOOT && sure));
}

int feed_step(struct turn *t, struct err *e)
{
	/* first: what it takes would wake us for more no later, were it taken behind */
	int rc = flush(t, e) < 0 ? -1 : 1;

	while (rc > 0 && may_load(t) && t->to.len < QUEUE_LOW && t->next < t->inputs->n &&
	       !reads_stdin(t)) {
		const struct input *i = &t->inputs->at[t->next];

		rc = t->in_open ? more_input(t, i, e) : begin_input(t, i, e) < 0 ? -1 : 1;
		/* what has gone makes room, and nobody else would wake us for more */
		if (rc > 0 && flush(t, e) < 0)
			rc = -1;
	}
	if (rc < 0)
		return -1;
	/* START waits for the hello (wire/msg.h says why) */
	if (t->phase == TURN_LOAD && t->next == t->inputs->n) {
		turn_enter(t, TURN_START, t->plan->boot_ms);
		turn_limit_keeper(t, t->plan->boot_ms);
		return feed_frame(t, MSG_START, NULL, 0, e) < 0 ? -1 : flush(t, e);
	}
	return 0;
}

bool feed_wants_stdin(const struct turn *t)
{
	if (t->ctl < 0 || t->credit == 0 || t->to.len >= QUEUE_LOW)
		return false;
	if (t->phase <= TURN_LOAD)
		return may_load(t) && reads_stdin(t);
	return t->stdin_wanted && !t->stdin_end &&
	       (t->phase == TURN_RUN || t->phase == TURN_GRACE);
}

int feed_stdin(struct turn *t, struct err *e)
{
	uint8_t chunk[MSG_CHUNK];
	size_t want = t->credit < sizeof(chunk) ? t->credit : sizeof(chunk);
	bool input = reads_stdin(t);
	ssize_t n = read(STDIN_FILENO, chunk, want);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	t->r->taken |= input && n >= 0;
	if (n < 0 && input)
		return err_sys(e, ERR_UNREADABLE, "read %s from standard input",
			       t->inputs->tar ? "the tar" : "the program");
	if (n <= 0) {		/* what cannot be read is at its end for the program */
		t->stdin_end = true;
		return input ? end_input(t, e) : feed_frame(t, MSG_STDIN_END, NULL, 0, e);
	}
	if (input && is_program(t, &t->inputs->at[t->next]))
		live_code(t->live, chunk, (size_t)n);
	t->credit -= (uint32_t)n;
	return feed_frame(t, input ? MSG_DATA : MSG_STDIN, chunk, (size_t)n, e);
}
