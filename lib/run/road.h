/* SPDX-License-Identifier: Apache-2.0 */
/* road - one backend's way to a sandbox: all that takes rights to get, so that it
 * is there before the command gives them up. Where another backend may have to
 * take over, its road is made too, while the first one's guest boots; its keeper
 * waits. Inside lib/run only.
 */
#ifndef PAI_RUN_ROAD_H
#define PAI_RUN_ROAD_H

#include "backend/backend.h"
#include "in/inputs.h"
#include "plan/preload.h"
#include "state/known.h"
#include "state/template.h"

struct road {
	struct choice c;
	struct keeper keeper;
	char version[KNOWN_MAX];	/* of the backend, where the result tells it */
	const struct preload *preload;	/* what a template holds, */
	char modules[PRELOAD_MODULES_MAX + 16];	/* and the same as PREPARE says it */
	char dir[TEMPLATE_PATH];	/* of the template to clone from, */
	struct template_at from;	/* and the same, open */
	struct template_make make;	/* one to leave behind, */
	struct err cold;		/* or why there is neither */
};
#define ROAD_NONE ((struct road){ .keeper.link = -1, .from = { -1, -1, "" }, .make = TEMPLATE_MAKE_NONE, \
				  .c.cgroup = CGROUP_NONE })

/* Cgroups and template for the first backend of R->c, whose keeper is started, to go
 * (WAITS: only when it is told). R must not move any more. */
int road_make(struct road *r, const struct plan *p, struct inputs *in, int sig_fd, bool waits,
	      struct err *e);
/* What is left of it goes; the cgroups are the choice's. Takes ROAD_NONE. */
void road_close(struct road *r);

#endif
