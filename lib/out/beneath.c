/* SPDX-License-Identifier: Apache-2.0 */
/* beneath - see beneath.h */
#include "out/beneath.h"

#include "base/fd.h"
#include "state/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEMP BENEATH_TEMP
#define TEMP_TRIES 8		/* that other runs' sweeps may spoil */

void beneath_sweep(int dir)
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

int beneath_mkdir(const struct beneath *b, int at, const char *name, mode_t mode)
{
	/* not chmod(2) after it: by then the name may be another's link */
	mode_t before = umask(b->umask & ~0700u);
	int rc = mkdirat(at, name, mode);

	(void)umask(before);
	return rc;
}

/* The folder that the last component of PATH lies in, made (with MAKE) where it is
 * missing; NAME takes that component. A link on the way is an error (ELOOP). */
static int walk(const struct beneath *b, const char *path, bool make, char name[MSG_NAME_MAX + 1])
{
	int at = openat(b->dir, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);

	for (const char *s; at >= 0 && (s = strchr(path, '/')); path = s + 1) {
		snprintf(name, MSG_NAME_MAX + 1, "%.*s", (int)(s - path), path);
		if (make && beneath_mkdir(b, at, name, 0777) < 0 && errno != EEXIST) {
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

int beneath_folder(struct beneath *b, const char *path, mode_t mode)
{
	char name[MSG_NAME_MAX + 1];
	struct stat st;
	AUTO_FD at = walk(b, path, true, name);

	if (at < 0)
		return -1;
	if (beneath_mkdir(b, at, name, mode) == 0)
		return 0;
	if (errno == EEXIST && fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode))
		return 0;
	return -1;
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
static int named_temp(struct beneath *b, int *fd)
{
	struct stat st;
	uint64_t id;

	if (getrandom(&id, sizeof(id), 0) != sizeof(id))
		return -1;
	snprintf(b->temp, sizeof(b->temp), TEMP "%016" PRIx64, id);
	b->temp_dir = one_mount(b->dir, b->parent) ? b->dir : b->parent;
	*fd = openat(b->temp_dir, b->temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (*fd < 0) {
		*b->temp = 0;
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
static int open_temp(struct beneath *b)
{
	*b->temp = 0;
	/* an O_PATH descriptor is no base for O_TMPFILE by name, "." is */
	int fd = openat(b->parent, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600), rc = 1;

	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
		return fd;
	for (int i = 0; rc > 0 && i < TEMP_TRIES; i++)
		rc = named_temp(b, &fd);
	return fd;
}

int beneath_begin(struct beneath *b, const char *path)
{
	b->parent = walk(b, path, true, b->name);
	b->fd = b->parent < 0 ? -1 : open_temp(b);
	return b->fd < 0 ? -1 : 0;
}

int beneath_write(struct beneath *b, const uint8_t *data, size_t n)
{
	return fd_write_all(b->fd, data, n);
}

/* Gives the nameless file a name of ours, beside its place or (on another
 * file system) in it. Locked first, or another run's sweep could take it. */
static int link_temp(struct beneath *b, const char *self)
{
	uint64_t id;

	if (getrandom(&id, sizeof(id), 0) != sizeof(id) || flock(b->fd, LOCK_EX | LOCK_NB) < 0)
		return -1;
	snprintf(b->temp, sizeof(b->temp), TEMP "%016" PRIx64, id);
	b->temp_dir = b->dir;
	int rc = linkat(AT_FDCWD, self, b->dir, b->temp, AT_SYMLINK_FOLLOW);
	if (rc < 0 && errno == EXDEV) {
		b->temp_dir = b->parent;
		rc = linkat(AT_FDCWD, self, b->parent, b->temp, AT_SYMLINK_FOLLOW);
	}
	if (rc < 0)
		*b->temp = 0;
	return rc;
}

static int rename_temp(const struct beneath *b)
{
	if (!b->no_clobber)
		return renameat(b->temp_dir, b->temp, b->parent, b->name);
	int rc = renameat2(b->temp_dir, b->temp, b->parent, b->name, RENAME_NOREPLACE);
	if (rc == 0 || errno != EINVAL)
		return rc;
	/* a file system without that */
	rc = linkat(b->temp_dir, b->temp, b->parent, b->name, 0);
	return rc < 0 ? rc : unlinkat(b->temp_dir, b->temp, 0);
}

int beneath_publish(struct beneath *b, mode_t mode, uint64_t mtime)
{
	const struct timespec times[2] = { { .tv_nsec = UTIME_OMIT }, { .tv_sec = (time_t)mtime } };
	struct stat st;
	char self[32];

	if (fchmod(b->fd, mode) < 0)
		return -1;
	if (mtime)
		(void)futimens(b->fd, times);	/* nice to have */
	if (!*b->temp) {
		snprintf(self, sizeof(self), "/proc/self/fd/%d", b->fd);
		if (linkat(AT_FDCWD, self, b->parent, b->name, AT_SYMLINK_FOLLOW) == 0)
			return 0;
		if (errno != EEXIST || b->no_clobber || link_temp(b, self) < 0)
			return -1;
	}
	if (rename_temp(b) < 0) {
		/* which Landlock refuses without that word */
		if (errno == EACCES && fstatat(b->parent, b->name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISDIR(st.st_mode))
			errno = EISDIR;
		return -1;
	}
	*b->temp = 0;
	return 0;
}

void beneath_forget(struct beneath *b)
{
	int was = errno;

	if (b->fd >= 0 && *b->temp)
		(void)unlinkat(b->temp_dir, b->temp, 0);	/* else the next sweep does */
	*b->temp = 0;
	fd_closep(&b->fd);
	fd_closep(&b->parent);
	errno = was;
}

int beneath_remove(const struct beneath *b, const char *path)
{
	char name[MSG_NAME_MAX + 1];
	AUTO_FD at = walk(b, path, false, name);

	if (at < 0)
		return errno == ENOENT || errno == ENOTDIR || errno == ELOOP ? 0 : -1;
	return tree_remove(at, name);
}

void beneath_close(struct beneath *b)
{
	beneath_forget(b);
	fd_closep(&b->dir);
}
