/* SPDX-License-Identifier: Apache-2.0 */
/* check - what this host can do, and why not the rest: everything is done,
 * nothing guessed by names. */
#ifndef PAI_RUN_CHECK_H
#define PAI_RUN_CHECK_H

#include "base/err.h"
#include "plan/plan.h"

#include <stdbool.h>

#define CHECK_ROWS 32

enum check_state { CHECK_OK, CHECK_BAD, CHECK_INFO };

struct check_row {
	const char *group;	/* a backend's name, "limits", "image", "host" */
	const char *name;
	enum check_state state;
	char text[ERR_MSG_MAX];	/* what was found, or the reason and the cure */
};

struct check {
	struct check_row row[CHECK_ROWS];
	int rows;
	bool works;		/* a program ran on some backend */
};

/* Some hundred milliseconds; ten seconds at most where something hangs. */
void check_all(const struct plan *p, struct check *c);

#endif
