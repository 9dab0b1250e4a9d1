/* SPDX-License-Identifier: Apache-2.0 */
/* request - what pai-session was asked for, and its commands. Each returns the exit
 * status: 0; -1 and an error. */
#ifndef PAI_CMD_REQUEST_H
#define PAI_CMD_REQUEST_H

#include "base/err.h"
#include "state/session.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct request {
	char **names;		/* operands, to a NULL */
	size_t n;
	bool json, dry_run;
	const char *output;	/* of get; NULL: the current folder */
	uint64_t older_ms;	/* of prune; NUM_NONE: not said */
	uint64_t wait_ms;	/* for a session in use */
	bool there;		/* the folder of sessions */
	char folder[SESSION_PATH];
};

/* tell.c */
int tell_list(const struct request *rq, struct err *e);
int tell_show(const struct request *rq, struct err *e);
int tell_log(const struct request *rq, struct err *e);
json_t *tell_file(const char *path, uint64_t size);
/* carry.c */
int carry_put(const struct request *rq, struct err *e);
int carry_get(const struct request *rq, struct err *e);

#endif
