/* SPDX-License-Identifier: Apache-2.0 */
/* outdir - see outdir.h */
#include "out/outdir.h"

#include "base/glob.h"
#include "base/str.h"
#include "out/outtar.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOT_ASKED "files that were not asked for"
#define SKIPS_LISTED 1000u	/* left-out files that are told by name */

void outdir_init(struct outdir *d)
{
	*d = (struct outdir){ .in = BENEATH_NONE, .stream = { .from = -1, .state = STREAM_CLOSED } };
	mirror_init(&d->mirror);
}

static const struct out_sink into_folder;

/* Folders above DIR are not made: a word that was mistyped would make some. */
static int not_made(const char *path, struct err *e)
{
	size_t n = strlen(path);

	while (n > 1 && path[n - 1] == '/')
		n--;
	while (n > 0 && path[n - 1] != '/')
		n--;
	if (errno != ENOENT || n < 2)
		return err_sys(e, ERR_OUTPUT, "make '%s'", path);
	return err_set(e, ERR_OUTPUT, "'%.200s': there is no folder '%.*s' to make it in; "
		       "mkdir -p makes both", path, (int)(n - 1), path);
}

int outdir_make(const struct plan *p, struct err *e)
{
	const char *path = p->output_dir;
	struct beneath b = { .umask = umask(0) };

	(void)umask(b.umask);
	if (!path || p->tar_out || beneath_mkdir(&b, AT_FDCWD, path, 0777) == 0 || errno == EEXIST)
		return 0;
	return not_made(path, e);
}

int outdir_open(struct outdir *d, const struct plan *p, struct err *e)
{
	const char *path = p->output_dir;

	outdir_init(d);
	d->plan = p;
	d->hash = plan_wants_results(p) || p->manifest;
	d->umask = d->in.umask = umask(0);
	(void)umask(d->umask);
	d->in.no_clobber = p->no_clobber;
	if (!path)
		return 0;
	if (p->tar_out)
		return outtar_open(d, e);
	d->sink = &into_folder;
	if (outdir_make(p, e) < 0)
		return -1;
	d->in.dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (d->in.dir < 0)
		return err_sys(e, ERR_OUTPUT, "'%s'", path);
	if (faccessat(d->in.dir, ".", W_OK | X_OK, AT_EACCESS) < 0) {
		(void)err_sys(e, ERR_OUTPUT, "'%s'", path);
		fd_closep(&d->in.dir);
		return -1;
	}
	beneath_sweep(d->in.dir);
	return 0;
}

int outdir_open_mirror(struct outdir *d, int dir, uint64_t disk_bytes, struct err *e)
{
	return mirror_open(&d->mirror, dir, disk_bytes, e);
}

static void *grow(void *list, size_t n, size_t size, struct err *e)
{
	/* by doubling, at each power of two */
	if (n & (n - 1))
		return list;
	void *more = reallocarray(list, n ? 2 * n : 1, size);
	if (!more)
		err_sys(e, ERR_HOST, "memory");
	return more;
}

static int add_skip(struct outdir *d, const char *path, const char *reason, bool lost, struct err *e)
{
	if (d->skips >= SKIPS_LISTED) {
		d->unlisted++;
		return 0;
	}
	struct out_skip *list = grow(d->skip, d->skips, sizeof(*list), e);
	if (!list)
		return -1;
	d->skip = list;
	list[d->skips] = (struct out_skip){ strdup(path), reason, lost };
	if (!list[d->skips].path)
		return err_sys(e, ERR_HOST, "memory");
	d->skips++;
	return 0;
}

/* Notes that PATH, which should have been kept, was not: WHY names it. */
static int lose(struct outdir *d, const char *path, const char *reason, const struct err *why,
		struct err *e)
{
	if (d->losses++ == 0)
		d->lost = *why;
	return add_skip(d, path, reason, true, e);
}

static int add_file(struct outdir *d, struct err *e)
{
	struct out_file *list = grow(d->file, d->files, sizeof(*list), e);
	uint8_t digest[SHA256_DIGEST_SIZE];

	if (!list)
		return -1;
	d->file = list;
	list += d->files++;
	*list = (struct out_file){ .path = d->path, .size = d->want, .mode = d->mode };
	d->path = NULL;
	if (!d->hash || !d->sink)
		return 0;
	sha256_digest(&d->sha, sizeof(digest), digest);
	str_hex(list->sha256, digest, sizeof(digest));
	return 0;
}

