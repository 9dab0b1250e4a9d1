/* SPDX-License-Identifier: Apache-2.0 */
/* beneath - files made whole beneath a folder, under names that a guest chose.
 *
 * A path (msg_path_ok() has passed it) is walked component by component, no link is
 * followed, nothing is opened that exists already. A file is written nameless (or,
 * where the file system cannot, as .pai-exec.* held by flock) and appears under its
 * name, by rename, or not at all: what had the name is never written to, and keeps
 * its bytes under its other names (hard links). Works in a confined process. On -1
 * errno says why.
 */
#ifndef PAI_OUT_BENEATH_H
#define PAI_OUT_BENEATH_H

#include "wire/msg.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define BENEATH_TEMP ".pai-exec."

struct beneath {
	int dir;		/* the folder; -1: none */
	mode_t umask;		/* for the folders that it takes */
	bool no_clobber;	/* refuse to replace: EEXIST */

	/* the file that is being written */
	int parent, fd;
	int temp_dir;		/* where temp lies; borrowed */
	char name[MSG_NAME_MAX + 1], temp[32];
};
#define BENEATH_NONE ((struct beneath){ .dir = -1, .parent = -1, .fd = -1 })

/* Makes a folder that we can go on in, whatever the umask is. */
int beneath_mkdir(const struct beneath *b, int at, const char *name, mode_t mode);
/* Removes the temporary files of runs that were killed: nobody holds them. */
void beneath_sweep(int dir);

/* Folders that are missing on the way are made; one that is there will do. */
int beneath_folder(struct beneath *b, const char *path, mode_t mode);
int beneath_begin(struct beneath *b, const char *path);
int beneath_write(struct beneath *b, const uint8_t *data, size_t n);
/* Gives the file its name. MTIME: seconds since 1970; 0 leaves it as it is. */
int beneath_publish(struct beneath *b, mode_t mode, uint64_t mtime);
/* A file that has no name yet is no more. */
void beneath_forget(struct beneath *b);
/* Removes what has the name PATH, and of a folder all in it. Nothing there, or a link
 * on the way, is no error. */
int beneath_remove(const struct beneath *b, const char *path);
void beneath_close(struct beneath *b);

#endif
