/* SPDX-License-Identifier: Apache-2.0 */
/* sessions - what is done to sessions between their turns, for pai-session: look at all,
 * branch, go back, remove, files in and out. Nothing of a session is run or restored.
 *
 * An ERR_NOT_FOUND is a session, turn or file that is not there; all else that is wrong
 * with a session is an ERR_SESSION.
 */
#ifndef PAI_STATE_SESSIONS_H
#define PAI_STATE_SESSIONS_H

#include "state/session.h"
#include "state/tree.h"

#include <stdbool.h>

#define SESSIONS_MAX 10000u	/* in one folder, that are looked at */

struct sessions_row {
	char name[SESSION_NAME_MAX + 1];
	struct err why;		/* kind 0: it can be used */
	uint64_t turn, kept;	/* the last one; how many are there */
	uint64_t waiting;	/* files of pai-session put */
	uint64_t bytes;		/* on the disk: blocks, a hard link once */
	int64_t used_s;		/* when something of it was last changed */
	struct session_facts facts;
};

struct sessions {
	struct sessions_row *at;	/* by name */
	size_t n;
};

/* All of the folder PATH, without a lock. */
int sessions_list(const char *path, struct sessions *all, struct err *e);
void sessions_free(struct sessions *all);
/* One of them: S is open. */
void sessions_measure(const struct session *s, struct sessions_row *row);

/* The turns that S still has, in order; free *TURNS. */
int sessions_turns(const struct session *s, uint64_t **turns, size_t *n, struct err *e);
/* S is locked (session_enter). TURN 0: the one before the last. */
int sessions_rewind(struct session *s, uint64_t turn, struct err *e);
/* Removes it with all that is in it. S is locked; to be closed. */
int sessions_remove(struct session *s, struct err *e);
/* The last turn of S, which is locked, and the files that wait, as the new session NAME. */
int sessions_fork(struct session *s, const char *name, struct err *e);
/* Takes away what killed calls left in the folder PATH. */
void sessions_sweep(const char *path);

/* Puts what can be read from FD, to its end, or (-1) a folder among the files that wait
 * for the next turn, as PATH. S is locked. *SIZE: the bytes. */
int sessions_put(struct session *s, const char *path, int fd, mode_t mode, uint64_t *size, struct err *e);
/* Opens a file or folder of /workspace: one that waits (WAITING), or one that the last
 * turn left; "" is all. Returns a descriptor, or -1. */
int sessions_get(const struct session *s, bool waiting, const char *path, struct err *e);

#endif
