/* SPDX-License-Identifier: Apache-2.0 */
/* sessions - see sessions.h */
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
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#define STALE_S 3600		/* what a killed fork left is nobody's then */

struct inode {
	dev_t dev;
	ino_t ino;
	uint64_t bytes;
};

struct count {			/* of what lies beneath a folder */
	uint64_t bytes, files;
	struct inode *shared;	/* those with several names */
	size_t n;
};

static int count_one(void *arg, int at, const char *name, const char *path, const struct stat *st)
{
	struct count *c = arg;
	uint64_t bytes = (uint64_t)st->st_blocks * 512;

	(void)at;
	(void)name;
	(void)path;
	c->files += S_ISREG(st->st_mode);
	if (S_ISDIR(st->st_mode) || st->st_nlink < 2) {
		c->bytes += bytes;
		return 0;
	}
	if ((c->n & (c->n - 1)) == 0) {	/* by doubling, at each power of two */
		struct inode *more = reallocarray(c->shared, c->n ? 2 * c->n : 1, sizeof(*more));

		if (!more)
			return -1;
		c->shared = more;
	}
	c->shared[c->n++] = (struct inode){ st->st_dev, st->st_ino, bytes };
	return 0;
}

static int by_inode(const void *a, const void *b)
{
	const struct inode *x = a, *y = b;

	return x->dev != y->dev ? (x->dev < y->dev ? -1 : 1) : x->ino < y->ino ? -1 : x->ino > y->ino;
}

/* What is beyond the bounds of a walk is not counted. */
static void count_all(int dir, struct count *c)
{
	(void)tree_walk(dir, count_one, c);
	if (c->n > 0)
		qsort(c->shared, c->n, sizeof(*c->shared), by_inode);
	for (size_t i = 0; i < c->n; i++)
		if (i == 0 || by_inode(&c->shared[i - 1], &c->shared[i]))
			c->bytes += c->shared[i].bytes;
	free(c->shared);
}

void sessions_measure(const struct session *s, struct sessions_row *row)
{
	struct count all = { 0 }, wait = { 0 };
	uint64_t *turns = NULL;
	size_t n = 0;
	struct err e;
	struct stat st;

	snprintf(row->name, sizeof(row->name), "%s", s->name);
	row->turn = s->turn;
	row->facts = s->facts;
	if (s->dir < 0 || fstat(s->dir, &st) < 0)
		return;
	row->used_s = st.st_mtim.tv_sec;
	if (sessions_turns(s, &turns, &n, &e) == 0)
		row->kept = n;
	free(turns);
	count_all(s->dir, &all);
	row->bytes = all.bytes;
	AUTO_FD put = sessions_get(s, true, "", &e);
	if (put >= 0)
		count_all(put, &wait);
	row->waiting = wait.files;
}

/* What can be said of NAME even where it cannot be used. */
static void look_at(const char *path, const char *name, struct sessions_row *row)
{
	struct session s;

	*row = (struct sessions_row){ 0 };
	snprintf(row->name, sizeof(row->name), "%s", name);
	if (session_open(&s, path, name, SESSION_LOOK, 0, -1, &row->why) == 0) {
		sessions_measure(&s, row);
		session_close(&s);
		return;
	}
	struct err e;
	if (session_enter(&s, path, name, SESSION_LOOK, 0, -1, &e) == 0)
		sessions_measure(&s, row);
	session_close(&s);
}

static int open_folder(const char *path, struct err *e)
{
	AUTO_FD fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? err_sys(e, ERR_SESSION, "%.250s", path) : fd_take(&fd);
}

int sessions_list(const char *path, struct sessions *all, struct err *e)
{
	AUTO_FD folder = open_folder(path, e);
	char **names;
	int n = folder < 0 ? -1 : tree_names(folder, SESSIONS_MAX, &names);
	struct err no;

	*all = (struct sessions){ 0 };
	if (folder < 0)
		return -1;
	if (n < 0 && errno == E2BIG)
		return err_set(e, ERR_SESSION, "%.250s: more than %u names", path, SESSIONS_MAX);
	if (n < 0)
		return err_sys(e, ERR_SESSION, "%.250s", path);
	all->at = calloc((size_t)n + 1, sizeof(*all->at));
	for (int i = 0; all->at && i < n; i++) {
		/* others' names are not ours to judge, but for what has one of a session */
		if (session_check_name("session", names[i], &no) < 0)
			continue;
		look_at(path, names[i], &all->at[all->n]);
		if (all->at[all->n].why.kind != ERR_NOT_FOUND)	/* gone meanwhile */
			all->n++;
	}
	tree_names_free(names, n);
	return all->at ? 0 : err_sys(e, ERR_HOST, "memory");
}

