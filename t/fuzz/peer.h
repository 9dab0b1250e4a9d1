/* SPDX-License-Identifier: Apache-2.0 */
/* peer - whoever a turn has to do with, played from a script: the guest, the
 * keeper, the user's terminal and signals, and the clock. The guest may do
 * anything; the keeper answers as the real one could. */
#ifndef PAI_T_FUZZ_PEER_H
#define PAI_T_FUZZ_PEER_H

#include "bytes.h"
#include "run/turn.h"

#define PEER_STREAMS 2		/* standard output, standard error */

/* One raw stream: what the guest wrote into it, and what came to the user. */
struct peer_stream {
	int from, to;		/* the guest's end; the user's, or -1: in JSON, of lines the second */
	struct buf written, came;
	size_t before_hello;	/* of written: the backend's own text */
	size_t before_done;
};

struct peer {
	struct bytes script;
	const struct turn *turn;
	unsigned backend;
	int64_t time_us;
	int link, ctl, sig;	/* our ends; -1: closed */
	struct peer_stream stream[PEER_STREAMS];
	uint32_t attempt;
	bool greeted;		/* this attempt's hello was taken */
	bool asked_save, saved, last, reader_sleeps, reader_left, signalled;
	unsigned idle;		/* steps since the script ended */
	struct buf sent, got;	/* of this attempt: frames to the host; from it, not yet whole */
	uint64_t fed, granted;	/* bytes of DATA and STDIN; of credit beyond the first */
	bool start_came;
};

/* LINK and SIG are the peer's ends of the turn's. */
void peer_begin(struct peer *p, struct bytes script, unsigned backend, int link, int sig);
/* The turn is about to wait, until AT_US at the latest: plays the next step. */
void peer_step(struct peer *p, int64_t at_us);
/* Takes what is left for the user. */
void peer_read(struct peer *p);
void peer_end(struct peer *p);

#endif
