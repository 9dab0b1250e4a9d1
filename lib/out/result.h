/* SPDX-License-Identifier: Apache-2.0 */
/* result - what became of a run: what is known of it, and the exit status. */
#ifndef PAI_OUT_RESULT_H
#define PAI_OUT_RESULT_H

#include "out/outdir.h"
#include "out/results.h"
#include "out/stream.h"
#include "plan/plan.h"
#include "state/image.h"

enum result_status {
	RESULT_OK,		/* it ended by itself, whatever its exit status */
	RESULT_ERROR,		/* an uncaught exception */
	RESULT_TIMEOUT,
	RESULT_FAILED,		/* pai-exec failed: error says how */
	RESULT_SIGNAL,
	RESULT_MEMORY,
	RESULT_CANCELLED,	/* pai-exec got a signal */
	RESULT_STATUSES
};

/* What became of a session. */
enum result_session {
	SESSION_NONE_ASKED,
	SESSION_KEPT,		/* the turn is saved (or was not begun) */
	SESSION_REWOUND,	/* it is as before the turn */
	SESSION_LOST,		/* there was no turn before */
	SESSION_STATES
};

struct result {
	enum result_status status;
	bool clone;		/* it began as a clone of a template, or */
	bool resumed;		/* … where a session's last turn left off */
	bool left_template;	/* it left one behind */
	bool taken;		/* of a program on standard input, by a sandbox: no other can have it */
	bool started, ended;	/* the program's start and end were seen */
	int exit_code;		/* of the program, if it ended by itself */
	int signal;		/* that ended it, or 0 */
	uint64_t limit[LIMITS];	/* that held: the plan's, but a session's sizes are its own */
	enum plan_limit struck;	/* the limit that ended it first, or LIMITS */
	int cancel;		/* the signal that pai-exec got, or 0 */
	uint32_t count;		/* cells that a session's kernel has run: it rests, and can be saved */
	struct {
		char name[65];		/* "" without one */
		uint64_t turn;		/* its last */
		enum result_session state;
		struct err why;		/* the turn could not be saved */
	} session;
	struct err error;	/* of RESULT_FAILED */
	struct strv refusals;	/* each backend's, where none works */
	struct buf note[MSG_NOTES];	/* of an uncaught exception */
	struct stream out, err;
	struct results results;
	struct stream lines;	/* of --format=ndjson, to be served in the loop; else closed (lines.h) */
	struct outdir files;
	const char *backend;	/* or NULL if none was started */
	char version[128];	/* of it, or "" */
	char why[ERR_MSG_MAX];	/* the refusals of the better ones */
	char cold[ERR_MSG_MAX];	/* why no template was used or left, or "" */
	struct image image;
	struct strv warnings;	/* what a user must know */
	struct strv notes;	/* what one may want to know (-v, JSON) */
	int64_t begin_us, started_us, first_us, ended_us, done_us, finish_us;
	uint64_t user_us, sys_us, peak_bytes;
};

/* Nothing opened, nothing known but the limits of P. */
void result_init(struct result *r, const struct plan *p, int64_t begin_us);
const char *result_word(enum result_status s);
/* How the sandbox began: cold, warm, resumed. */
const char *result_start(const struct result *r);
/* "time limit of 60 s reached" for the limit that struck; "" if none did. */
const char *result_struck(const struct result *r, char *dst, size_t size);
/* What pai-exec exits with; for RESULT_CANCELLED it is 128 + the signal. */
int result_exit(const struct result *r);
void result_free(struct result *r);

#endif