void sessions_free(struct sessions *all)
{
	free(all->at);
	*all = (struct sessions){ 0 };
}

static int by_number(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

int sessions_turns(const struct session *s, uint64_t **turns, size_t *n, struct err *e)
{
	char **names;
	int count = tree_names(s->dir, TURNS_NAMES, &names);

	if (count < 0)
		return err_sys(e, ERR_SESSION, "%.250s", s->path);
	uint64_t *list = calloc((size_t)count + 1, sizeof(*list));
	*n = 0;
	for (int i = 0; list && i < count; i++)
		if (turns_number(names[i]))
			list[(*n)++] = turns_number(names[i]);
	tree_names_free(names, count);
	if (!list)
		return err_sys(e, ERR_HOST, "memory");
	qsort(list, *n, sizeof(*list), by_number);
	*turns = list;
	return 0;
}

/* Refuses a turn that is not kept, and says which are. */
static int choose_turn(const struct session *s, const uint64_t *turns, size_t n, uint64_t *turn, struct err *e)
{
	char text[200] = "none";

	if (*turn == 0 && n > 1)
		*turn = turns[n - 2];
	for (size_t i = 0; i < n; i++)
		if (turns[i] == *turn)
			return 0;
	for (size_t i = 0, at = 0; i < n && at < sizeof(text) - 24; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%" PRIu64, i ? ", " : "", turns[i]);
	if (*turn == 0)
		return err_set(e, ERR_NOT_FOUND, "session '%s': there is no turn before the last; kept: %s", s->name, text);
	return err_set(e, ERR_NOT_FOUND, "session '%s': turn %" PRIu64 " is not kept; kept: %s", s->name, *turn, text);
}

/* The turns behind TURN go, the last first: whenever it stops, what is left is whole. */
static int go_back(struct session *s, const uint64_t *turns, size_t n, uint64_t turn, struct err *e)
{
	char name[TURNS_NAME], gone[2 * TURNS_NAME];

	for (; n > 0 && turns[n - 1] > turn; n--) {
		snprintf(name, sizeof(name), "%" PRIu64, turns[n - 1]);
		snprintf(gone, sizeof(gone), "%s.gone", name);
		if (renameat(s->dir, name, s->dir, gone) < 0)
			return err_sys(e, ERR_SESSION, "session '%s': turn %s", s->name, name);
	}
	return 0;
}

int sessions_rewind(struct session *s, uint64_t turn, struct err *e)
{
	uint64_t *turns = NULL;
	size_t n = 0;
	char put[TURNS_NAME + 8], now[TURNS_NAME + 8];
	struct session_facts facts;
	struct buf log = { 0 };

	session_sweep(s);
	if (sessions_turns(s, &turns, &n, e) < 0)
		return -1;
	int rc = choose_turn(s, turns, n, &turn, e);
	AUTO_FD dir = rc < 0 ? -1 : turns_open(s->dir, turn, e);
	if (rc == 0 && (dir < 0 || turns_load(dir, turn, &facts, &log, e) < 0))
		rc = err_in(e, "session '%s': turn %" PRIu64, s->name, turn);
	if (rc == 0)
		rc = go_back(s, turns, n, turn, e);
	free(turns);
	if (rc < 0) {
		buf_free(&log);
		return -1;
	}
	snprintf(put, sizeof(put), "put-%" PRIu64, s->turn);
	snprintf(now, sizeof(now), "put-%" PRIu64, turn);
	(void)renameat(s->dir, put, s->dir, now);	/* if any wait */
	buf_free(&s->log);
	s->turn = turn;
	s->facts = facts;
	s->log = log;
	session_sweep(s);
	return fsync(s->dir) < 0 ? err_sys(e, ERR_SESSION, "session '%s'", s->name) : 0;
}

int sessions_remove(struct session *s, struct err *e)
{
	char gone[SESSION_NAME_MAX + 16], other[TURNS_NAME];

	if (session_holds(s->dir, other, e) < 0)
		return err_in(e, "session '%s'", s->name);
	if (*other)
		return err_set(e, ERR_SESSION, "session '%s': '%s' in its folder is none of its files; nothing is removed",
			       s->name, other);
	/* first out of the way in one step, so that nobody finds half of it */
	snprintf(gone, sizeof(gone), ".%s.gone", s->name);
	if (tree_remove(s->folder, gone) < 0 || renameat(s->folder, s->name, s->folder, gone) < 0 ||
	    tree_remove(s->folder, gone) < 0)
		return err_sys(e, ERR_SESSION, "session '%s': remove it", s->name);
	return 0;
}

/* The turn's folder, and the files that wait. */
static int copy_parts(const struct session *s, int to)
{
	char names[2][TURNS_NAME + 8];

	snprintf(names[0], sizeof(names[0]), "%" PRIu64, s->turn);
	snprintf(names[1], sizeof(names[1]), "put-%" PRIu64, s->turn);
	for (int i = 0; i < 2; i++) {
		AUTO_FD from = tree_open(s->dir, names[i]);

		if (from < 0 && errno == ENOENT)
			continue;
		if (from < 0 || mkdirat(to, names[i], 0700) < 0)
			return -1;
		AUTO_FD part = tree_open(to, names[i]);
		/* the files that wait are taken as they are; what is written never changes */
		if (part < 0 || tree_copy(from, part, true) < 0)
			return -1;
	}
	return tree_sync(to);
}

/* A folder of ours that another call might make as well: locked, or -1. */
static int make_locked(int folder, const char *name)
{
	if (mkdirat(folder, name, 0700) < 0)
		return -1;
	AUTO_FD dir = tree_open(folder, name);
	AUTO_FD lock = dir < 0 ? -1 : openat(dir, "lock", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	return lock < 0 || flock(lock, LOCK_EX | LOCK_NB) < 0 ? -1 : fd_take(&lock);
}

/* What a killed fork left: nobody holds it, and it has nothing of anybody else. */
static bool remove_dead(int folder, const char *name)
{
	AUTO_FD dir = tree_open(folder, name);
	AUTO_FD lock = dir < 0 ? -1 : openat(dir, "lock", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	char other[TURNS_NAME] = "";
	struct err e;

	if (dir >= 0 && (session_holds(dir, other, &e) < 0 || *other))
		return false;
	if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) < 0)
		return false;
	return tree_remove(folder, name) == 0;
}

/* As it is not there: nobody's session is replaced. */
static int give_name(int folder, const char *part, const char *name)
{
	if (renameat2(folder, part, folder, name, RENAME_NOREPLACE) == 0)
		return 0;
	/* EINVAL: the file system has no such rename; it was looked for before */
	return errno == EINVAL ? renameat(folder, part, folder, name) : -1;
}

int sessions_fork(struct session *s, const char *name, struct err *e)
{
	char part[SESSION_NAME_MAX + 16];
	struct stat st;

	if (session_check_name("session", name, e) < 0)
		return -1;
	if (fstatat(s->folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		return err_set(e, ERR_USAGE, "session '%s': there is one already", name);
	snprintf(part, sizeof(part), ".%s.part", name);
	AUTO_FD lock = remove_dead(s->folder, part) ? make_locked(s->folder, part) : -1;
	if (lock < 0)
		return err_set(e, ERR_BUSY, "session '%s': another call is making it", name);
	AUTO_FD dir = tree_open(s->folder, part);
	int rc = dir < 0 || copy_parts(s, dir) < 0 || give_name(s->folder, part, name) < 0 ? -1
	       : fsync(s->folder);
	if (rc < 0) {
		(void)turns_failed("copy", e);
		(void)err_in(e, "session '%s': make it of '%s'", name, s->name);
		(void)tree_remove(s->folder, part);
	}
	return rc;
}

void sessions_sweep(const char *path)
{
	struct err e;
	AUTO_FD folder = open_folder(path, &e);
	char **names;
	int n = folder < 0 ? -1 : tree_names(folder, SESSIONS_MAX, &names);

	for (int i = 0; i < n; i++) {
		size_t len = strlen(names[i]);
		struct stat st;

		if (names[i][0] == '.' && len > 6 && (!strcmp(names[i] + len - 5, ".part") ||
		    !strcmp(names[i] + len - 5, ".gone")) &&
		    fstatat(folder, names[i], &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode) &&
		    time(NULL) - st.st_mtime > STALE_S)
			(void)remove_dead(folder, names[i]);
	}
	if (n >= 0)
		tree_names_free(names, n);
}
