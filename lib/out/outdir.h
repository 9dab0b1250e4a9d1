/* SPDX-License-Identifier: Apache-2.0 */
/* outdir - files from the sandbox, put safely beneath one folder, or into a tar
 * on standard output, or only listed (struct out_sink).
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
#include "out/stream.h"
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

struct outdir;

/* Where kept files go. A failure that is an ERR_OUTPUT costs the file, any other
 * one the run. */
struct out_sink {
	int (*folder)(struct outdir *d, const struct msg_file *m, struct err *e);
	int (*begin)(struct outdir *d, const struct msg_file *m, struct err *e);
	int (*data)(struct outdir *d, const uint8_t *data, size_t n, struct err *e);
	int (*end)(struct outdir *d, struct err *e);
	int (*done)(struct outdir *d, struct err *e);
	void (*cut)(struct outdir *d);	/* instead of done */
};

struct outdir {
	const struct plan *plan;	/* what may be kept, and how */
	const struct out_sink *sink;	/* NULL: nothing is kept, only listed */
	int dir;		/* of the folder; else -1 */
	struct stream stream;	/* of the tar, to be served in the loop; else closed */
	mode_t umask;		/* the caller's, but that folders of ours stay usable */
	struct out_file *file;
	struct out_skip *skip;
	size_t files, skips, unlisted;	/* unlisted: skips beyond the list */
	uint64_t sent, bytes;	/* files and folders that the guest announced, and their bytes */
	bool asked;		/* the guest is to send files, or name them */
	bool hash;		/* sha256 is wanted */
	bool begun, done;	/* of a tar: bytes of it are out; nothing follows */
	struct err lost;	/* the first loss; kind 0: none */
	size_t losses;

	/* the file that is arriving */
	bool open;		/* between MSG_FILE and MSG_END */
	bool keeps;		/* else its bytes are dropped */
	const char *reason;	/* why it is not kept, if it is not */
	int parent, fd;
	int temp_dir;		/* where temp lies; borrowed */
	char name[MSG_NAME_MAX + 1], temp[32];
	char *path;
	unsigned mode;
	uint64_t want, got;
	struct sha256_ctx sha;
};

/* Nothing is open. */
void outdir_init(struct outdir *d);
/* Makes the plan's folder (its last component) if it is not there, opens it, removes
 * what killed runs left; or begins a tar. Without either, files are only listed. The
 * plan is borrowed. */
int outdir_open(struct outdir *d, const struct plan *p, struct err *e);
int outdir_file(struct outdir *d, const struct msg_file *m, struct err *e);
int outdir_data(struct outdir *d, const uint8_t *data, size_t n, struct err *e);
int outdir_end(struct outdir *d, struct err *e);
int outdir_skip(struct outdir *d, const struct frame *f, struct err *e);
/* All files have come. */
int outdir_done(struct outdir *d, struct err *e);
/* Nothing follows, whether or not all have come. */
void outdir_end_all(struct outdir *d);
/* A file that is not whole is forgotten. */
void outdir_close(struct outdir *d);

#endif
