/* SPDX-License-Identifier: Apache-2.0 */
/* root - see root.h */
#include "host/root.h"

#include "base/fd.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SOURCES_MAX 24
#define ROOT_OPTIONS "mode=755,size=64m"	/* state of a run, a few KiB */

/* Some folder that every system has, to put the new root on: it is covered in
 * our own mount namespace only. */
static const char *const bases[] = { "/tmp", "/run", "/var", "/usr", NULL };

/* Makes the folders of PATH, and PATH itself: a folder, or an empty file. */
static int make_target(const char *path, int folder, struct err *e)
{
	char part[256];

	for (const char *s = strchr(path + 1, '/'); s; s = strchr(s + 1, '/')) {
		snprintf(part, sizeof(part), "%.*s", (int)(s - path), path);
		if (mkdir(part, 0755) < 0 && errno != EEXIST)
			return err_sys(e, ERR_HOST, "make %s", part);
	}
	if (folder)
		return mkdir(path, 0755) < 0 && errno != EEXIST ? err_sys(e, ERR_HOST, "make %s", path) : 0;
	AUTO_FD fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	return fd < 0 ? err_sys(e, ERR_HOST, "make %s", path) : 0;
}

/* The flags that FROM's mount has already: in a user namespace they are locked,
 * and a remount that leaves one out is refused. */
static unsigned long locked_flags(const char *from)
{
	static const struct {
		unsigned long st, ms;
	} table[] = {
		{ ST_NOEXEC, MS_NOEXEC }, { ST_NOATIME, MS_NOATIME },
		{ ST_NODIRATIME, MS_NODIRATIME }, { ST_RELATIME, MS_RELATIME },
	};
	struct statvfs v;
	unsigned long flags = 0;

	if (statvfs(from, &v) < 0)
		return 0;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (v.f_flag & table[i].st)
			flags |= table[i].ms;
	return flags;
}

/* What is bound may lie beneath the folder that is covered, so it is opened
 * before, and named by its descriptor after. */
struct source {
	const char *from, *to;
	unsigned long flags;
	int fd;
	bool fleeting;
};

static int open_sources(const struct root_bind *binds, struct source *s, size_t *n, struct err *e)
{
	static const char *const nodes[] = { "/dev/null", "/dev/zero", "/dev/full",
					     "/dev/random", "/dev/urandom" };

	for (size_t i = 0; i < sizeof(nodes) / sizeof(*nodes); i++)
		s[(*n)++] = (struct source){ nodes[i], nodes[i], MS_NOSUID | MS_NOEXEC, -1, false };
	for (; binds->from && *n < SOURCES_MAX; binds++)
		s[(*n)++] = (struct source){ binds->from, binds->to,
					     MS_NOSUID | (binds->device ? 0 : MS_NODEV) |
					     (binds->writable ? 0 : MS_RDONLY), -1, binds->fleeting };
	assert(!binds->from);
	for (size_t i = 0; i < *n; i++) {
		s[i].fd = open(s[i].from, O_PATH | O_CLOEXEC);
		if (s[i].fd < 0 && !(s[i].fleeting && errno == ENOENT))
			return err_sys(e, ERR_HOST, "%s", s[i].from);
	}
	return 0;
}

static int bind_one(const char *base, const struct source *s, struct err *e)
{
	char from[32], to[256];
	struct stat st;

	snprintf(from, sizeof(from), "/proc/self/fd/%d", s->fd);
	snprintf(to, sizeof(to), "%s%s", base, s->to);
	if (fstat(s->fd, &st) < 0)
		return err_sys(e, ERR_HOST, "%s", s->from);
	if (make_target(to, S_ISDIR(st.st_mode), e) < 0)
		return -1;
	if (mount(from, to, NULL, MS_BIND | MS_REC, NULL) < 0)
		return s->fleeting && errno == ENOENT ? 0 : err_sys(e, ERR_HOST, "bind %s", s->from);
	if (mount(NULL, to, NULL, MS_REMOUNT | MS_BIND | s->flags | locked_flags(from), NULL) < 0)
		return err_sys(e, ERR_HOST, "bind %s read-only", s->from);
	return 0;
}

static int fill(const char *base, const struct source *s, size_t n, struct err *e)
{
	static const char *const folders[] = { "/proc", "/tmp", "/run", "/dev" };
	char to[256];

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		snprintf(to, sizeof(to), "%s%s", base, folders[i]);
		if (make_target(to, 1, e) < 0)
			return -1;
	}
	for (size_t i = 0; i < n; i++)
		if (s[i].fd >= 0 && bind_one(base, &s[i], e) < 0)
			return -1;
	snprintf(to, sizeof(to), "%s/proc", base);
	if (mount("proc", to, "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0)
		return err_sys(e, ERR_BACKEND, "mount a /proc of our own (a container with a masked "
			       "/proc refuses that)");
	return 0;
}

static int build(const char *base, const struct source *s, size_t n, struct err *e)
{
	if (mount("tmpfs", base, "tmpfs", MS_NOSUID | MS_NODEV, ROOT_OPTIONS) < 0)
		return err_sys(e, ERR_BACKEND, "mount a tmpfs");
	if (fill(base, s, n, e) < 0)
		return -1;
	/* pivot_root(".", ".") stacks the old root on the new one, to be taken away */
	if (chdir(base) < 0 || syscall(SYS_pivot_root, ".", ".") < 0 ||
	    umount2(".", MNT_DETACH) < 0 || chdir("/") < 0)
		return err_sys(e, ERR_BACKEND, "enter a root of our own");
	return 0;
}

int root_enter(const struct root_bind *binds, struct err *e)
{
	struct source s[SOURCES_MAX];
	const char *const *base = bases;
	struct stat st;
	size_t n = 0;

	while (*base && (stat(*base, &st) < 0 || !S_ISDIR(st.st_mode)))
		base++;
	if (!*base)
		return err_set(e, ERR_HOST, "no folder to mount on");
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return err_sys(e, ERR_BACKEND, "make the mounts private");
	int rc = open_sources(binds, s, &n, e);
	if (rc == 0)
		rc = build(*base, s, n, e);
	for (size_t i = 0; i < n; i++)
		fd_closep(&s[i].fd);
	return rc;
}
