/* SPDX-License-Identifier: Apache-2.0 */
/* road - see road.h */
#include "run/road.h"

#include "base/trace.h"
#include "host/program.h"

#include <stdio.h>
#include <string.h>

#define LOOK_MS 30		/* that standard input may take to show the program's start */
#define CELL_MODULE "_pai.cell"	/* of the image: the notebook's shell */
#define WARM_MEMORY (256ull << 20)	/* below, only the least template is used */

/* 0, or -1 and why every such run is cold. */
static int can_be_warm(const struct plan *p, const struct choice *c, struct err *e)
{
	const struct backend *b = backends[choice_first(c)];
	char version[KNOWN_MAX] = "";

	if (p->fresh)
		return err_set(e, ERR_HOST, "--fresh");
	if (p->source == PLAN_MODULE || p->lang == PLAN_SHELL)
		return err_set(e, ERR_HOST, "a %s", p->lang == PLAN_SHELL ? "shell program" : "module");
	if (c->image->is_folder)
		return err_set(e, ERR_HOST, "the image is a folder");
	for (size_t i = 0; i < p->env.n; i++)
		if (!preload_env_ok(p->env.at[i]))
			return err_set(e, ERR_HOST, "--env=%.*s acts at the start",
				       (int)strcspn(p->env.at[i], "="), p->env.at[i]);
	if (b->clones)
		backend_version(b, c->program[choice_first(c)], version, sizeof(version));
	if (!b->save || (b->clones && !b->clones(version)))
		return err_set(e, ERR_HOST, "%s %s cannot be cloned; %s/get-runsc --new builds another",
			       c->program[choice_first(c)], version, program_deploy());
	return 0;
}

static void choose_template(struct road *r, const struct plan *p, struct inputs *in, int sig_fd,
			    bool waits)
{
	struct choice *c = &r->c;
	struct template_key key = { .image = c->image->digest, .cpus = p->limit[LIMIT_CPUS] };
	struct buf room = { 0 };
	const char *text;
	char name[TEMPLATE_NAME], more[512] = "";

	if (c->resume_dir) {
		c->template_dir = c->resume_dir;
		return;
	}
	if (can_be_warm(p, c, &r->cold) < 0)
		return;
	if (p->preload)
		r->preload = p->preload;
	if (!r->preload) {
		size_t n = inputs_look(in, PRELOAD_LOOK, LOOK_MS, sig_fd, &room, &text);

		r->preload = preload_guess(&p->preloads, text, n);
		buf_free(&room);
	}
	if (p->limit[LIMIT_MEMORY] < WARM_MEMORY)
		r->preload = &p->preloads.list[0];	/* what is not needed must not fill it */
	key.backend = c->program[choice_first(c)];
	snprintf(r->modules, sizeof(r->modules), "%s%s", r->preload->modules, p->cell ? "," CELL_MODULE : "");
	key.modules = r->modules;
	if (backends[choice_first(c)]->key)
		backends[choice_first(c)]->key(c, more, sizeof(more));
	key.more = more;
	if (template_name(&key, name, &r->cold) < 0)
		return;
	if (template_find(name, p->for_all, r->dir, &r->from))
		c->template_dir = r->dir;
	/* one that may never be started keeps no other maker waiting */
	else if (!waits && template_begin(name, &key, p->for_all, &r->make, &r->cold) == 0)
		c->save_dir = r->make.dir;
}

int road_make(struct road *r, const struct plan *p, struct inputs *in, int sig_fd, bool waits,
	      struct err *e)
{
	int first = choice_first(&r->c);

	choice_prepare(&r->c);
	trace("backend chosen, cgroup made");
	choose_template(r, p, in, sig_fd, waits);
	trace("template chosen");
	int rc = keeper_start(&r->keeper, waits ? backend_attempt_later : backend_attempt, &r->c, e);
	trace("keeper forked");
	if (plan_wants_results(p))
		backend_version(backends[first], r->c.program[first], r->version, sizeof(r->version));
	return rc;
}

void road_close(struct road *r)
{
	keeper_end(&r->keeper);
	template_leave(&r->make);
	template_close(&r->from);
}
