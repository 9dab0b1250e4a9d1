/* SPDX-License-Identifier: Apache-2.0 */
/* fcsnap - snapshots of a microVM: a folder with the machine's state and its memory.
 *
 * A machine that may be saved counts the pages that it writes, and only those are
 * saved: Firecracker writes them into the file of memory that is there already, which
 * is a copy of the one that the machine was loaded from; without one all else is a
 * hole. Pages of zeros become holes too. What was loaded is read only.
 */
#ifndef PAI_BACKEND_FCSNAP_H
#define PAI_BACKEND_FCSNAP_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Loads the snapshot in the folder FROM and lets the machine run. COUNT: it may be
 * saved. PID_FD, UNTIL_US and *e: see fcapi.h. */
int fcsnap_load(const char *api, int pid_fd, const char *from, bool count, int64_t until_us,
		struct err *e);

/* Begins to copy the memory in FROM to the folder TO, in a child, which nobody need wait
 * for. A descriptor for fcsnap_save(), or -1. */
int fcsnap_copy(const char *from, const char *to, struct err *e);

/* Stops the machine, whose UID (0: ours) writes the files, and saves it in the folder TO.
 * BASE: of fcsnap_copy(), or 0 where it was started cold. fcsnap_finish() comes next, when
 * the machine has ended. */
int fcsnap_save(const char *api, int pid_fd, const char *to, uid_t uid, int base, int64_t until_us,
		struct err *e);
/* The files are ours again, to be read by all, and as small as they can be; FOLDER is the
 * mode of TO. SAVED: fcsnap_save() said so; else only the folder is taken back. */
int fcsnap_finish(const char *to, uid_t uid, mode_t folder, bool saved, struct err *e);

#endif
