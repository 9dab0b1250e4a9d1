/* SPDX-License-Identifier: Apache-2.0 */
/* outdir - see outdir.h */
#include "out/outdir.h"

#include "base/glob.h"
#include "base/str.h"
#include "out/outtar.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEMP ".pai-exec."
#define NOT_ASKED "files that were not asked for"
#define TEMP_TRIES 8		/* that other runs' sweeps may spoil */
#define SKIPS_LISTED 1000u	/* left-out files that are told by name */

/* Removes the temporary files of runs that were killed: nobody holds them. */
static void sweep(int dir)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	for (struct dirent *at; d && (at = readdir(d));) {
		if (strncmp(at->d_name, TEMP, strlen(TEMP)))
			continue;
		AUTO_FD file = openat(dir, at->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0)
			(void)unlinkat(dir, at->d_name, 0);	/* not ours to remove: it stays */
	}
	if (d)
		closedir(d);
}

/* Makes a folder that we can go on in, whatever the umask is. */
static int make_folder(const struct outdir *d, int at, const char *name, mode_t mode)
{
	if (mkdirat(at, name, mode) < 0)
		return -1;
	return d->umask & 0700 ? fchmodat(at, name, (mode & ~d->umask) | 0700, 0) : 0;
}

void outdir_init(struct outdir *d)
{
	*d = (struct outdir){ .dir = -1, .parent = -1, .fd = -1,
			      .stream = { .from = -1, .state = STREAM_CLOSED } };
}

static const struct out_sink into_folder;

