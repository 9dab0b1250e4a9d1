/* SPDX-License-Identifier: Apache-2.0 */
/* run - the pipeline: plan, inputs, backend, streams, outputs, teardown.
 *
 * The caller's descriptors 0, 1 and 2 are used as they are. Signals INT, TERM,
 * HUP and QUIT are taken while a run goes on: the first interrupts the program
 * and waits the grace, the second ends all at once; the caller of run() then
 * dies of that signal (result.cancel).
 */
#ifndef PAI_RUN_RUN_H
#define PAI_RUN_RUN_H

#include "out/result.h"
#include "plan/plan.h"
#include "state/image.h"

/* One line for a person, while the run goes on; may be NULL. */
typedef void run_note(const char *text);

/* Runs P once. Fills *R in every case, failures included (RESULT_FAILED and
 * r->error); nothing of the run is left when it returns. BEGIN_US is when the process
 * began (clock_now_us()); OPEN has bit N set if descriptor N was open. The process is
 * confined then, as far as the run came: it can tell *R, no more. P knows afterwards
 * what FILE is (plan_suit()). */
void run(struct plan *p, int64_t begin_us, unsigned open, run_note *note, struct result *r);

/* What a process that goes on after a run is told of it. */
struct run_summary {
	enum result_status status;
	struct err error;
	bool clone, left_template;
	int64_t us;		/* that it took */
	char out[64];		/* what it printed, if it is no more */
	char note[ERR_MSG_MAX];	/* why it neither used nor left a template */
};
/* As run(), in a child, with --json and nothing to read. */
int run_apart(struct plan *p, struct run_summary *s, struct err *e);

/* The image that a run of this plan starts from. */
int run_image(const struct plan *p, struct image *im, struct err *e);

#endif
