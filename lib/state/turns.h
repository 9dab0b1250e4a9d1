/* SPDX-License-Identifier: Apache-2.0 */
/* turns - the folder of one turn of a session: what must be in it, and that it is. */
#ifndef PAI_STATE_TURNS_H
#define PAI_STATE_TURNS_H

#include "state/session.h"

#include <sys/stat.h>

#define TURNS_NAME 32		/* bytes of the name of a turn's folder */
#define TURNS_NAMES 10000u	/* in a session's folder */
#define TURNS_ROWS 64		/* files of a turn, but for those in files/ */
#define TURNS_LINE_MAX (64u << 10)	/* bytes of a line of the log */

/* An ERR_SESSION of errno; a disk that is full is told as such. */
int turns_failed(const char *what, struct err *e);
/* An ERR_SESSION if ST is not the caller's, or others can write it; WHAT is named. */
int turns_owned(const struct stat *st, const char *what, struct err *e);
/* The number of the turn whose folder is NAME; 0 if it is none. */
uint64_t turns_number(const char *name);

/* DIR/N, open; an ERR_SESSION if that is no folder of the caller's. */
int turns_open(int dir, uint64_t n, struct err *e);
/* Checks the open folder DIR of turn N and reads it. On -1 *LOG is empty. */
int turns_load(int dir, uint64_t n, struct session_facts *facts, struct buf *log, struct err *e);
/* Reads all of its files: an ERR_SESSION if one is not as it was. */
int turns_verify(int dir, struct err *e);
/* Writes session.json, log and sizes into DIR, which has its snapshot/ and files/, and
 * all of it to the disk. */
int turns_seal(int dir, const struct session_facts *f, const struct buf *log, struct err *e);
/* Appends LINE to the turn's LOG; the oldest lines go. */
int turns_log(struct buf *log, uint64_t turn, const char *line, struct err *e);

/* session_open() without a look at the last turn, which may be damaged. */
int session_enter(struct session *s, const char *folder, const char *name, enum session_use use,
		  uint64_t wait_ms, int sig_fd, struct err *e);
/* 1 if the open folder DIR is a session's, 0 if it is none or an empty one; OTHER: a name
 * in it that is no session's, or "". */
int session_holds(int dir, char other[TURNS_NAME], struct err *e);
/* Takes away what killed runs left in it. */
void session_sweep(const struct session *s);

#endif