int outdir_open(struct outdir *d, const struct plan *p, struct err *e)
{
	const char *path = p->output_dir;

	outdir_init(d);
	d->plan = p;
	d->hash = plan_wants_results(p) || p->manifest;
	d->umask = umask(0);
	(void)umask(d->umask);
	if (!path)
		return 0;
	if (p->tar_out)
		return outtar_open(d, e);
	d->sink = &into_folder;
	if (make_folder(d, AT_FDCWD, path, 0777) < 0 && errno != EEXIST)
		return err_sys(e, ERR_OUTPUT, "--output-dir: make '%s'", path);
	d->dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (d->dir < 0)
		return err_sys(e, ERR_OUTPUT, "--output-dir: '%s'", path);
	if (faccessat(d->dir, ".", W_OK | X_OK, AT_EACCESS) < 0) {
		(void)err_sys(e, ERR_OUTPUT, "--output-dir: '%s'", path);
		fd_closep(&d->dir);
		return -1;
	}
	sweep(d->dir);
	return 0;
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
	if (d->skips + d->unlisted >= MSG_SKIPS_MAX)
		return err_set(e, ERR_GUEST, "too many left-out files");
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

/* The folder that the last component of PATH lies in, made where it is
 * missing; NAME takes that component. A link on the way is an error (ELOOP). */
static int walk(const struct outdir *d, const char *path, char name[MSG_NAME_MAX + 1])
{
	int at = openat(d->dir, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);

	for (const char *s; at >= 0 && (s = strchr(path, '/')); path = s + 1) {
		snprintf(name, MSG_NAME_MAX + 1, "%.*s", (int)(s - path), path);
		if (make_folder(d, at, name, 0777) < 0 && errno != EEXIST) {
			fd_closep(&at);
			break;
		}
		int next = openat(at, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		fd_closep(&at);
		at = next;
	}
	snprintf(name, MSG_NAME_MAX + 1, "%s", path);
	return at;
}

/* A name that the next run's sweep would take for one of ours is not used. */
static int refuse_ours(struct outdir *d, const char *path, struct err *e)
{
	if (strncmp(path, TEMP, strlen(TEMP)))
		return 0;
	d->reason = "reserved_name";
	return err_set(e, ERR_OUTPUT, "'%s' not kept: names with " TEMP " are our own", path);
}

static int make_kept_folder(struct outdir *d, const struct msg_file *m, struct err *e)
{
	char name[MSG_NAME_MAX + 1];
	struct stat st;
	int made = 0;

	if (refuse_ours(d, m->path, e) < 0)
		return -1;
	AUTO_FD at = walk(d, m->path, name);
	if (at >= 0) {
		made = make_folder(d, at, name, (m->mode | 0700u) & 0777u);
		if (made < 0 && errno == EEXIST &&
		    fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode))
			return 0;
		if (made == 0)
			return 0;
	}
	return err_sys(e, ERR_OUTPUT, "folder '%s' not kept", m->path);
}

/* True if a file can be renamed from one of these folders to the other. */
static bool one_mount(int a, int b)
{
	struct statx x, y;

	return statx(a, "", AT_EMPTY_PATH, STATX_MNT_ID, &x) == 0 &&
	       statx(b, "", AT_EMPTY_PATH, STATX_MNT_ID, &y) == 0 &&
	       x.stx_mask & y.stx_mask & STATX_MNT_ID && x.stx_mnt_id == y.stx_mnt_id;
}

/* A named file of ours, held: 0, or 1 if another run's sweep was quicker. */
static int named_temp(struct outdir *d, int *fd)
{
	struct stat st;
	uint64_t id;

	if (getrandom(&id, sizeof(id), 0) != sizeof(id))
		return -1;
	snprintf(d->temp, sizeof(d->temp), TEMP "%016" PRIx64, id);
	d->temp_dir = one_mount(d->dir, d->parent) ? d->dir : d->parent;
	*fd = openat(d->temp_dir, d->temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (*fd < 0) {
		*d->temp = 0;
		return -1;
	}
	/* a file system without locks has no sweeps either: they lock first */
	if ((flock(*fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) &&
	    fstat(*fd, &st) == 0 && st.st_nlink > 0)
		return 0;
	fd_closep(fd);
	return 1;
}

/* A file without a name, or with one of ours that a sweep would find. */
static int open_temp(struct outdir *d)
{
	*d->temp = 0;
	/* an O_PATH descriptor is no base for O_TMPFILE by name, "." is */
	int fd = openat(d->parent, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600), rc = 1;

	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
		return fd;
	for (int i = 0; rc > 0 && i < TEMP_TRIES; i++)
		rc = named_temp(d, &fd);
	return fd;
}

/* What the guest was told and an honest one has kept to. */
static int is_wanted(struct outdir *d, const struct msg_file *m, struct err *e)
{
	const struct plan *p = d->plan;
	int depth = 0;

	if (!d->asked)
		return err_set(e, ERR_GUEST, NOT_ASKED);
	for (const char *s = m->path; *s; s++)
		depth += *s == '/';
	if (depth > MSG_DEPTH_MAX)
		return err_set(e, ERR_GUEST, "a file more than %d folders deep", MSG_DEPTH_MAX);
	if (++d->sent > p->limit[LIMIT_MAX_FILES] || m->size > p->limit[LIMIT_MAX_OUTPUT] - d->bytes)
		return err_set(e, ERR_GUEST, "more files than it may");
	d->bytes += m->size;
	if (glob_choose(&p->include, &p->exclude, m->path) != GLOB_IN)
		return err_set(e, ERR_GUEST, "a file that was not wanted: '%.200s'", m->path);
	return 0;
}

static int begin_file(struct outdir *d, const struct msg_file *m, struct err *e)
{
	if (refuse_ours(d, m->path, e) < 0)
		return -1;
	d->parent = walk(d, m->path, d->name);
	d->fd = d->parent < 0 ? -1 : open_temp(d);
	return d->fd < 0 ? err_sys(e, ERR_OUTPUT, "'%s' not kept", m->path) : 0;
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

int outdir_file(struct outdir *d, const struct msg_file *m, struct err *e)
{
	struct err why = { 0 };

	if (d->open)
		return err_set(e, ERR_GUEST, "a file before the end of another");
	if (m->type == MSG_LINK || m->place != MSG_IN_WORKSPACE)
		return err_set(e, ERR_GUEST, "a link as an output");
	if (is_wanted(d, m, e) < 0)
		return -1;
	d->reason = "not_kept";
	if (m->type == MSG_FOLDER)
		return !d->sink || d->sink->folder(d, m, &why) == 0 ? 0 : failed(d, m->path, &why, e);
	free(d->path);
	d->path = strdup(m->path);
	if (!d->path)
		return err_sys(e, ERR_HOST, "memory");
	d->open = true;
	d->want = m->size;
	d->got = 0;
	d->mode = (m->mode | 0600u) & 0777u & ~d->umask;
	sha256_init(&d->sha);
	d->keeps = d->sink && d->sink->begin(d, m, &why) == 0;
	return !why.kind ? 0 : failed(d, m->path, &why, e);
}

static void forget(struct outdir *d)
{
	if (d->fd >= 0 && *d->temp)
		(void)unlinkat(d->temp_dir, d->temp, 0);	/* else the next sweep does */
	*d->temp = 0;
	fd_closep(&d->fd);
	fd_closep(&d->parent);
}

static int write_file(struct outdir *d, const uint8_t *data, size_t n, struct err *e)
{
	if (fd_write_all(d->fd, data, n) == 0)
		return 0;
	(void)err_sys(e, ERR_OUTPUT, "'%s' not kept", d->path);
	forget(d);
	return -1;
}

int outdir_data(struct outdir *d, const uint8_t *data, size_t n, struct err *e)
{
	struct err why = { 0 };

	if (!d->open || n == 0 || n > d->want - d->got)
		return err_set(e, ERR_GUEST, "more bytes of a file than it said");
	d->got += n;
	if (!d->keeps)
		return 0;
	if (d->hash)
		sha256_update(&d->sha, n, data);
	return d->sink->data(d, data, n, &why) == 0 ? 0 : failed(d, d->path, &why, e);
}

/* Gives the nameless file a name of ours, beside its place or (on another
 * file system) in it. Locked first, or another run's sweep could take it. */
static int link_temp(struct outdir *d, const char *self)
{
	uint64_t id;

	if (getrandom(&id, sizeof(id), 0) != sizeof(id) || flock(d->fd, LOCK_EX | LOCK_NB) < 0)
		return -1;
	snprintf(d->temp, sizeof(d->temp), TEMP "%016" PRIx64, id);
	d->temp_dir = d->dir;
	int rc = linkat(AT_FDCWD, self, d->dir, d->temp, AT_SYMLINK_FOLLOW);
	if (rc < 0 && errno == EXDEV) {
		d->temp_dir = d->parent;
		rc = linkat(AT_FDCWD, self, d->parent, d->temp, AT_SYMLINK_FOLLOW);
	}
	if (rc < 0)
		*d->temp = 0;
	return rc;
}

static int rename_temp(const struct outdir *d)
{
	if (!d->plan->no_clobber)
		return renameat(d->temp_dir, d->temp, d->parent, d->name);
	int rc = renameat2(d->temp_dir, d->temp, d->parent, d->name, RENAME_NOREPLACE);
	if (rc == 0 || errno != EINVAL)
		return rc;
	/* a file system without that */
	rc = linkat(d->temp_dir, d->temp, d->parent, d->name, 0);
	return rc < 0 ? rc : unlinkat(d->temp_dir, d->temp, 0);
}

/* Gives the whole file its name, in the place of whatever had it (unless that is
 * not wanted: EEXIST). */
static int publish(struct outdir *d)
{
	char self[32];

	if (fchmod(d->fd, d->mode) < 0)
		return -1;
	if (!*d->temp) {
		snprintf(self, sizeof(self), "/proc/self/fd/%d", d->fd);
		if (linkat(AT_FDCWD, self, d->parent, d->name, AT_SYMLINK_FOLLOW) == 0)
			return 0;
		if (errno != EEXIST || d->plan->no_clobber || link_temp(d, self) < 0)
			return -1;
	}
	if (rename_temp(d) < 0)
		return -1;
	*d->temp = 0;
	return 0;
}

static int end_file(struct outdir *d, struct err *e)
{
	int rc = publish(d);

	if (rc < 0 && errno == EEXIST) {
		d->reason = "exists";
		(void)err_set(e, ERR_OUTPUT, "'%s' not kept: it is there already (--no-clobber)", d->path);
	} else if (rc < 0) {
		(void)err_sys(e, ERR_OUTPUT, "'%s' not kept", d->path);
	} else if (close(fd_take(&d->fd)) < 0) {
		rc = err_sys(e, ERR_OUTPUT, "'%s' not kept whole", d->path);
	}
	forget(d);
	return rc;
}

static const struct out_sink into_folder = {
	.folder = make_kept_folder, .begin = begin_file, .data = write_file, .end = end_file,
};

int outdir_end(struct outdir *d, struct err *e)
{
	struct err why = { 0 };

	if (!d->open || (d->sink && d->got != d->want))
		return err_set(e, ERR_GUEST, "the end of a file that is not whole");
	d->open = false;
	if (d->sink && !d->keeps)
		return 0;
	if (d->sink && d->sink->end(d, &why) < 0)
		return failed(d, d->path, &why, e);
	return add_file(d, e);
}

int outdir_skip(struct outdir *d, const struct frame *f, struct err *e)
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
	struct unpacker u = unpack(f);
	uint64_t which = unpack_number(&u, 1);
	size_t n;
	const char *at = (const char *)unpack_bytes(&u, &n);
	char path[MSG_PATH_MAX + 1], value[NUM_TEXT];
	struct err why = { 0 };

	if (!d->asked)
		return err_set(e, ERR_GUEST, NOT_ASKED);
	if (which >= MSG_SKIPS || !msg_path_ok(at, n))
		return err_set(e, ERR_GUEST, "a left-out file without a name or reason");
	if (unpack_end(&u, "left-out", e) < 0)
		return -1;
	memcpy(path, at, n);
	path[n] = 0;
	if (!reasons[which].lost)
		return add_skip(d, path, reasons[which].reason, false, e);
	enum plan_limit l = reasons[which].limit;
	if (l < LIMITS)
		(void)err_set(&why, ERR_OUTPUT, "'%s' not kept: limit --%s=%s", path,
			      plan_limits[l].name, plan_limit_text(d->plan, l, value));
	else
		(void)err_set(&why, ERR_OUTPUT, "'%s' not kept: %s", path, reasons[which].reason);
	return lose(d, path, reasons[which].reason, &why, e);
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
	forget(d);
	stream_free(&d->stream);
	for (size_t i = 0; i < d->files; i++)
		free(d->file[i].path);
	for (size_t i = 0; i < d->skips; i++)
		free(d->skip[i].path);
	free(d->file);
	free(d->skip);
	free(d->path);
	fd_closep(&d->dir);
	outdir_init(d);
}
