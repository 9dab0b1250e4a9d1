/* SPDX-License-Identifier: Apache-2.0 */
/* tar - the bytes of an archive around the files in it: ustar, and a pax header
 * before an entry whose name or numbers do not fit. Only folders and regular
 * files; names are bytes and stay as they are. Pure.
 *
 * An archive is tar_head(), the content and tar_padding() zeros for each entry,
 * then TAR_END zeros.
 */
#ifndef PAI_OUT_TAR_H
#define PAI_OUT_TAR_H

#include "wire/msg.h"

#include <stddef.h>
#include <stdint.h>

#define TAR_BLOCK 512u
#define TAR_END (2 * TAR_BLOCK)
#define TAR_HEAD_MAX (3 * TAR_BLOCK + MSG_PATH_MAX + TAR_BLOCK)	/* with its pax header */

struct tar_entry {
	const char *path;	/* relative, at most MSG_PATH_MAX bytes; no "/" at the end */
	int is_folder;
	unsigned mode;
	uint64_t size, mtime, uid, gid;
};

/* Writes what stands before the content of M; returns its length. */
size_t tar_head(const struct tar_entry *m, uint8_t out[TAR_HEAD_MAX]);
/* Zeros that follow a content of SIZE bytes. */
size_t tar_padding(uint64_t size);
/* Writes a header that promises bytes: no reader takes an archive that ends
 * behind it for a whole one, which many do where an entry has just ended. */
void tar_cut(uint8_t out[TAR_BLOCK]);

#endif
