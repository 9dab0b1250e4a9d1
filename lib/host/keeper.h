/* SPDX-License-Identifier: Apache-2.0 */
/* keeper - the first process of a run's own namespaces, whose death is the
 * death of everything in them.
 *
 * It is PID 1 of a new PID namespace, in new mount, network, IPC and UTS
 * namespaces (for a plain user in a new user namespace too, where uid 0 is the
 * user), in a session of its own. The kernel kills it when the command dies,
 * and with it every process of the run; its mounts vanish with the last one.
 *
 * The two talk over a socket of whole messages with descriptors.
 */
#ifndef PAI_HOST_KEEPER_H
#define PAI_HOST_KEEPER_H

#include "base/err.h"

#include <stdint.h>
#include <sys/types.h>

#define KEEPER_FDS 3		/* descriptors in one message */

enum keeper_what {
	KEEPER_ATTEMPT = 1,	/* a backend was started: control, stdout, stderr */
	KEEPER_ENDED,		/* the backend's own process ended: err says how */
	KEEPER_SAVED,		/* the snapshot that was asked for: err, or none */
	KEEPER_FAILED,		/* no attempt could be made: err says why. If it was to be a
				 * clone, another may be asked for */
};

/* What the command may ask for: a byte and a time. */
enum keeper_ask {
	KEEPER_SAVE = 'S',	/* snapshot the sandbox, which goes on */
	KEEPER_NEXT = 'N',	/* end it, make the next attempt, cold */
	KEEPER_KEEP = 'K',	/* snapshot it for a session, which ends it: KEEPER_SAVED too */
	KEEPER_AGAIN = 'A',	/* end it, make the next attempt, of the same kind */
	KEEPER_CLONE = 'C',	/* make one from what was saved */
	KEEPER_GO = 'G',	/* to a keeper that waits: make the first */
	KEEPER_LAST = 'R',	/* nothing more will be asked for: give up all rights */
	KEEPER_LIMIT = 'L',	/* end all after so many ms, even if the command is stopped or
				 * stuck in a write; NUM_NONE takes that back */
};

struct keeper_word {
	enum keeper_ask what;
	uint64_t ms;
};

struct keeper_msg {
	enum keeper_what what;
	uint32_t attempt;	/* counts from 1 */
	uint32_t backend;	/* its row in the table */
	uint32_t clone;		/* 1: from a template */
	int32_t status;		/* of KEEPER_ENDED, as wait(2) has it */
	uint64_t peak_bytes;	/* … resident at most, of it or one that it waited for */
	struct err err;
};

struct keeper {
	pid_t pid;		/* 0: none */
	int link;		/* the command's end */
};

/* Forks the keeper, which runs BODY(ARG, link) and exits with its answer. */
int keeper_start(struct keeper *k, int (*body)(void *arg, int link), void *arg, struct err *e);
/* Ends it and everything beneath it, and waits until that is done. May be
 * called twice. */
void keeper_end(struct keeper *k);

/* FD[0..N) go along; returns 0 or -1 and *e. */
int keeper_send(int link, const struct keeper_msg *m, const int *fd, int n, struct err *e);
int keeper_ask(int link, enum keeper_ask what, uint64_t ms, struct err *e);
/* Returns 1 and fills *M and FD (-1 where none came), 0 at the end of the
 * link, or -1. Does not block if nothing is there: errno is EAGAIN then. */
int keeper_recv(int link, struct keeper_msg *m, int fd[KEEPER_FDS]);

#endif
