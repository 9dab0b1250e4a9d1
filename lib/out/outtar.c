/* SPDX-License-Identifier: Apache-2.0 */
/* outtar - see outtar.h */
#include "out/outtar.h"

#include "base/clock.h"
#include "out/tar.h"

#include <sys/stat.h>
#include <unistd.h>

#define WAIT_MS 500		/* that a reader may take for the end of what is cut short */
/* What one look at the channel can bring: small entries grow to their blocks. */
#define HELD_MAX (64u << 20)

static int put(struct outdir *d, const uint8_t *data, size_t n, struct err *e)
{
	d->begun = true;
	return stream_push(&d->stream, data, n, HELD_MAX, e);
}

static int put_head(struct outdir *d, const struct msg_file *m, struct err *e)
{
	bool is_folder = m->type == MSG_FOLDER;
	const struct tar_entry entry = {
		.path = m->path, .is_folder = is_folder, .size = is_folder ? 0 : m->size,
		.mode = (m->mode | (is_folder ? 0700u : 0600u)) & 0777u & ~d->umask,
		.mtime = m->mtime, .uid = geteuid(), .gid = getegid(),
	};
	uint8_t head[TAR_HEAD_MAX];

	return put(d, head, tar_head(&entry, head), e);
}

static int put_padding(struct outdir *d, struct err *e)
{
	static const uint8_t zeros[TAR_BLOCK];

	return put(d, zeros, tar_padding(d->want), e);
}

static int put_end(struct outdir *d, struct err *e)
{
	static const uint8_t zeros[TAR_END];

	return put(d, zeros, TAR_END, e) < 0 ? -1 : put(d, NULL, 0, e);
}

/* What a reader must not take for a whole archive ends inside an entry. */
static void cut(struct outdir *d)
{
	uint8_t head[TAR_BLOCK];
	struct err ignored;	/* the run has failed already */

	if (!d->begun || d->stream.kind == STREAM_DROP)
		return;
	tar_cut(head);
	if (!d->open || (d->got == d->want && put_padding(d, &ignored) == 0))
		(void)put(d, head, sizeof(head), &ignored);
	(void)put(d, NULL, 0, &ignored);
	const int64_t until = clock_now_us() + WAIT_MS * 1000;
	while (d->stream.state == STREAM_BLOCKED) {
		struct pollfd p = stream_poll(&d->stream);

		if (poll(&p, 1, clock_poll_ms(until)) <= 0 || clock_now_us() >= until)
			return;
		(void)stream_step(&d->stream, &ignored);
	}
}

static const struct out_sink into_tar = {
	.folder = put_head, .begin = put_head, .data = put, .end = put_padding, .done = put_end,
	.cut = cut, .whole = true,
};

int outtar_open(struct outdir *d, struct err *e)
{
	struct stat out, err;

	if (isatty(STDOUT_FILENO))
		return err_set(e, ERR_OUTPUT, "'-' writes a tar, but standard output is "
			       "a terminal");
	if (fstat(STDOUT_FILENO, &out) < 0)
		return err_sys(e, ERR_OUTPUT, "standard output");
	/* what the program prints would lie in the tar; /dev/null may have both */
	if (fstat(STDERR_FILENO, &err) == 0 && out.st_dev == err.st_dev && out.st_ino == err.st_ino &&
	    !S_ISCHR(out.st_mode))
		return err_set(e, ERR_OUTPUT, "'-' writes a tar, but standard output and "
			       "standard error are one file");
	d->sink = &into_tar;
	stream_init(&d->stream, "standard output", STDOUT_FILENO, STREAM_WRITE, NUM_NONE);
	return 0;
}
