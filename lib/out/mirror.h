/* SPDX-License-Identifier: Apache-2.0 */
/* mirror - a session's /workspace as plain files: what a turn's guest sends of it is
 * brought into the folder files/ of that turn, where those of the turn before are
 * already, as hard links.
 *
 * So a file there is never opened to write, nor are its mode and time changed: another
 * takes its name (beneath.h). A mirror that cannot be brought up to date is LOST, for
 * good; the frames go on to be taken, and the run with its other outputs goes on.
 */
#ifndef PAI_OUT_MIRROR_H
#define PAI_OUT_MIRROR_H

#include "base/err.h"
#include "out/beneath.h"

struct mirror {
	struct beneath in;	/* in.dir -1: there is no session */
	uint64_t most;		/* bytes that one turn can bring */
	uint64_t sent, bytes;	/* what it has announced: files and folders, bytes */
	struct err lost;	/* why the turn must not be saved; kind 0: it may */
	struct msg_file file;	/* that is arriving, without its names */
	bool open;
};

/* Nothing is open. */
void mirror_init(struct mirror *m);
/* DIR: session_turn.files, which stays the caller's. MOST: --disk. */
int mirror_open(struct mirror *m, int dir, uint64_t most, struct err *e);
/* An ERR_GUEST if it is more than an honest guest sends; else 0. */
int mirror_file(struct mirror *m, const struct msg_file *f, struct err *e);
void mirror_data(struct mirror *m, const uint8_t *data, size_t n);
void mirror_end(struct mirror *m);
/* PATH, and all beneath it, is no more. */
void mirror_gone(struct mirror *m, const char *path);
void mirror_close(struct mirror *m);

#endif
