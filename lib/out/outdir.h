/* SPDX-License-Identifier: Apache-2.0 */
/* outdir - files from the sandbox, put safely beneath one folder, or into a tar
 * on standard output, or only listed (struct out_sink).
 *
 * Every name comes from the guest: beneath.h says how a file gets one.
 *
 * A session's guest sends all that is new or changed in /workspace, for the mirror
 * (mirror.h); what of it the user wants is chosen here, as a guest does otherwise.
 *
 * A file that cannot be kept costs that file and is told at the end; a path
 * that no honest guest sends is an ERR_GUEST.
 */
#ifndef PAI_OUT_OUTDIR_H
#define PAI_OUT_OUTDIR_H

#include "base/err.h"
#include "base/fd.h"
#include "out/beneath.h"
#include "out/mirror.h"
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
	bool whole;		/* it tells a file's size before its bytes */
};

struct outdir {
	const struct plan *plan;	/* what may be kept, and how */
	const struct out_sink *sink;	/* NULL: nothing is kept, only listed */
	struct beneath in;	/* the folder; else in.dir is -1 */
	struct mirror mirror;	/* of a session */
	struct stream stream;	/* of the tar, to be served in the loop; else closed */
	mode_t umask;		/* the caller's, but that folders of ours stay usable */
	struct out_file *file;
	struct out_skip *skip;
	size_t files, skips, unlisted;	/* unlisted: skips beyond the list */
	uint64_t sent, bytes;	/* files and folders that count for the plan's limits, and their bytes */
	uint32_t told;		/* left-out files that the guest named */
	bool full;		/* of a session: too many files, the rest is for the mirror alone */
	bool asked;		/* the guest is to send files, or name them */
	bool hash;		/* sha256 is wanted */
	bool begun, done;	/* of a tar: bytes of it are out; nothing follows */
	struct err lost;	/* the first loss; kind 0: none */
	size_t losses;

	/* the file that is arriving */
	bool open;		/* between MSG_FILE and MSG_END */
	bool chosen;		/* the user is to have it, or to be told of it; always without a session */
	bool keeps;		/* else its bytes are dropped */
	const char *reason;	/* why it is not kept, if it is not */
	char *path;
	unsigned mode;
	uint64_t want, got;
	struct sha256_ctx sha;
};

/* Nothing is open. */
void outdir_init(struct outdir *d);
/* Makes the plan's folder (its last component) if it wants one that is not there. */
int outdir_make(const struct plan *p, struct err *e);
/* Does so, opens it, removes what killed runs left; or begins a tar. Without either,
 * files are only listed. The plan is borrowed. */
int outdir_open(struct outdir *d, const struct plan *p, struct err *e);
/* After it: the run is a session's turn. DIR: session_turn.files, which stays the
 * caller's. DISK_BYTES: the session's disk. What the frames say of /workspace is done there too; where that fails,
 * mirror.lost has the reason (else its kind is 0), and the turn must not be committed:
 * its snapshot and its files would differ. */
int outdir_open_mirror(struct outdir *d, int dir, uint64_t disk_bytes, struct err *e);
int outdir_file(struct outdir *d, const struct msg_file *m, struct err *e);
int outdir_data(struct outdir *d, const uint8_t *data, size_t n, struct err *e);
int outdir_end(struct outdir *d, struct err *e);
int outdir_skip(struct outdir *d, const struct frame *f, struct err *e);
int outdir_gone(struct outdir *d, const struct frame *f, struct err *e);
/* All files have come. */
int outdir_done(struct outdir *d, struct err *e);
/* Nothing follows, whether or not all have come. */
void outdir_end_all(struct outdir *d);
/* A file that is not whole is forgotten. */
void outdir_close(struct outdir *d);

#endif
