/* SPDX-License-Identifier: Apache-2.0 */
/* probe - what this host lets a sandbox do. Each probe does the thing itself;
 * where it is refused, it says what most likely refuses it, and the cure. */
#ifndef PAI_HOST_PROBE_H
#define PAI_HOST_PROBE_H

#include "base/err.h"

#include <stdbool.h>

struct probe {
	const char *name, *what;	/* what: the thing that was done, in words */
	int (*run)(struct err *e);	/* 0, or -1 and ERR_BACKEND; leaves nothing */
	bool traces;		/* matters only to a backend that traces its processes (gVisor) */
};

/* In the order in which a start needs them; the last has no name. */
extern const struct probe probes[];

/* The first probe that fails, of those that matter to a backend that TRACES or
 * not, puts its reason into *e and returns -1; 0 if all is allowed here. A few
 * milliseconds. */
int probe_all(bool traces, struct err *e);

#endif
