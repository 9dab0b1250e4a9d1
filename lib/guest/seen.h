/* SPDX-License-Identifier: Apache-2.0 */
/* seen - what is known of the entries of /workspace: how an input was when it was
 * placed; in a session also what the host's mirror has. It lies in our memory, so in
 * a session's snapshot too: the next turn compares with what this one left. */
#ifndef PAI_GUEST_SEEN_H
#define PAI_GUEST_SEEN_H

#include "guest/guest.h"

#include <sys/stat.h>

struct seen_file {
	const char *path;
	struct seen_file *next;	/* of all */
	mode_t type;		/* S_IFREG, …; with the next four: as it was last looked at */
	ino_t ino;
	off_t size;
	struct timespec mtime, ctime;
	bool summed;		/* it was mapped to be written; then: */
	uint64_t sum;		/* … of its bytes (mapped.h) */
	mode_t sent;		/* what the mirror has of this name: S_IFREG, S_IFDIR or 0 */
	uint32_t placed;	/* the turn that it is an input of, */
	uint32_t met;		/* and the last one whose walk met it */
};

struct seen {
	void *root;		/* of a tsearch() tree */
	struct seen_file *all;
	uint32_t turn;		/* 1, 2, …: a RUN and its end */
	uint32_t sent;		/* entries of the mirror */
};

struct seen_file *seen_find(const struct guest *g, const char *path);
/* The same, made if it is not there, with *ST as how it is now. */
struct seen_file *seen_note(struct guest *g, const char *path, const struct stat *st, struct err *e);
/* True if ST is how F was: for a folder, that it is one. F may be NULL. */
bool seen_same(const struct seen_file *f, const struct stat *st);
/* The mirror has it as a TYPE, or (0) not any more. */
void seen_sent(struct guest *g, struct seen_file *f, mode_t type);

/* Those that this turn's walk did not meet, by path (so a folder comes before what was
 * in it): a list of *N to be freed, or NULL. */
struct seen_file **seen_unmet(const struct guest *g, size_t *n, struct err *e);
/* Forgets F[0..N), those that are not NULL. */
void seen_drop(struct guest *g, struct seen_file **f, size_t n);

#endif
