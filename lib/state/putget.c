/* SPDX-License-Identifier: Apache-2.0 */
/* putget - files of /workspace, in and out; see sessions.h. */
#include "state/sessions.h"

#include "base/fd.h"
#include "state/turns.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PART "put.part"		/* the file that is being put; the lock makes it ours */

/* One after the other of PATH's components into NAME; false at the end, or (errno) where
 * it is none that stays beneath. */
static bool next_name(const char **path, char name[NAME_MAX + 1])
{
	size_t n = strcspn(*path, "/");

	errno = 0;
	if (n == 0 && !**path)
		return false;
	if (n == 0 || n > NAME_MAX || (**path == '.' && (n == 1 || (n == 2 && (*path)[1] == '.')))) {
		errno = EINVAL;
		return false;
	}
	snprintf(name, NAME_MAX + 1, "%.*s", (int)n, *path);
	*path += n + ((*path)[n] == '/');
	return true;
}

/* The folder that the last component of PATH lies in, beneath DIR; NAME becomes that
 * component. Folders are made if MAKE. */
static int walk(int dir, const char *path, bool make, char name[NAME_MAX + 1])
{
	char next[NAME_MAX + 1];
	AUTO_FD at = fcntl(dir, F_DUPFD_CLOEXEC, 3);

	if (at < 0 || !next_name(&path, name))
		return -1;
	while (next_name(&path, next)) {
		if (make && mkdirat(at, name, 0755) < 0 && errno != EEXIST)
			return -1;
		int beneath = tree_open(at, name);
		if (beneath < 0)
			return -1;
		fd_closep(&at);
		at = beneath;
		strcpy(name, next);
	}
	return errno ? -1 : fd_take(&at);
}

static int open_put(const struct session *s, bool make)
{
	char name[TURNS_NAME + 8];

	snprintf(name, sizeof(name), "put-%" PRIu64, s->turn);
	if (make && mkdirat(s->dir, name, 0700) < 0 && errno != EEXIST)
		return -1;
	return tree_open(s->dir, name);
}

/* All that FD has, into a file of the session's that has its name in a moment. */
static int take_bytes(const struct session *s, int fd, mode_t mode, uint64_t *size)
{
	char block[1 << 16];
	ssize_t n;

	(void)tree_remove(s->dir, PART);
	AUTO_FD to = openat(s->dir, PART, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (to < 0)
		return -1;
	*size = 0;
	while ((n = read(fd, block, sizeof(block))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 || fd_write_all(to, block, (size_t)n) < 0)
			return -1;
		*size += (uint64_t)n;
	}
	return fchmod(to, (mode & 0755) | 0600) < 0 ? -1 : fsync(to);
}

static int put_folder(int at, const char *name)
{
	struct stat st;

	if (mkdirat(at, name, 0755) == 0)
		return 0;
	if (errno != EEXIST || fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -1;
	return S_ISDIR(st.st_mode) ? 0 : (errno = ENOTDIR, -1);
}

int sessions_put(struct session *s, const char *path, int fd, mode_t mode, uint64_t *size, struct err *e)
{
	char name[NAME_MAX + 1];
	AUTO_FD put = open_put(s, true);
	AUTO_FD at = put < 0 ? -1 : walk(put, path, true, name);
	int rc = at < 0 ? -1 : 0;

	*size = 0;
	if (rc == 0)
		rc = fd < 0 ? put_folder(at, name) : take_bytes(s, fd, mode, size) < 0 ? -1
		   : renameat(s->dir, PART, at, name);
	if (rc == 0)
		rc = fsync(at);
	if (rc < 0) {
		(void)turns_failed(path, e);
		(void)err_in(e, "session '%s': put", s->name);
		(void)unlinkat(s->dir, PART, 0);
	}
	return rc;
}

/* The folder of those that wait, or of those that the last turn left. */
static int open_files(const struct session *s, bool waiting, struct err *e)
{
	if (waiting)
		return open_put(s, false);
	if (s->turn == 0)
		return errno = ENOENT, -1;
	AUTO_FD turn = turns_open(s->dir, s->turn, e);
	return turn < 0 ? -1 : tree_open(turn, "files");
}

int sessions_get(const struct session *s, bool waiting, const char *path, struct err *e)
{
	char name[NAME_MAX + 1];
	AUTO_FD files = open_files(s, waiting, e);

	if (files >= 0 && !*path)
		return fd_take(&files);
	AUTO_FD at = files < 0 ? -1 : walk(files, path, false, name);
	AUTO_FD fd = at < 0 ? -1 : openat(at, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return err_set(e, ERR_NOT_FOUND, "session '%s': '%.200s' is not there", s->name, path);
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(e, ERR_SESSION, "session '%s': '%.200s'", s->name, path);
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return err_set(e, ERR_SESSION, "session '%s': '%.200s' is neither a file nor a folder", s->name, path);
	return fd_take(&fd);
}
