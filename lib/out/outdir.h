/* SPDX-License-Identifier: Apache-2.0 */
/* outdir - files from the sandbox, put safely beneath one folder.
 *
 * Every name comes from the guest and is walked component by component beneath
 * DIR, no link is followed, nothing is opened that exists already. A file is
 * written nameless (or, where the file system cannot, as .pai-exec.* held by
 * flock) and appears whole under its name, by rename, or not at all.
 *
 * A file that cannot be kept costs that file and is told at the end; a path
 * that no honest guest sends is an ERR_GUEST.
 */
#ifndef PAI_OUT_OUTDIR_H
#define PAI_OUT_OUTDIR_H

#include "base/err.h"
#include "base/fd.h"
#include "plan/plan.h"
#include "wire/msg.h"

#include <nettle/sha2.h>
#include <stdbool.h>
#include <stdint.h>

struct out_file {
	char *path;
	uint64_t size;
	unsigned mode;
	char sha256[2 * SHA256_DIGEST_SIZE + 1];
};

struct out_skip {
	char *path;
	const char *reason;	/* a word: symlink, special, too_big, … */
	bool lost;		/* it should have been kept: the run is a 125 */
};

struct outdir {
	const struct plan *plan;	/* what may be kept, and how */
	int dir;		/* -1: nothing is kept, only listed */
	mode_t umask;		/* the caller's, but that folders of ours stay usable */
	struct out_file *file;
	struct out_skip *skip;
	size_t files, skips, unlisted;	/* unlisted: skips beyond the list */
	uint64_t sent, bytes;	/* files and folders that the guest announced, and their bytes */
	bool hash;		/* sha256 is wanted */
	struct err lost;	/* the first loss; kind 0: none */
	size_t losses;

	/* the file that is arriving */
	bool open;		/* between MSG_FILE and MSG_END */
	int parent, fd;		/* fd -1: its bytes are dropped */
	int temp_dir;		/* where temp lies; borrowed */
	char name[MSG_NAME_MAX + 1], temp[32];
	char *path;
	unsigned mode;
	uint64_t want, got;
	struct sha256_ctx sha;
};

/* Makes the plan's folder (its last component) if it is not there, opens it, removes
 * what killed runs left. Without one files are only listed. The plan is borrowed. */
int outdir_open(struct outdir *d, const struct plan *p, struct err *e);
int outdir_file(struct outdir *d, const struct msg_file *m, struct err *e);
int outdir_data(struct outdir *d, const uint8_t *data, size_t n, struct err *e);
int outdir_end(struct outdir *d, struct err *e);
int outdir_skip(struct outdir *d, const struct frame *f, struct err *e);
/* A file that is not whole is forgotten. */
void outdir_close(struct outdir *d);

#endif