/* A name that the next run's sweep would take for one of ours is not used. */
static int refuse_ours(struct outdir *d, const char *path, struct err *e)
{
	if (strncmp(path, BENEATH_TEMP, strlen(BENEATH_TEMP)))
		return 0;
	d->reason = "reserved_name";
	return err_set(e, ERR_OUTPUT, "'%s' not kept: names with " BENEATH_TEMP " are our own", path);
}

/* errno is why WHAT, the one of PATH, cannot be written. */
static int unkept(struct outdir *d, const char *what, const char *path, struct err *e)
{
	static const struct {
		int error;
		const char *reason;
	} words[] = {
		{ ENOSPC, "disk_full" }, { EDQUOT, "disk_full" }, { EISDIR, "in_the_way" },
		{ EEXIST, "in_the_way" }, { ENOTDIR, "in_the_way" }, { ELOOP, "in_the_way" },
		{ EACCES, "not_writable" }, { EPERM, "not_writable" }, { EROFS, "not_writable" },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (words[i].error == errno)
			d->reason = words[i].reason;
	return err_sys(e, ERR_OUTPUT, "%s'%s' not kept", what, path);
}

static int make_kept_folder(struct outdir *d, const struct msg_file *m, struct err *e)
{
	if (refuse_ours(d, m->path, e) < 0)
		return -1;
	if (beneath_folder(&d->in, m->path, (m->mode | 0700u) & 0777u) < 0)
		return unkept(d, "folder ", m->path, e);
	return 0;
}

static int begin_file(struct outdir *d, const struct msg_file *m, struct err *e)
{
	if (refuse_ours(d, m->path, e) < 0)
		return -1;
	return beneath_begin(&d->in, m->path) < 0 ? unkept(d, "", m->path, e) : 0;
}

static int write_file(struct outdir *d, const uint8_t *data, size_t n, struct err *e)
{
	if (beneath_write(&d->in, data, n) == 0)
		return 0;
	(void)unkept(d, "", d->path, e);
	beneath_forget(&d->in);
	return -1;
}

static int end_file(struct outdir *d, struct err *e)
{
	int rc = beneath_publish(&d->in, d->mode, 0);

	if (rc < 0 && errno == EEXIST) {
		d->reason = "exists";
		(void)err_set(e, ERR_OUTPUT, "'%s' not kept: it is there already (--no-clobber)", d->path);
	} else if (rc < 0) {
		(void)unkept(d, "", d->path, e);
	} else if (close(fd_take(&d->in.fd)) < 0) {
		rc = err_sys(e, ERR_OUTPUT, "'%s' not kept whole", d->path);
	}
	beneath_forget(&d->in);
	return rc;
}

static const struct out_sink into_folder = {
	.folder = make_kept_folder, .begin = begin_file, .data = write_file, .end = end_file,
};

/* A file that is left out, as the guest or (in a session) the plan has it. */
static int leave_out(struct outdir *d, const char *path, enum msg_skip which, struct err *e)
{
	static const struct {
		const char *reason;
		bool lost;
		enum plan_limit limit;	/* that struck */
	} reasons[MSG_SKIPS] = {
		[MSG_SKIP_LINK] = { "symlink", false, LIMITS },
		[MSG_SKIP_SPECIAL] = { "special", false, LIMITS },
		[MSG_SKIP_NAME] = { "name_too_long", true, LIMITS },
		[MSG_SKIP_DEEP] = { "too_deep", true, LIMITS },
		[MSG_SKIP_MANY] = { "too_many", true, LIMIT_MAX_FILES },
		[MSG_SKIP_BIG] = { "too_big", true, LIMIT_MAX_OUTPUT },
		[MSG_SKIP_UNREADABLE] = { "unreadable", true, LIMITS },
	};
	const char *reason = reasons[which].reason;
	enum plan_limit l = reasons[which].limit;
	char value[NUM_TEXT];
	struct err why = { 0 };

	if (!reasons[which].lost)
		return add_skip(d, path, reason, false, e);
	if (l < LIMITS)
		(void)err_set(&why, ERR_OUTPUT, "'%s' not kept: limit --%s=%s", path,
			      plan_limits[l].name, plan_limit_text(l, d->plan->limit[l], value));
	else
		(void)err_set(&why, ERR_OUTPUT, "'%s' not kept: %s", path, reason);
	return lose(d, path, reason, &why, e);
}

static bool in_session(const struct outdir *d)
{
	return d->mirror.in.dir >= 0;
}

/* True if PATH is what the user wants, as far as names go. */
static bool is_meant(const struct outdir *d, const char *path)
{
	return d->asked && glob_choose(&d->plan->include, &d->plan->exclude, path) == GLOB_IN;
}

/* What the guest was told and an honest one has kept to. */
static int hold_to_plan(struct outdir *d, const struct msg_file *m, struct err *e)
{
	const struct plan *p = d->plan;

	if (!d->asked)
		return err_set(e, ERR_GUEST, NOT_ASKED);
	if (++d->sent > p->limit[LIMIT_MAX_FILES] || m->size > p->limit[LIMIT_MAX_OUTPUT] - d->bytes)
		return err_set(e, ERR_GUEST, "more files than it may");
	d->bytes += m->size;
	if (!is_meant(d, m->path))
		return err_set(e, ERR_GUEST, "a file that was not wanted: '%.200s'", m->path);
	d->chosen = true;
	return 0;
}

/* A session's guest sends all of /workspace: it is here that what the user wants is
 * chosen, just as a guest does otherwise. */
static int choose(struct outdir *d, const struct msg_file *m, struct err *e)
{
	const struct plan *p = d->plan;

	d->chosen = false;
	if (d->full || m->place == MSG_AS_INPUT || !is_meant(d, m->path))
		return 0;
	d->full = d->sent >= p->limit[LIMIT_MAX_FILES];
	if (d->full)
		return leave_out(d, m->path, MSG_SKIP_MANY, e);
	if (m->size > p->limit[LIMIT_MAX_OUTPUT] - d->bytes)
		return leave_out(d, m->path, MSG_SKIP_BIG, e);
	d->sent++;
	d->bytes += m->size;
	d->chosen = true;
	return 0;
}

static int check_depth(const char *path, struct err *e)
{
	int depth = 0;

	for (const char *s = path; *s; s++)
		depth += *s == '/';
	return depth <= MSG_DEPTH_MAX ? 0
	     : err_set(e, ERR_GUEST, "a file more than %d folders deep", MSG_DEPTH_MAX);
}

/* What WHY says has befallen PATH. */
static int failed(struct outdir *d, const char *path, const struct err *why, struct err *e)
{
	d->keeps = false;
	if (why->kind == ERR_OUTPUT)
		return lose(d, path, d->reason, why, e);
	*e = *why;
	return -1;
}

static int begin(struct outdir *d, const struct msg_file *m, struct err *e)
{
	struct err why = { 0 };

	d->reason = "not_kept";
	if (m->type == MSG_FOLDER)
		return !d->chosen || !d->sink || d->sink->folder(d, m, &why) == 0
		     ? 0 : failed(d, m->path, &why, e);
	d->open = true;
	d->want = m->size;
	d->got = 0;
	d->keeps = false;
	if (!d->chosen)
		return 0;
	free(d->path);
	d->path = strdup(m->path);
	if (!d->path)
		return err_sys(e, ERR_HOST, "memory");
	d->mode = (m->mode | 0600u) & 0777u & ~d->umask;
	sha256_init(&d->sha);
	d->keeps = d->sink && d->sink->begin(d, m, &why) == 0;
	return !why.kind ? 0 : failed(d, m->path, &why, e);
}

int outdir_file(struct outdir *d, const struct msg_file *m, struct err *e)
{
	bool session = in_session(d);

	if (d->open)
		return err_set(e, ERR_GUEST, "a file before the end of another");
	if (m->type == MSG_LINK ||
	    (m->place != MSG_IN_WORKSPACE && !(session && m->place == MSG_AS_INPUT)))
		return err_set(e, ERR_GUEST, "a link as an output");
	if (check_depth(m->path, e) < 0)
		return -1;
	if (!session)
		return hold_to_plan(d, m, e) < 0 ? -1 : begin(d, m, e);
	if (mirror_file(&d->mirror, m, e) < 0 || choose(d, m, e) < 0)
		return -1;
	return begin(d, m, e);
}

/* For the one who keeps it. */
static int take(struct outdir *d, const uint8_t *data, size_t n, struct err *e)
{
	struct err why = { 0 };

	d->got += n;
	if (!d->keeps)
		return 0;
	if (d->hash)
		sha256_update(&d->sha, n, data);
	return d->sink->data(d, data, n, &why) == 0 ? 0 : failed(d, d->path, &why, e);
}

int outdir_data(struct outdir *d, const uint8_t *data, size_t n, struct err *e)
{
	if (!d->open || n == 0 || n > d->want - d->got)
		return err_set(e, ERR_GUEST, "more bytes of a file than it said");
	mirror_data(&d->mirror, data, n);
	return take(d, data, n, e);
}

/* It shrank while it was sent: a session's processes are stopped, not dead. Who was
 * told the size before, as the reader of a tar, gets zeros. */
static int end_short(struct outdir *d, struct err *e)
{
	static const uint8_t zeros[MSG_CHUNK];

	while (d->keeps && d->sink->whole && d->got < d->want)
		if (take(d, zeros, d->want - d->got < MSG_CHUNK ? (size_t)(d->want - d->got) : MSG_CHUNK, e) < 0)
			return -1;
	d->want = d->got;
	return 0;
}

int outdir_end(struct outdir *d, struct err *e)
{
	struct err why = { 0 };

	if (!d->open || (d->sink && d->got != d->want && !in_session(d)))
		return err_set(e, ERR_GUEST, "the end of a file that is not whole");
	d->open = false;
	mirror_end(&d->mirror);
	if (in_session(d) && end_short(d, e) < 0)
		return -1;
	if (!d->chosen || (d->sink && !d->keeps))
		return 0;
	if (d->sink && d->sink->end(d, &why) < 0)
		return failed(d, d->path, &why, e);
	return add_file(d, e);
}

/* A path that stands alone in a frame, or behind a number. */
static int take_path(struct unpacker *u, char path[MSG_PATH_MAX + 1], const char *what, struct err *e)
{
	size_t n;
	const char *at = (const char *)unpack_bytes(u, &n);

	if (!msg_path_ok(at, n))
		return err_set(e, ERR_GUEST, "a %s file without a name", what);
	memcpy(path, at, n);
	path[n] = 0;
	return unpack_end(u, what, e);
}

int outdir_skip(struct outdir *d, const struct frame *f, struct err *e)
{
	struct unpacker u = unpack(f);
	uint64_t which = unpack_number(&u, 1);
	char path[MSG_PATH_MAX + 1];
	struct err why = { 0 };

	if (!d->asked && !in_session(d))
		return err_set(e, ERR_GUEST, NOT_ASKED);
	if (which >= MSG_SKIPS)
		return err_set(e, ERR_GUEST, "a left-out file without a reason");
	if (take_path(&u, path, "left-out", e) < 0)
		return -1;
	if (++d->told > MSG_SKIPS_MAX)
		return err_set(e, ERR_GUEST, "too many left-out files");
	if (!in_session(d))
		return leave_out(d, path, (enum msg_skip)which, e);
	if (d->full || !is_meant(d, path))
		return 0;
	if (which != MSG_SKIP_MANY && which != MSG_SKIP_BIG)
		return leave_out(d, path, (enum msg_skip)which, e);
	/* not the user's limit has struck */
	(void)err_set(&why, ERR_OUTPUT, "'%s' not kept: too %s for a session", path,
		      which == MSG_SKIP_BIG ? "big" : "many files");
	return lose(d, path, which == MSG_SKIP_BIG ? "too_big" : "too_many", &why, e);
}

int outdir_gone(struct outdir *d, const struct frame *f, struct err *e)
{
	struct unpacker u = unpack(f);
	char path[MSG_PATH_MAX + 1];

	if (!in_session(d) || d->open)
		return err_set(e, ERR_GUEST, d->open ? "a file that went, in the middle of another"
			       : "a file that went, without a session");
	if (take_path(&u, path, "gone", e) < 0 || check_depth(path, e) < 0)
		return -1;
	mirror_gone(&d->mirror, path);
	return 0;
}

int outdir_done(struct outdir *d, struct err *e)
{
	if (d->open)
		return err_set(e, ERR_GUEST, "an end in the middle of a file");
	d->done = true;
	return d->sink && d->sink->done ? d->sink->done(d, e) : 0;
}

void outdir_end_all(struct outdir *d)
{
	if (!d->done && d->sink && d->sink->cut)
		d->sink->cut(d);
}

void outdir_close(struct outdir *d)
{
	beneath_close(&d->in);
	mirror_close(&d->mirror);
	stream_free(&d->stream);
	for (size_t i = 0; i < d->files; i++)
		free(d->file[i].path);
	for (size_t i = 0; i < d->skips; i++)
		free(d->skip[i].path);
	free(d->file);
	free(d->skip);
	free(d->path);
	outdir_init(d);
}
