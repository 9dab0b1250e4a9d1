/* SPDX-License-Identifier: Apache-2.0 */
/* confine - gives up, for good, what this process does not need any more.
 *
 * Tables say what each kind of process keeps: capabilities, limits, what it may
 * reach on the file system (Landlock, where the kernel has it), system calls
 * (seccomp). Descriptors that are open stay as they are.
 */
#ifndef PAI_HOST_CONFINE_H
#define PAI_HOST_CONFINE_H

#include "base/err.h"

#include <linux/filter.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Who it is: bits, so that a row of a table may be for several. */
enum confine_who {
	CONFINE_COMMAND = 1,	/* before it reads a byte of the guest */
	CONFINE_STARTER = 2,	/* the keeper, and by inheritance each backend */
	CONFINE_KEEPER = 4,	/* the keeper when it will start nothing more */
};

/* What may be done beneath a folder. */
enum {
	CONFINE_READ = 1,	/* files that are there may be opened for reading */
	CONFINE_WRITE = 2,	/* files and folders may be made and replaced, none read */
	CONFINE_TIDY = 4,	/* files and folders may be removed, folders renamed */
	CONFINE_RMDIR = 8,	/* folders may be removed */
};

struct confine_place {
	int folder;		/* open; not closed here */
	unsigned may;
};

struct confine {
	enum confine_who who;
	const struct confine_place *place;
	size_t places;
	pid_t child[2];		/* what it may end and wait for; 0: none */
	struct sock_fprog calls;	/* confine_prepare() fills it */
};

/* What may be done beneath any of its places. */
unsigned confine_may(const struct confine *c);
/* Optional: does what takes the most time (a millisecond), at a time when there is
 * some. C stays as it is until confine(). */
int confine_prepare(struct confine *c, struct err *e);
void confine_free(struct confine *c);
/* 0, or -1 and an ERR_CONFINE. A kernel without Landlock is no error: it is the
 * last lock, after the others. */
int confine(struct confine *c, struct err *e);
/* True if each thread of our child PID filters system calls by more than the filters
 * that it has from us. Where the kernel does not count them (before 5.9), that it
 * filters at all has to do. */
bool confine_child_filters(pid_t pid);

#endif
