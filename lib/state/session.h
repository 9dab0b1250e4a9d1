/* SPDX-License-Identifier: Apache-2.0 */
/* session - a live sandbox between two turns, as plain files of the user's:
 *
 *   DIR/NAME/           mode 0700
 *     lock              held by flock(2) by whoever changes the session
 *     N/                turn N (1, 2, …), whole once it has this name:
 *       session.json    what it is, and what it takes to go on (struct session_facts)
 *       log             one JSON object a line for each turn up to this one
 *       snapshot/       the backend's files; never changed, so a copy may be a hard link
 *       files/          /workspace after it, regular files and folders; hard links too
 *       sizes           all but files/, each with size and checksum; written last
 *     put-N/            files that wait for the turn after N (0: the first)
 *     N.part, N.gone    what was not finished: swept by the next who has the lock
 *
 * The highest N is the session's state. Trusted is what the caller owns and nobody
 * else can write; sizes and checksums notice damage, not forgery by the owner.
 * Anything else that is wrong is refused in words (ERR_SESSION), and nothing is lost.
 */
#ifndef PAI_STATE_SESSION_H
#define PAI_STATE_SESSION_H

#include "base/err.h"
#include "base/str.h"
#include "state/cpu.h"

#include <stdbool.h>
#include <stdint.h>

#define SESSION_NAME_MAX 64u
#define SESSION_PATH 4096
#define SESSION_FORMAT 1	/* of the folder; another one is refused */
#define SESSION_LOG_MAX (1u << 20)	/* bytes of the log; the oldest lines go */
#define SESSION_WORD 256	/* bytes of a text in the facts, NUL included */
#define SESSION_TURN_MAX ((int64_t)1 << 53)
#define SESSION_DIGEST 80	/* "sha256:", 64 digits, NUL */

/* session.json: of the turn, and what a resume depends on. */
struct session_facts {
	uint64_t turn;
	int64_t created_s, saved_s;	/* since 1970 */
	char backend[16], version[128];
	char program[SESSION_DIGEST];	/* of the backend's binary */
	char image[SESSION_WORD], image_digest[SESSION_DIGEST];
	char kernel_digest[2 * SESSION_DIGEST];	/* of a microVM's kernel and initrd; else "" */
	char cpu[CPU_TEXT];
	uint64_t cpus, memory_bytes, disk_bytes;	/* as the first turn had them */
};

struct session {
	char name[SESSION_NAME_MAX + 1];
	char path[SESSION_PATH];	/* DIR/NAME */
	int folder, dir;		/* DIR and DIR/NAME, open to read; -1: none */
	int lock;			/* held, or -1 */
	uint64_t turn;			/* the last whole one; 0: none yet */
	struct session_facts facts;	/* of that turn; zeros without one */
	struct buf log;			/* of that turn */
};
#define SESSION_NONE ((struct session){ .folder = -1, .dir = -1, .lock = -1 })

/* The rule for names of sessions and contexts, in words. WHAT: "session", "context". */
int session_check_name(const char *what, const char *name, struct err *e);
/* The folder of all sessions: DIR, or if that is NULL the user's (XDG_STATE_HOME or
 * ~/.local/state, pai/sessions). MAKE makes it. The umask shuts the user himself
 * out of nothing from here on. An ERR_SESSION if others may write it, or it is
 * another user's; ERR_NOT_FOUND if it is not there. */
int session_folder(const char *dir, bool make, char path[SESSION_PATH], struct err *e);

enum session_use {
	SESSION_LOOK,		/* without the lock */
	SESSION_CHANGE,		/* with it */
	SESSION_TURN,		/* with it; made if it is not there */
};
/* Opens and checks the session NAME in FOLDER. Waits WAIT_MS (NUM_NONE: for ever) for
 * the lock, or until SIG_FD (-1: none) can be read: ERR_BUSY then, who holds it is
 * said. ERR_NOT_FOUND if there is none. On -1 nothing is open. */
int session_open(struct session *s, const char *folder, const char *name, enum session_use use,
		 uint64_t wait_ms, int sig_fd, struct err *e);
/* A new one that has neither turn nor put files is removed again. Takes SESSION_NONE. */
void session_close(struct session *s);
/* Reads all of the last turn's snapshot: an ERR_SESSION if it is not as it was. About
 * 5 GB/s from the page cache. */
int session_verify(const struct session *s, struct err *e);
/* An ERR_SESSION if HERE differs from S->facts in what a resume depends on (all but the
 * image's name, turn, times, cpus, memory, disk); both sides are named, and the cure. */
int session_fits(const struct session *s, const struct session_facts *here, struct err *e);

/* The path of the last turn's snapshot folder; of the folder of files that wait. */
void session_snapshot(const struct session *s, char path[SESSION_PATH]);
void session_put(const struct session *s, char path[SESSION_PATH]);

/* The turn that is being made: s->turn + 1. */
struct session_turn {
	int dir;		/* of N.part, open to read; -1: none */
	int files;		/* of its files/, where the turn before's are already (hard links) */
	char snapshot[SESSION_PATH];	/* path of its snapshot/, to be filled by the backend */
};
#define SESSION_TURN_NONE ((struct session_turn){ .dir = -1, .files = -1 })
/* Sweeps what killed runs left, and makes the turn's folder. */
int session_begin(struct session *s, struct session_turn *t, struct err *e);
/* snapshot/ and files/ are filled: writes the rest, all to the disk, gives it its name,
 * and takes away the turns beyond the last KEEP and the put files that it had. Turn and
 * times of F are filled in here. LINE: a JSON object for the log, without a newline.
 * Works in a confined process: opens nothing but what lies beneath s->dir. On -1 the
 * session is as before, and the turn is to be dropped. */
int session_commit(struct session *s, struct session_turn *t, const struct session_facts *f,
		   const char *line, uint64_t keep, struct err *e);
/* Removes what is not committed. Takes SESSION_TURN_NONE; may be called twice; works in
 * a confined process. */
void session_drop(struct session *s, struct session_turn *t);

#endif
