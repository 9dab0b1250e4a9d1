/* SPDX-License-Identifier: Apache-2.0 */
/* landlock - shuts the file system but for what lies beneath some folders. */
#ifndef PAI_HOST_LANDLOCK_H
#define PAI_HOST_LANDLOCK_H

#include "host/confine.h"

/* 0, also where the kernel has no Landlock or none that is switched on; -1 and
 * errno. Where it knows them, sockets are shut as well. Needs no_new_privs. */
int landlock_enter(const struct confine_place *place, size_t n);

#endif
