/* SPDX-License-Identifier: Apache-2.0 */
/* shut - the command confines itself; see turn.h
 *
 * Not before the first byte of a guest waits: until then a start that failed can be
 * explained by probes, which need rights, and a backend that has shown that it works
 * can be noted. From then on nothing is started, and opened is only what lies
 * beneath DIR (to write) and the input folders (to read).
 */
#include "run/turn.h"

#include "base/trace.h"
#include "host/confine.h"

#include <stdlib.h>
#include <sys/socket.h>

#define PLACES (3 + 2 * (CGROUP_LEAVES + 2))	/* beside the input folders */

static void add(struct confine *c, struct confine_place *list, int folder, unsigned may)
{
	if (folder >= 0)
		list[c->places++] = (struct confine_place){ folder, may };
}

/* Templates and cgroups that may have to go. */
static void add_road(struct confine *c, struct confine_place *list, const struct road *r,
		     const struct cgroup *cg)
{
	add(c, list, r->from.folder, CONFINE_TIDY);
	add(c, list, r->make.at.folder, CONFINE_TIDY);
	for (int i = 0; i < cg->n; i++)
		add(c, list, cg->leaf[i].parent, CONFINE_RMDIR);
}

int turn_prepare(struct turn *t, struct err *e)
{
	struct confine *c = &t->confine;

	t->places = calloc(PLACES + t->inputs->roots, sizeof(*t->places));
	if (!t->places)
		return err_sys(e, ERR_HOST, "memory");
	*c = (struct confine){ .who = CONFINE_COMMAND, .place = t->places,
			       .child = { t->road->keeper.pid, t->spare->keeper.pid } };
	add(c, t->places, t->r->files.in.dir, CONFINE_WRITE);
	add(c, t->places, t->live->session.dir, CONFINE_READ | CONFINE_WRITE | CONFINE_TIDY);
	add(c, t->places, t->live->session.folder, CONFINE_RMDIR);	/* a new one that came to nothing */
	for (size_t i = 0; i < t->inputs->roots; i++)
		add(c, t->places, t->inputs->root[i], CONFINE_READ);
	add_road(c, t->places, t->road, &t->choice->cgroup);
	add_road(c, t->places, t->spare, &t->spare->c.cgroup);
	return confine_prepare(c, e);
}

int turn_shut(struct turn *t, struct err *e)
{
	const struct backend *b = backends[choice_first(t->choice)];
	char byte;

	if (t->choice->confined || recv(t->ctl, &byte, 1, MSG_PEEK | MSG_DONTWAIT) <= 0)
		return 0;
	trace("the guest speaks");
	if (b->told)
		b->told(true);
	if (confine(&t->confine, e) < 0)
		return -1;
	trace("command confined");
	t->choice->confined = true;
	return 0;
}
