/* SPDX-License-Identifier: Apache-2.0 */
/* tree - see tree.h */
#include "state/tree.h"

#include "base/fd.h"
#include "base/sparse.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define SYNC_MANY 64		/* files and folders that go to the disk one by one */
#define PASSES 8		/* over a folder that is being emptied */

int tree_open(int at, const char *name)
{
	return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* The names in DIR, one after the other without "." and ".."; the stream has a descriptor of
 * its own. */
static DIR *open_list(int dir)
{
	AUTO_FD copy = fcntl(dir, F_DUPFD_CLOEXEC, 3);
	DIR *d = copy < 0 ? NULL : fdopendir(copy);

	if (!d)
		return NULL;
	(void)fd_take(&copy);
	rewinddir(d);		/* the offset is shared with DIR */
	return d;
}

static struct dirent *next(DIR *d)
{
	struct dirent *at;

	do {
		errno = 0;
		at = readdir(d);
	} while (at && (!strcmp(at->d_name, ".") || !strcmp(at->d_name, "..")));
	return at;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void tree_names_free(char **names, int n)
{
	int sys = errno;

	for (int i = 0; i < n; i++)
		free(names[i]);
	free(names);
	errno = sys;
}

static void close_list(DIR **d)
{
	int sys = errno;

	if (*d)
		(void)closedir(*d);	/* it was only read */
	errno = sys;
}
#define AUTO_LIST AUTO(close_list) DIR *

int tree_names(int dir, size_t max, char ***names)
{
	AUTO_LIST d = open_list(dir);
	char **list = NULL;
	size_t n = 0, room = 0;

	for (struct dirent *at; d && (at = next(d)); n++) {
		if (n == max) {
			errno = E2BIG;
			break;
		}
		if (n == room) {
			char **more = realloc(list, (room = 2 * room + 16) * sizeof(*list));

			if (!more)
				break;
			list = more;
		}
		list[n] = strdup(at->d_name);
		if (!list[n])
			break;
	}
	if (!d || errno) {
		tree_names_free(list, (int)n);
		return -1;
	}
	if (n > 0)
		qsort(list, n, sizeof(*list), by_name);
	*names = list;
	return (int)n;
}

/* Empties the folder FD. What is removed while it is listed may hide a name from the
 * list, so the last pass must find none. */
static int empty(int fd, int depth)
{
	AUTO_LIST d = open_list(fd);
	size_t found = 1;

	if (!d)
		return -1;
	if (depth > TREE_DEPTH_MAX) {
		errno = E2BIG;
		return -1;
	}
	(void)fchmod(fd, 0700);		/* if it may not, the next step says so */
	for (int pass = 0; found > 0 && pass < PASSES; pass++, rewinddir(d)) {
		found = 0;
		for (struct dirent *at; (at = next(d)); found++) {
			if (unlinkat(fd, at->d_name, 0) == 0)
				continue;
			if (errno != EISDIR && errno != EPERM)
				return -1;
			AUTO_FD beneath = tree_open(fd, at->d_name);
			if (beneath < 0 || empty(beneath, depth + 1) < 0 ||
			    unlinkat(fd, at->d_name, AT_REMOVEDIR) < 0)
				return -1;
		}
	}
	return 0;
}

int tree_remove(int at, const char *name)
{
	AUTO_FD fd = tree_open(at, name);

	if (fd >= 0)
		return empty(fd, 0) < 0 ? -1 : unlinkat(at, name, AT_REMOVEDIR);
	if (errno == ENOENT)
		return 0;
	if (errno != ENOTDIR && errno != ELOOP)
		return -1;
	return unlinkat(at, name, 0) < 0 && errno != ENOENT ? -1 : 0;
}

/* True if what failed may go in another way. */
static bool is_refused(void)
{
	static const int refused[] = { EXDEV, EPERM, EMLINK, EOPNOTSUPP, ENOTTY, EINVAL, ENOSYS };

	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		if (errno == refused[i])
			return true;
	return false;
}

static int copy_bytes(int from, int to, off_t size)
{
	char block[1 << 16];

	for (off_t at = 0, end = 0; at < size;) {	/* holes stay holes */
		if (at >= end && (at = sparse_data(from, at, size, &end)) >= size)
			break;
		size_t most = end - at < (off_t)sizeof(block) ? (size_t)(end - at) : sizeof(block);
		ssize_t n = pread(from, block, most, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0 || lseek(to, at, SEEK_SET) < 0 || fd_write_all(to, block, (size_t)n) < 0)
			return -1;
		at += n;
	}
	return ftruncate(to, size);
}

/* A new NAME in TO with the bytes of FROM's: its own, or (CLONE) shared. What could not be
 * made is not there. */
static int copy_file(int from, const char *name, int to, bool clone)
{
	AUTO_FD source = openat(from, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (source < 0 || fstat(source, &st) < 0)
		return -1;
	AUTO_FD fd = openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -1;
	int rc = clone ? ioctl(fd, FICLONE, source) : copy_bytes(source, fd, st.st_size);
	const struct timespec times[2] = { st.st_atim, st.st_mtim };
	/* plain modes: whoever reads it, nobody else writes it */
	if (rc == 0 && (fchmod(fd, st.st_mode & 0755) < 0 || futimens(fd, times) < 0))
		rc = -1;
	int sys = errno;
	if (rc < 0)
		(void)unlinkat(to, name, 0);	/* else the next try says so */
	errno = sys;
	return rc;
}

struct copying {
	bool clone;
	size_t files;		/* bounded as a whole */
};

static int copy_one(struct copying *c, int from, const char *name, int to)
{
	if (c->clone) {
		if (copy_file(from, name, to, true) == 0)
			return 0;
		if (!is_refused())
			return -1;
		c->clone = false;	/* nor will it for the next */
	}
	if (linkat(from, name, to, name, 0) == 0)
		return 0;
	return is_refused() ? copy_file(from, name, to, false) : -1;
}

static int copy_all(struct copying *c, int from, int to, int depth)
{
	AUTO_LIST d = open_list(from);
	struct dirent *at;

	while (d && (at = next(d))) {
		struct stat st;

		if (fstatat(from, at->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			return -1;
		if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
			return errno = ELOOP, -1;
		if (++c->files > TREE_FILES_MAX || depth == TREE_DEPTH_MAX)
			return errno = E2BIG, -1;
		if (S_ISREG(st.st_mode)) {
			if (copy_one(c, from, at->d_name, to) < 0)
				return -1;
			continue;
		}
		AUTO_FD source = tree_open(from, at->d_name);
		if (source < 0 || mkdirat(to, at->d_name, 0700) < 0)
			return -1;
		AUTO_FD target = tree_open(to, at->d_name);
		if (target < 0 || copy_all(c, source, target, depth + 1) < 0 ||
		    fchmod(target, (st.st_mode & 0755) | 0700) < 0)
			return -1;
	}
	return !d || errno ? -1 : 0;
}

int tree_copy(int from, int to, bool clone)
{
	return copy_all(&(struct copying){ .clone = clone }, from, to, 0);
}

struct syncing {
	size_t files, synced;
};

/* A call for each file costs milliseconds; from some number on one for all of the file
 * system, with whatever others have written there, is less. */
static int sync_one(struct syncing *s, int fd)
{
	s->synced++;
	return s->synced < SYNC_MANY ? fsync(fd) : s->synced == SYNC_MANY ? syncfs(fd) : 0;
}

static int sync_all(int dir, struct syncing *s, int depth)
{
	AUTO_LIST d = open_list(dir);
	struct dirent *at;

	while (d && (at = next(d))) {
		struct stat st;

		if (++s->files > TREE_FILES_MAX || depth == TREE_DEPTH_MAX)
			return errno = E2BIG, -1;
		if (fstatat(dir, at->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			return -1;
		if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
			return errno = ELOOP, -1;
		if (S_ISREG(st.st_mode) && st.st_nlink > 1)
			continue;	/* it was there a turn ago */
		AUTO_FD fd = openat(dir, at->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (fd < 0 || (S_ISDIR(st.st_mode) ? sync_all(fd, s, depth + 1) : sync_one(s, fd)) < 0)
			return -1;
	}
	return !d || errno ? -1 : sync_one(s, dir);
}

int tree_sync(int dir)
{
	return sync_all(dir, &(struct syncing){ 0 }, 0);
}

struct walk {
	tree_visit *visit;
	void *arg;
	size_t files;
	char path[TREE_PATH];
};

/* The folder AT, whose path is the first N bytes. */
static int walk_all(struct walk *w, int at, size_t n, int depth)
{
	char **names;
	int count = depth > TREE_DEPTH_MAX ? (errno = E2BIG, -1)
		  : tree_names(at, TREE_FILES_MAX, &names), rc = 0;

	for (int i = 0; i < count && rc == 0; i++) {
		size_t more = strlen(names[i]);
		struct stat st;

		if (++w->files > TREE_FILES_MAX || n + more + 2 > sizeof(w->path)) {
			errno = E2BIG;
			rc = -1;
			break;
		}
		snprintf(w->path + n, sizeof(w->path) - n, "%s%s", n ? "/" : "", names[i]);
		rc = fstatat(at, names[i], &st, AT_SYMLINK_NOFOLLOW) < 0 ? -1
		   : w->visit(w->arg, at, names[i], w->path, &st);
		if (rc != 0 || !S_ISDIR(st.st_mode))
			continue;
		AUTO_FD beneath = tree_open(at, names[i]);
		rc = beneath < 0 ? -1 : walk_all(w, beneath, n + (n > 0) + more, depth + 1);
	}
	if (count >= 0)
		tree_names_free(names, count);
	return count < 0 ? -1 : rc;
}

int tree_walk(int dir, tree_visit *visit, void *arg)
{
	return walk_all(&(struct walk){ .visit = visit, .arg = arg }, dir, 0, 0);
}
