/* SPDX-License-Identifier: Apache-2.0 */
/* live - a run that is a turn of a session: what it takes over from the turn before,
 * and what it leaves. Inside lib/run only. Without --session nothing here does
 * anything, and the plan is as it was given.
 */
#ifndef PAI_RUN_LIVE_H
#define PAI_RUN_LIVE_H

#include "backend/backend.h"
#include "in/inputs.h"
#include "out/result.h"
#include "state/session.h"

#include <nettle/sha2.h>

struct live {
	bool on;		/* there is a session */
	struct plan plan;	/* the run's: as given, but with what the session has fixed; its
				 * strings are the given one's and the facts' */
	struct session session;
	struct session_turn turn;
	struct session_facts here[BACKENDS];	/* what this run is made of, with each backend */
	char resume[SESSION_PATH];	/* the snapshot that it starts from */
	struct sha256_ctx code;	/* the cell's text, for the log */
	uint64_t code_bytes;
};

/* Finds or makes the session of P and takes its lock; SIG_FD ends the wait. Files that wait
 * there go into IN. */
int live_open(struct live *l, const struct plan *p, struct inputs *in, int sig_fd, struct result *r,
	      struct err *e);
/* The backend and the image are known: do they suit? Makes the turn's folder, and says in
 * *C where the snapshots are, in *R where a mirror of /workspace is to be. */
int live_begin(struct live *l, struct choice *c, struct result *r, struct err *e);
/* While the sandbox boots: is the snapshot as it was? */
int live_verify(const struct live *l, struct err *e);
/* The cell's text goes into the sandbox. */
void live_code(struct live *l, const uint8_t *text, size_t n);
/* There is no snapshot that could be saved, for this reason. */
void live_refuse(const struct live *l, struct result *r, const char *why);
/* The snapshot is there: makes it the session's. */
int live_commit(struct live *l, struct result *r, struct err *e);
/* Says in *R what became of the session; what was not committed goes. */
void live_close(struct live *l, struct result *r);

#endif
