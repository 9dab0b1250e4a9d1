/* SPDX-License-Identifier: Apache-2.0 */
/* turn - one program in one sandbox, from the keeper's start to the last byte:
 * one poll loop in every phase. Inside lib/run only.
 *
 * turn.c    the loop and its deadlines
 * link.c    what the keeper says
 * shut.c    the command's own confinement
 * talk.c    frames from the guest, what each means
 * feed.c    frames to the guest: the plan, the inputs, standard input
 */
#ifndef PAI_RUN_TURN_H
#define PAI_RUN_TURN_H

#include "backend/backend.h"
#include "host/confine.h"
#include "in/inputs.h"
#include "out/result.h"
#include "run/live.h"
#include "run/road.h"
#include "run/run.h"
#include "wire/msg.h"

enum turn_phase {
	TURN_BOOT,		/* until the guest's hello */
	TURN_MAKE,		/* a template is made of it */
	TURN_LOAD,		/* inputs go in */
	TURN_START,		/* START is sent */
	TURN_RUN,		/* the program runs */
	TURN_GRACE,		/* it was interrupted */
	TURN_KILL,		/* it was killed */
	TURN_COLLECT,		/* it has ended; files come */
	TURN_DRAIN,		/* all has come; the caller's side takes the rest */
	TURN_KEEP,		/* a session's: the sandbox is saved */
	TURN_OVER,
};

struct turn {
	const struct plan *plan;
	struct live *live;
	const struct inputs *inputs;
	struct choice *choice;
	struct result *r;
	struct road *road;	/* with a keeper at work */
	struct road *spare;	/* another backend's, which may have to take over */
	struct confine confine;	/* what the command will keep, until it is confined */
	struct confine_place *places;
	bool making, saving, clone;	/* saving: the snapshot was asked for */
	uint32_t attempt;	/* of the keeper's: the one at work, or awaited */
	unsigned resumes;	/* of a session's snapshot that failed */
	unsigned note;		/* enum msg_note, of the last one */
	int sig_fd;

	enum turn_phase phase;
	int64_t deadline_us;	/* of this phase */
	int64_t collect_us;	/* when all files must be here */
	bool hurry;		/* nobody waits for a slow reader any more */

	char how[64];		/* the backend's own process ended, once it has: in words, */
	int status;		/* as wait(2) has it, */
	uint64_t peak_bytes;	/* and with so much memory */
	int ctl;		/* -1 until the keeper's attempt, and after its end */
	int out_fd, err_fd;	/* of the attempt, until the streams take them */
	struct buf from, to;	/* the control channel: read, to be written */

	/* feed.c */
	size_t next;		/* input */
	int in_fd;		/* of the input at hand, or -1 */
	uint64_t in_left;
	size_t text_at;
	bool in_open, stdin_wanted, stdin_end;
	uint32_t credit;
};

/* Enters PHASE, with AFTER_MS (NUM_NONE: never) until its deadline. */
void turn_enter(struct turn *t, enum turn_phase phase, uint64_t after_ms);
/* Enters TURN_LOAD, or renews its deadline: the guest has taken something. */
void turn_load(struct turn *t);
/* A template that starts no sandbox, or cannot be made, costs time, never the
 * run: away with it (if it is DAMAGED, not merely slow), and on with the next
 * attempt, cold. A session's snapshot is tried once more. */
int turn_go_cold(struct turn *t, bool damaged, const char *why, struct err *e);
/* Interrupts the program and gives it the grace. */
int turn_interrupt(struct turn *t, struct err *e);
/* Tells the keeper when it must end the sandbox if we cannot, for we may be stopped,
 * or stuck in a write to a terminal that is: once the program, which starts within
 * BOOT_MS, must be gone. NUM_NONE: no more. */
void turn_limit_keeper(struct turn *t, uint64_t boot_ms);
/* The sandbox is no more, or is given up: the run is told by what is known. */
void turn_give_up(struct turn *t, const char *warning);
/* Until the guest's hello. */
uint64_t turn_boot_ms(const struct turn *t);
/* The keeper's link has something. */
int turn_hear(struct turn *t, struct err *e);
/* The channel or the backend ended without MSG_DONE. */
int turn_died(struct turn *t, struct err *e);
/* Before a line that is no stream's: takes what waits in the program's pipes, also where
 * the reader makes us wait, up to what may wait for him. */
int turn_catch_up(struct turn *t, struct err *e);
/* The limit L has struck: the first one counts. */
void turn_strike(struct turn *t, enum plan_limit l);

/* A template is to be made first: PREPARE is queued. */
int feed_prepare(struct turn *t, struct err *e);
/* The attempt's descriptors are here: RUN, ARG and ENV are queued. */
int feed_begin(struct turn *t, struct err *e);
/* Queues what may be queued now. */
int feed_step(struct turn *t, struct err *e);
/* True if descriptor 0 should be polled for more. */
bool feed_wants_stdin(const struct turn *t);
/* Descriptor 0 has something, or its end. */
int feed_stdin(struct turn *t, struct err *e);
int feed_frame(struct turn *t, enum msg_kind kind, const void *body, size_t n, struct err *e);

/* Reads and handles what the guest sent; *END is set at the channel's end. */
int talk_read(struct turn *t, bool *end, struct err *e);

/* Lists what the rest of the run needs; while the sandbox boots. */
int turn_prepare(struct turn *t, struct err *e);
/* Before the guest's first byte is read: gives up all other rights. */
int turn_shut(struct turn *t, struct err *e);

/* The whole turn; the result's program fields are filled. */
int turn_take(struct turn *t, struct err *e);

#endif
