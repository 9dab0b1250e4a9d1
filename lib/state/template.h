/* SPDX-License-Identifier: Apache-2.0 */
/* template - snapshots of sandboxes whose interpreter has imported its modules
 * and waits for a program: plain folders in the user's cache (pai/templates), or
 * in the system's, which root makes and all may read.
 *
 * A template is named by a hash of all that it depends on; nothing large is
 * hashed for that. It is written beside and renamed, never changed in place,
 * and trusted as an image is: by owner and mode, with its sizes on record. What
 * is wrong with one costs time, never a run.
 */
#ifndef PAI_STATE_TEMPLATE_H
#define PAI_STATE_TEMPLATE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

#define TEMPLATE_NAME 33	/* 32 hexadecimal digits and NUL */
#define TEMPLATE_PATH 4096
#define TEMPLATES_MAX 16	/* kept in one folder; the longest unused go */

/* What a template depends on. */
struct template_key {
	const char *image;	/* its digest */
	const char *backend;	/* the binary: its identity is taken by stat(2) */
	const char *modules;
	const char *more;	/* what else the backend says */
	uint64_t cpus;
};

int template_name(const struct template_key *k, char name[TEMPLATE_NAME], struct err *e);

/* One on the disk, with all that it takes to remove it: that works when nothing can
 * be opened any more. */
struct template_at {
	int folder, dir;	/* of all templates, and its own; -1: none */
	char name[256];		/* in folder */
};

/* True if there is one that may be used; PATH is its folder, AT the same, open. Marks
 * it as used. FOR_ALL: only the system's counts. */
bool template_find(const char *name, bool for_all, char path[TEMPLATE_PATH], struct template_at *at);
/* It is there no more. */
void template_drop(const struct template_at *at);
void template_close(struct template_at *at);

/* One that is being made, in the user's cache or (FOR_ALL) in the system's. */
struct template_make {
	int lock;		/* -1: nobody is making anything */
	int sizes;		/* the list that says it is whole, still empty */
	struct template_at at;
	char dir[TEMPLATE_PATH], name[TEMPLATE_NAME];
};
#define TEMPLATE_MAKE_NONE ((struct template_make){ -1, -1, { -1, -1, "" }, "", "" })
/* 0 and a folder to fill, or -1: somebody else makes it, or there is no place. */
int template_begin(const char *name, const struct template_key *k, bool for_all,
		   struct template_make *m, struct err *e);
/* Puts what was made in place (GOOD), or takes it away; true if it is there. Opens
 * nothing. May be called twice. */
bool template_end(struct template_make *m, bool good);
/* What was not put in place is taken away; all is closed. */
void template_leave(struct template_make *m);
/* It cannot be made: for ten minutes nobody tries again. */
void template_avoid(const struct template_make *m);
/* Holds the folder of the template PATH, so that no run makes one there: returns a
 * descriptor, or -1, and errno is EWOULDBLOCK if one does just now. */
int template_hold(const char *path);
/* Removes the template in the folder PATH. */
void template_remove(const char *path);

/* The two folders that templates lie in: the user's own, or (FOR_ALL) the
 * system's; false if there is none. MAKE makes it. */
bool template_folder(bool for_all, bool make, char path[TEMPLATE_PATH]);
/* When the template in the folder PATH, of which ST is, was last used: what a user does with
 * root's is seen in the time of an access only, which the kernel notes once a day. */
time_t template_used(const char *path, const struct stat *st);
/* What stands in the file NAME of the template in PATH ("modules", "image"), or "". */
void template_note(const char *path, const char *name, char *text, size_t size);

#endif
