/* SPDX-License-Identifier: Apache-2.0 */
/* syscalls - the filter of system calls for each kind of process. */
#ifndef PAI_HOST_SYSCALLS_H
#define PAI_HOST_SYSCALLS_H

#include "host/confine.h"

/* Makes the filter of C's kind of process, to be freed; 0, or -1 and errno. */
int syscalls_build(const struct confine *c, struct sock_fprog *calls);

#endif
