/* SPDX-License-Identifier: Apache-2.0 */
/* inputs - what goes into the sandbox: the program and the -i sources, looked
 * at and opened before anything starts, so that what is wrong with them is
 * said first. The host's files are only read. */
#ifndef PAI_IN_INPUTS_H
#define PAI_IN_INPUTS_H

#include "plan/plan.h"
#include "wire/msg.h"

#include <sys/stat.h>

struct input {
	uint8_t type;		/* enum msg_type */
	uint8_t place;		/* enum msg_place */
	mode_t mode;
	uint64_t size;		/* at most so much is sent */
	char *path;		/* in /workspace */
	char *target;		/* of a link */
	char *source;		/* what the user said, for messages */
	int fd;			/* open, or -1: opened when its turn comes */
	int root;		/* then: the source folder's descriptor (inputs.root[]) */
	char *beneath;		/* and the path beneath it */
	const char *text;	/* or its bytes: a text from the command line */
	dev_t dev;		/* which file it is, to tell clashes from repeats */
	ino_t ino;
	bool waited;		/* of inputs_add_folder() */
};

struct inputs {
	struct input *at;
	size_t n;
	int *root;		/* open source folders */
	size_t roots;
	char *file;		/* FILE's name in /workspace, or NULL */
	bool from_stdin;	/* the program's text comes from standard input */
	bool tar;		/* a tar does: it is the first entry */
	struct buf head;	/* the start of it, and whether that is all */
	bool head_end;
};

/* What FILE is, is known then, and the plan suited to it (plan_suit). Waits for the end of
 * a FILE that is a pipe, or until SIG_FD can be read. */
int inputs_open(struct plan *p, struct inputs *in, int sig_fd, struct err *e);
/* After it: all that is in the folder PATH (not there: nothing), as inputs beneath
 * /workspace, but what has a name that an input has, or lies beneath one that is no
 * folder. An ERR_SESSION says what cannot go in. */
int inputs_add_folder(struct inputs *in, const char *path, struct err *e);
/* The sources alone (SRC[:NAME]), into an IN of zeros. */
int inputs_sources(const struct strv *sources, struct inputs *in, struct err *e);
/* The start of the program's text, at most MAX bytes of it, for a look; waits for
 * standard input no longer than MS, or until SIG_FD can be read. Returns the
 * length; *TEXT is *ROOM's or the inputs' own. */
size_t inputs_look(struct inputs *in, size_t max, int ms, int sig_fd, struct buf *room,
		   const char **text);
/* Opens the entry I for reading: returns a descriptor that is the caller's. */
int inputs_read(const struct inputs *in, size_t i, struct err *e);
void inputs_close(struct inputs *in);

#endif
