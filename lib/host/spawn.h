/* SPDX-License-Identifier: Apache-2.0 */
/* spawn - ask another program something: its output, bounded in size and time. */
#ifndef PAI_HOST_SPAWN_H
#define PAI_HOST_SPAWN_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* fork(), with a pipe between the two: both have both ends, close-on-exec. -1 and *e;
 * what is open then is in *FROM and *TO all the same (-1 before). */
pid_t spawn_fork(int *from, int *to, struct err *e);

/* Forks a child, with no signal blocked, that runs BECOME(ARG): it ends in execve(),
 * and returns, with *E filled, only if that could not be. Waits so long, and returns
 * the child's pid, or -1 and the child's own *e. */
pid_t spawn_become(int (*become)(const void *arg, struct err *e), const void *arg, struct err *e);

/* Runs ARGV (an absolute path first) with an empty environment and no input;
 * the start of what it writes to standard output and error goes to TEXT, with
 * a final NUL. Returns its exit status, or -1 and *e: it could not be started,
 * was killed by a signal, or by us after MS (in these two e->sys is ECHILD). */
int spawn_read(const char *const *argv, uint32_t ms, char *text, size_t size, struct err *e);

#endif
