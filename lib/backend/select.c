/* SPDX-License-Identifier: Apache-2.0 */
/* select - which backend a run gets; see backend.h */
#include "backend/backend.h"

#include "host/probe.h"
#include "state/known.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Host processes and threads of one sandbox: the sentry's Go threads, its
 * stubs, the gofer. */
#define HOST_PIDS(guest) (512 + 4 * (guest))

const struct backend *const backends[BACKENDS] = { &backend_firecracker, &backend_gvisor };

static int none_works(const struct choice *c, const char *name, struct err *e)
{
	char all[ERR_MSG_MAX] = "";
	size_t at = 0;

	for (int i = 0; i < BACKENDS && at < sizeof(all); i++)
		if (c->why_not[i].kind)
			at += (size_t)snprintf(all + at, sizeof(all) - at, "%s%s: %s",
					       at ? "; " : "", backends[i]->name, c->why_not[i].msg);
	if (strcmp(name, "auto"))
		return err_set(e, ERR_BACKEND, "--backend=%s", all);
	return err_set(e, ERR_BACKEND, "no sandbox backend works here: %s", all);
}

int backend_select(const struct plan *p, const struct image *im, struct choice *c, struct err *e)
{
	const char *name = p->backend ? p->backend : "auto";
	bool any = false;

	*c = (struct choice){ .plan = p, .image = im, .plain_user = geteuid() != 0,
			      .serial = (uint32_t)getpid(), .cgroup.oom_fd = -1, .cgroup.cpu_fd = -1 };
	for (int i = 0; i < BACKENDS; i++) {
		if (strcmp(name, "auto") && strcmp(name, backends[i]->name))
			continue;
		if (backends[i]->probe(p, im, &c->program[i], &c->why_not[i]) < 0)
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

bool choice_fall_back(struct choice *c, const struct err *why)
{
	int i = choice_first(c);

	free(c->program[i]);
	c->program[i] = NULL;
	c->why_not[i] = *why;
	return choice_first(c) < BACKENDS;
}

int choice_first(const struct choice *c)
{
	int i = 0;

	while (i < BACKENDS && !c->program[i])
		i++;
	return i;
}

int backend_explain(struct choice *c, struct err *e)
{
	struct err cause = { 0 };
	int i = choice_first(c);

	if (i == BACKENDS || (e->kind != ERR_BACKEND && e->kind != ERR_BOOT))
		return -1;
	if (probe_all(&cause) < 0)
		c->why_not[i] = cause;
	else if (e->kind == ERR_BACKEND)
		c->why_not[i] = *e;
	else
		return -1;
	return none_works(c, c->plan->backend ? c->plan->backend : "auto", e);
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
