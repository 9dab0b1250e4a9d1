/* SPDX-License-Identifier: Apache-2.0 */
/* root - the bare root that the keeper gives itself and its backend: a tmpfs
 * with what is listed, /proc, a few device nodes, /tmp and /run; nothing else
 * of the host's file system is left in view. It vanishes with the keeper. */
#ifndef PAI_HOST_ROOT_H
#define PAI_HOST_ROOT_H

#include "base/err.h"

#include <stdbool.h>

struct root_bind {
	const char *from;	/* absolute, on the host */
	const char *to;		/* absolute, in the new root */
	bool writable;
	bool device;		/* a device node that may be opened */
	bool fleeting;		/* another run may take it away: then it is not there */
};

/* BINDS end with a row of NULLs; they are read-only unless they say so, and no device or set-uid
 * bit counts on them. Call it once, as the first process of new namespaces. */
int root_enter(const struct root_bind *binds, struct err *e);

#endif
