/* SPDX-License-Identifier: Apache-2.0 */
/* account - where a run is accounted for beside its output: --manifest, --usage,
 * --status-fd. */
#ifndef PAI_CMD_ACCOUNT_H
#define PAI_CMD_ACCOUNT_H

#include "out/result.h"
#include "plan/plan.h"

struct account {
	int manifest, usage;	/* open files, or -1 */
	int status;		/* the caller's */
};

/* Nothing opened. */
void account_init(struct account *a);
/* Opens what the plan names, before anything of ours is: a run whose account
 * cannot be kept is not begun. */
int account_open(struct account *a, const struct plan *p, struct err *e);
/* What was kept, in the form that sha256sum -c reads. */
int account_manifest(const struct account *a, const struct plan *p, const struct result *r,
		     struct err *e);
/* One line of time, memory and bytes; to standard error with our name. */
void account_usage(const struct account *a, const struct plan *p, const struct result *r);
/* "status=WORD exit=N signal=N", the last word of all. */
void account_status(const struct account *a, const struct result *r);
void account_close(struct account *a);

#endif
