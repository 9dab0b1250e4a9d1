/* SPDX-License-Identifier: Apache-2.0 */
/* select - which backend a run gets; see backend.h */
#include "backend/backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Host processes and threads of one sandbox: the sentry's Go threads, its
 * stubs, the gofer. */
#define HOST_PIDS(guest) (512 + 4 * (guest))

const struct backend *const backends[BACKENDS] = { &backend_firecracker, &backend_gvisor };

int backend_check_name(const char *name, struct err *e)
{
	if (!name)
		return 0;
	if (!strcmp(name, "off"))
		return err_set(e, ERR_BACKEND, "switched off by --backend=off");
	for (int i = 0; i < BACKENDS; i++)
		if (!strcmp(name, backends[i]->name))
			return 0;
	return strcmp(name, "auto") ? err_set(e, ERR_USAGE,
		"--backend: '%s' is none of auto, firecracker, gvisor, off", name) : 0;
}

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
	struct cgroup_limits limits = {
		.memory_bytes = p->limit[LIMIT_MEMORY] + PLAN_MEMORY_SLACK,
		.cpus = p->limit[LIMIT_CPUS],
		.host_pids = HOST_PIDS(p->limit[LIMIT_PIDS]),
	};
	bool any = false;

	*c = (struct choice){ .plan = p, .image = im, .cgroup.oom_fd = -1 };
	for (int i = 0; i < BACKENDS; i++) {
		if (strcmp(name, "auto") && strcmp(name, backends[i]->name))
			continue;
		if (backends[i]->probe(&c->program[i], &c->why_not[i]) == 0)
			any = true;
	}
	if (!any)
		return none_works(c, name, e);
	cgroup_make(&c->cgroup, &limits);
	return 0;
}

void choice_drop(struct choice *c)
{
	for (int i = 0; i < BACKENDS; i++) {
		free(c->program[i]);
		c->program[i] = NULL;
	}
	cgroup_drop(&c->cgroup);
}
