/* SPDX-License-Identifier: Apache-2.0 */
/* check - pai-exec --check: what this host can do, as text or as JSON. */
#ifndef PAI_CMD_CHECK_H
#define PAI_CMD_CHECK_H

#include "plan/plan.h"

/* Writes to standard output; returns the exit status: 0 if a backend works,
 * 1 if none does, 125 if that could not be written. */
int check_show(const struct plan *p);

#endif
