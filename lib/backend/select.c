/* SPDX-License-Identifier: Apache-2.0 */
/* select - which backend a run gets; see backend.h */
#include "backend/backend.h"

#include "host/probe.h"
#include "host/program.h"
#include "state/known.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Host processes and threads of one sandbox: the sentry's Go threads, its
 * stubs, the gofer. */
#define HOST_PIDS(guest) (512 + 4 * (guest))

const struct backend *const backends[BACKENDS] = { &backend_firecracker, &backend_gvisor };

/* Backend I is refused. Where the host lacks more than its program, to install that would be
 * in vain: then this comes first. */
static void tell_needs(struct choice *c, int i)
{
	char *program = NULL;
	struct err ignored = { 0 }, first = { 0 };

	if (backends[i]->find(c->plan, &program, &ignored) == 0) {
		free(program);
		return;
	}
	for (const struct backend_need *n = backends[i]->needs; n->name; n++)
		if (n->check(c->plan, c->image, &first) < 0) {
			(void)err_set(&c->why_not[i], ERR_BACKEND, "%s; and %s", first.msg, ignored.msg);
			return;
		}
}

static int none_works(struct choice *c, const char *name, struct err *e)
{
	char all[ERR_MSG_MAX] = "";
	size_t at = 0;

	for (int i = 0; i < BACKENDS; i++)
		if (c->why_not[i].kind)
			tell_needs(c, i);
	for (int i = 0; i < BACKENDS && at < sizeof(all); i++)
		if (c->why_not[i].kind)
			at += (size_t)snprintf(all + at, sizeof(all) - at, "%s%s: %s",
					       at ? "; " : "", backends[i]->name, c->why_not[i].msg);
	const char *where = strcmp(name, "auto") ? plan_where(c->plan, "code_interpreter.backend") : NULL;
	if (where)
		return err_set(e, ERR_BACKEND, "%s: backend %s", where, all);
	if (strcmp(name, "auto"))
		return err_set(e, ERR_BACKEND, "--backend=%s", all);
	return err_set(e, ERR_BACKEND, "no sandbox backend works here: %s", all);
}

static int probe(const struct backend *b, const struct plan *p, const struct image *im,
		 char **program, struct err *e)
{
	if (b->find(p, program, e) < 0)
		return -1;
	for (const struct backend_need *n = b->needs; n->name; n++) {
		if (n->check(p, im, e) == 0)
			continue;
		free(*program);
		*program = NULL;
		return -1;
	}
	return 0;
}

int backend_select(const struct plan *p, const struct image *im, struct choice *c, struct err *e)
{
	const char *name = p->backend ? p->backend : "auto";
	bool any = false;

	(void)program_deploy();		/* a confined command could not ask */
	*c = (struct choice){ .plan = p, .image = im, .plain_user = geteuid() != 0,
			      .serial = (uint32_t)getpid(), .cgroup = CGROUP_NONE };
	for (int i = 0; i < BACKENDS; i++) {
		if (strcmp(name, "auto") && strcmp(name, backends[i]->name))
			continue;
		if (probe(backends[i], p, im, &c->program[i], &c->why_not[i]) < 0)
			continue;
		any = true;
		if (!strcmp(name, "auto") && backends[i]->doubt && backends[i]->doubt(&c->why_not[i]) < 0) {
			free(c->program[i]);
			c->program[i] = NULL;
			any = choice_first(c) < BACKENDS;
		}
	}
	return any ? 0 : none_works(c, name, e);
}

void choice_prepare(struct choice *c)
{
	const struct backend *b = backends[choice_first(c)];
	struct cgroup_limits limits = {
		.memory_bytes = b->host_memory(c->plan),
		.cpus = c->plan->limit[LIMIT_CPUS],
		.host_pids = HOST_PIDS(c->plan->limit[LIMIT_PIDS]),
	};
	bool named = c->plan->backend && strcmp(c->plan->backend, "auto");
	bool trial = b->is_known && !named && !b->is_known();

	c->boot_ms = trial ? c->plan->probe_ms : c->plan->boot_ms;
	c->template_dir = c->save_dir = NULL;
	cgroup_drop(&c->cgroup);
	cgroup_make(&c->cgroup, &limits);
}

/* Why backend I cannot: *WHY, without the name that the keeper put in front. */
static void refuse(struct choice *c, int i, const struct err *why)
{
	size_t n = strlen(backends[i]->name);
	bool named = !strncmp(why->msg, backends[i]->name, n) && !strncmp(why->msg + n, ": ", 2);
	struct err copy = *why;		/* it may be the very one */

	c->why_not[i] = copy;
	if (named)
		(void)err_set(&c->why_not[i], copy.kind, "%s", copy.msg + n + 2);
}

/* The first row from I on that was found fit, or BACKENDS. */
static int fit_from(const struct choice *c, int i)
{
	while (i < BACKENDS && !c->program[i])
		i++;
	return i;
}

bool choice_next(const struct choice *c, struct choice *next)
{
	*next = *c;
	next->cgroup = CGROUP_NONE;
	next->program[choice_first(c)] = NULL;
	return choice_first(next) < BACKENDS;
}

void choice_fall_back(struct choice *c, const struct choice *next, const struct err *why)
{
	int i = choice_first(c);
	bool confined = c->confined;

	free(c->program[i]);
	cgroup_drop(&c->cgroup);
	*c = *next;
	c->confined = confined;
	refuse(c, i, why);
}

int choice_first(const struct choice *c)
{
	return fit_from(c, 0);
}

int backend_explain(struct choice *c, struct err *e)
{
	struct err cause = { 0 };
	int i = choice_first(c);

	if (i == BACKENDS || (e->kind != ERR_BACKEND && e->kind != ERR_BOOT))
		return -1;
	if (probe_all(backends[i]->traces, &cause) < 0)
		refuse(c, i, &cause);
	else if (e->kind == ERR_BACKEND)
		refuse(c, i, e);
	else
		return -1;
	return none_works(c, c->plan->backend ? c->plan->backend : "auto", e);
}

void backend_reseal(const struct image *im, char *text, size_t size)
{
	const char *end = im->rootfs ? strrchr(im->rootfs, '/') : NULL;

	*text = 0;
	if (end && strncmp(im->digest, "stat:", 5))
		snprintf(text, size, "; %s/build-image --seal %.*s mends that", program_deploy(),
			 (int)(end - im->rootfs), im->rootfs);
}

void backend_version(const struct backend *b, const char *program, char *text, size_t size)
{
	char known[KNOWN_MAX] = "";
	struct err ignored;

	if (!known_get(program, b->name, known) &&
	    b->version(program, known, sizeof(known), &ignored) == 0)
		known_put(program, b->name, known);
	snprintf(text, size, "%s", known);
}

void choice_drop(struct choice *c)
{
	for (int i = 0; i < BACKENDS; i++) {
		free(c->program[i]);
		c->program[i] = NULL;
	}
	cgroup_drop(&c->cgroup);
}
