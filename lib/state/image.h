/* SPDX-License-Identifier: Apache-2.0 */
/* image - the folder that a sandbox starts from: rootfs.erofs, for microVMs
 * vmlinux and initrd, and image.json (deploy/build-image writes all). Nothing
 * large is read or hashed here: the size on record, the owner and the mode are
 * checked, as for every run.
 */
#ifndef PAI_STATE_IMAGE_H
#define PAI_STATE_IMAGE_H

#include "base/err.h"

#include <stdbool.h>

#define IMAGE_FORMAT 1		/* of image.json; a newer one is refused */
#define IMAGE_JSON_MAX (1u << 20)	/* bytes */
#define IMAGE_PATH 4096
#define IMAGE_DIGEST 80		/* "sha256:", 64 digits, NUL */

struct image {
	char *name;		/* as the user says it */
	char *rootfs;		/* absolute path of rootfs.erofs */
	char digest[IMAGE_DIGEST];	/* of rootfs.erofs, from image.json */
	/* Of a microVM; NULL and "" where image.json has no "vmlinux". */
	char *vmlinux, *initrd;
	char vmlinux_digest[IMAGE_DIGEST], initrd_digest[IMAGE_DIGEST];
	bool is_folder;		/* rootfs is one: cold starts only */
};

/* Finds the image NAME (NULL: "default"): a name in the user's data folder or
 * in the system's, or a path if it has a slash. */
int image_find(const char *name, struct image *out, struct err *e);
/* The file system at PATH itself, an EROFS file or a folder, without image.json:
 * its digest is that of its identity (known.h). */
int image_at(const char *path, struct image *out, struct err *e);
void image_free(struct image *im);
/* The folder of the user's images, or (FOR_ALL) of the system's; false: none. */
bool image_folder(bool for_all, char path[IMAGE_PATH]);

#endif
