/* SPDX-License-Identifier: Apache-2.0 */
/* session - see session.h */
#include "state/session.h"

#include "base/clock.h"
#include "base/fd.h"
#include "base/num.h"
#include "state/tree.h"
#include "state/turns.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOCK_MAX 32		/* bytes of the lock: a process's number */
#define TRIES 100		/* at a folder that others take away and make */
#define WAIT_FIRST_MS 20	/* between two looks at a lock, then twice that … */
#define WAIT_MS 100		/* … up to this */

int session_check_name(const char *what, const char *name, struct err *e)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
	size_t n = strlen(name);

	if (n > 0 && n <= SESSION_NAME_MAX && strspn(name, letters) == n && *name != '.' && *name != '-')
		return 0;
	return err_set(e, ERR_USAGE, "'%.100s' is no name of a %s: 1 to %u letters, digits, '.', '_', '-', "
		       "the first neither '.' nor '-'", name, what, SESSION_NAME_MAX);
}

/* The user's own, as far as it is there; each step is made if MAKE. */
static int default_folder(bool make, char path[SESSION_PATH], struct err *e)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	bool own = state && *state == '/';
	const char *const parts[] = { own ? "" : "/.local", own ? "" : "/state", "/pai", "/sessions" };
	struct stat st;

	if (!own && (!home || *home != '/'))
		return err_set(e, ERR_SESSION, "neither HOME nor XDG_STATE_HOME says where sessions lie; "
			       "--session-dir=DIR does");
	/* another's (root with a user's HOME, say) is left alone */
	if (stat(own ? state : home, &st) == 0 && st.st_uid != geteuid())
		return err_set(e, ERR_SESSION, "%.250s belongs to another user (uid %u): no session is put there; "
			       "--session-dir=DIR says where", own ? state : home, st.st_uid);
	size_t n = (size_t)snprintf(path, SESSION_PATH, "%s", own ? state : home);
	if (n > SESSION_PATH - 500)
		return err_set(e, ERR_SESSION, "the path of the folder of sessions is too long");
	if (own && make && mkdir(path, 0700) < 0 && errno != EEXIST)
		return err_sys(e, ERR_SESSION, "make %.250s", path);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		n += (size_t)snprintf(path + n, SESSION_PATH - n, "%s", parts[i]);
		if (make && *parts[i] && mkdir(path, 0700) < 0 && errno != EEXIST)
			return err_sys(e, ERR_SESSION, "make %.250s", path);
	}
	return 0;
}

/* The folder of all, open and checked. */
static int open_all(const char *path, struct err *e)
{
	AUTO_FD fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 && errno == ENOENT)
		return err_set(e, ERR_NOT_FOUND, "%.250s: there is no such folder of sessions", path);
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(e, ERR_SESSION, "%.250s", path);
	return turns_owned(&st, path, e) < 0 ? -1 : fd_take(&fd);
}

static int find_folder(const char *dir, bool make, char path[SESSION_PATH], struct err *e)
{
	char real[PATH_MAX];

	if (!dir && default_folder(make, path, e) < 0)
		return -1;
	if (dir && make && mkdir(dir, 0700) < 0 && errno != EEXIST)
		return err_sys(e, ERR_SESSION, "make %.250s", dir);
	AUTO_FD fd = open_all(dir ? dir : path, e);
	if (fd < 0)
		return -1;
	/* a path that holds wherever a process is */
	if (!realpath(dir ? dir : path, real))
		return err_sys(e, ERR_SESSION, "%.250s", dir ? dir : path);
	if (strlen(real) > SESSION_PATH - 500)
		return err_set(e, ERR_SESSION, "the path of the folder of sessions is too long");
	snprintf(path, SESSION_PATH, "%s", real);
	return 0;
}

int session_folder(const char *dir, bool make, char path[SESSION_PATH], struct err *e)
{
	/* one that shuts the user out of his own folders would do so for good */
	(void)umask(umask(0) & ~0700u);
	int rc = find_folder(dir, make, path, e);

	return rc < 0 && dir ? err_in(e, "--session-dir") : rc;
}

static int in_session(const struct session *s, struct err *e)
{
	return err_in(e, "session '%s'", s->name);
}

/* A name that we give in a session's folder: lock, N, put-N, and what is unfinished. */
static bool is_part(const char *name)
{
	const char *number = name + (strncmp(name, "put-", 4) ? 0 : 4);
	size_t n = strspn(number, "0123456789");

	return !strcmp(name, "lock") ||
	       (n > 0 && (!number[n] || !strcmp(number + n, ".part") || !strcmp(number + n, ".gone")));
}

/* A turn's folder, or the lock: what no other folder has by chance. */
static bool is_sign(int dir, const char *name)
{
	char facts[TURNS_NAME + 16];
	struct stat st;

	snprintf(facts, sizeof(facts), "%.30s/session.json", name);
	return !strcmp(name, "lock") ||
	       (turns_number(name) > 0 && fstatat(dir, facts, &st, AT_SYMLINK_NOFOLLOW) == 0);
}

int session_holds(int dir, char other[TURNS_NAME], struct err *e)
{
	char **names;
	int n = tree_names(dir, TURNS_NAMES, &names);
	bool sign = false;

	*other = 0;
	if (n < 0)
		return err_sys(e, ERR_SESSION, "look at what is in it");
	for (int i = 0; i < n; i++) {
		sign |= is_sign(dir, names[i]);
		if (!is_part(names[i]))
			snprintf(other, TURNS_NAME, "%s", names[i]);
	}
	if (!sign && !*other && n > 0)
		snprintf(other, TURNS_NAME, "%s", names[0]);
	tree_names_free(names, n);
	return sign;
}

/* Whether the open folder, which has its name, is a session's. */
static int is_session(const struct session *s, enum session_use use, struct err *e)
{
	char other[TURNS_NAME];
	int rc = session_holds(s->dir, other, e);

	if (rc != 0)
		return rc < 0 ? -1 : 0;
	if (use == SESSION_TURN && !*other)	/* made just now, or by another */
		return 0;
	if (use == SESSION_TURN)
		return err_set(e, ERR_SESSION, "%.250s is a folder of other files ('%s')", s->path, other);
	return err_set(e, ERR_NOT_FOUND, "%.250s is no session", s->path);
}

/* 0; 1: another may have taken it away, and it is to be looked for again. */
static int open_dir(struct session *s, enum session_use use, struct err *e)
{
	struct stat st;

	s->dir = tree_open(s->folder, s->name);
	if (s->dir < 0 && errno == ENOENT && use == SESSION_TURN)
		return mkdirat(s->folder, s->name, 0700) == 0 || errno == EEXIST ? 1
			: err_sys(e, ERR_SESSION, "make %.250s", s->path);
	if (s->dir < 0 && errno == ENOENT)
		return err_set(e, ERR_NOT_FOUND, "there is none in %.*s", (int)(strrchr(s->path, '/') - s->path),
			       s->path);
	if (s->dir < 0 && (errno == ELOOP || errno == ENOTDIR))
		return err_set(e, ERR_SESSION, "%.250s is no folder (a symbolic link is not followed)", s->path);
	if (s->dir < 0 || fstat(s->dir, &st) < 0)
		return err_sys(e, ERR_SESSION, "%.250s", s->path);
	return turns_owned(&st, s->path, e) < 0 ? -1 : is_session(s, use, e);
}

/* Which process has it, as far as it could leave word. */
static int busy(int lock, const char *why, struct err *e)
{
	char text[32] = "";
	ssize_t n = pread(lock, text, sizeof(text) - 1, 0);
	uint64_t pid;
	struct err no;

	text[n > 0 ? n : 0] = 0;
	text[strcspn(text, "\n")] = 0;
	if (num_count(text, 1, INT32_MAX, &pid, &no) < 0)
		return err_set(e, ERR_BUSY, "another process has it; %s", why);
	return err_set(e, ERR_BUSY, "process %" PRIu64 " has it; %s", pid, why);
}

/* There is no call that waits for a lock and for a signal both. */
static int wait_lock(int lock, uint64_t wait_ms, int sig_fd, struct err *e)
{
	int64_t until = wait_ms > INT64_MAX / 2000 ? CLOCK_NEVER : clock_now_us() + (int64_t)wait_ms * 1000;
	struct pollfd signal = { .fd = sig_fd, .events = POLLIN };
	char text[NUM_TEXT], why[80];

	for (int step = WAIT_FIRST_MS; flock(lock, LOCK_EX | LOCK_NB) < 0; step = step < WAIT_MS / 2 ? 2 * step : WAIT_MS) {
		int left = clock_poll_ms(until);

		if (errno != EWOULDBLOCK && errno != EINTR)
			return err_sys(e, ERR_SESSION, "lock it");
		if (left == 0) {
			snprintf(why, sizeof(why), "waited %s (--lock-wait)", num_duration_text(wait_ms, text));
			return busy(lock, why, e);
		}
		if (poll(&signal, 1, left > 0 && left < step ? left : step) > 0)
			return busy(lock, "interrupted while waiting for it", e);
	}
	return 0;
}

/* True if NAME in AT is still the open file FD. */
static bool is_same(int at, const char *name, int fd)
{
	struct stat a, b;

	return fstatat(at, name, &a, AT_SYMLINK_NOFOLLOW) == 0 && fstat(fd, &b) == 0 &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* 0; 1: the one who had it has taken it away meanwhile. */
static int take_lock(struct session *s, enum session_use use, uint64_t wait_ms, int sig_fd, struct err *e)
{
	char text[LOCK_MAX];
	struct stat st;

	s->lock = openat(s->dir, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	if (s->lock < 0 && errno == ENOENT)
		return 1;
	if (s->lock < 0 || fstat(s->lock, &st) < 0)
		return err_sys(e, ERR_SESSION, "lock");
	if (!S_ISREG(st.st_mode))
		return err_set(e, ERR_SESSION, "lock: not a regular file");
	/* who has written that may have been at the rest too */
	if (use == SESSION_TURN && st.st_size > LOCK_MAX)
		return err_set(e, ERR_SESSION, "lock: damaged: it has %jd bytes, and %d at most "
			       "('pai-session rm' removes it)", (intmax_t)st.st_size, LOCK_MAX);
	if (turns_owned(&st, "lock", e) < 0 || wait_lock(s->lock, wait_ms, sig_fd, e) < 0)
		return -1;
	if (!is_same(s->folder, s->name, s->dir) || !is_same(s->dir, "lock", s->lock))
		return 1;
	/* for those who wait; without it they wait as well */
	int n = snprintf(text, sizeof(text), "%ld\n", (long)getpid());
	(void)!(ftruncate(s->lock, 0) < 0 || pwrite(s->lock, text, (size_t)n, 0) < 0);
	return 0;
}

/* The highest turn that is there. */
static int find_turn(struct session *s, struct err *e)
{
	char **names;
	int n = tree_names(s->dir, TURNS_NAMES, &names);

	if (n < 0)
		return err_sys(e, ERR_SESSION, "%.250s", s->path);
	s->turn = 0;
	for (int i = 0; i < n; i++)
		if (turns_number(names[i]) > s->turn)
			s->turn = turns_number(names[i]);
	tree_names_free(names, n);
	return 0;
}

static int load(struct session *s, struct err *e)
{
	if (s->turn == 0)
		return 0;
	AUTO_FD dir = turns_open(s->dir, s->turn, e);
	if (dir < 0 || turns_load(dir, s->turn, &s->facts, &s->log, e) < 0)
		return err_in(e, "turn %" PRIu64, s->turn);
	return 0;
}

/* Without the lock a turn may go while it is read: then there is a newer one. */
static int look(struct session *s, struct err *e)
{
	for (int i = 0; i < TRIES; i++) {
		uint64_t turn = s->turn;

		if (find_turn(s, e) < 0)
			return -1;
		if (i > 0 && turn == s->turn)
			break;
		*e = (struct err){ 0 };
		if (load(s, e) == 0)
			return 0;
	}
	return e->kind ? -1 : err_set(e, ERR_SESSION, "it changes all the time");
}

static void let_go(struct session *s)
{
	fd_closep(&s->lock);
	fd_closep(&s->dir);
}

/* Opens its folder, and has the lock if it is to be changed. */
static int enter(struct session *s, enum session_use use, uint64_t wait_ms, int sig_fd, struct err *e)
{
	int rc = 1;

	for (int i = 0; i < TRIES && rc == 1; i++) {
		let_go(s);
		rc = open_dir(s, use, e);
		if (rc == 0 && use != SESSION_LOOK)
			rc = take_lock(s, use, wait_ms, sig_fd, e);
	}
	return rc == 1 ? err_set(e, ERR_SESSION, "others make it and take it away all the time") : rc;
}

int session_enter(struct session *s, const char *folder, const char *name, enum session_use use,
		  uint64_t wait_ms, int sig_fd, struct err *e)
{
	*s = SESSION_NONE;
	if (session_check_name("session", name, e) < 0)
		return -1;
	if (strlen(folder) > SESSION_PATH - 500)
		return err_set(e, ERR_SESSION, "the path of the folder of sessions is too long");
	snprintf(s->name, sizeof(s->name), "%s", name);
	snprintf(s->path, sizeof(s->path), "%.3500s/%s", folder, name);
	s->folder = open_all(folder, e);
	if (s->folder < 0)
		return -1;
	if (enter(s, use, wait_ms, sig_fd, e) == 0 && find_turn(s, e) == 0)
		return 0;
	(void)in_session(s, e);
	session_close(s);
	return -1;
}

int session_open(struct session *s, const char *folder, const char *name, enum session_use use,
		 uint64_t wait_ms, int sig_fd, struct err *e)
{
	if (session_enter(s, folder, name, use, wait_ms, sig_fd, e) < 0)
		return -1;
	if ((use == SESSION_LOOK ? look(s, e) : load(s, e)) == 0)
		return 0;
	if (use != SESSION_LOOK && e->kind == ERR_SESSION)
		(void)err_in(e, "it cannot be used ('pai-session %s)", s->turn > 1 ? "rewind' goes back to the turn before"
			     : "rm' removes it");
	(void)in_session(s, e);
	session_close(s);
	return -1;
}

/* Takes an empty one away: there is nothing in it but the lock, which we hold. */
static void remove_empty(struct session *s)
{
	char **names;
	int n = tree_names(s->dir, 2, &names);
	bool empty = n == 1 && !strcmp(names[0], "lock");

	if (n >= 0)
		tree_names_free(names, n);
	if (empty && unlinkat(s->dir, "lock", 0) == 0)
		(void)unlinkat(s->folder, s->name, AT_REMOVEDIR);	/* or another has come */
}

void session_close(struct session *s)
{
	if (s->lock >= 0 && s->dir >= 0 && s->turn == 0 && is_same(s->dir, "lock", s->lock))
		remove_empty(s);
	let_go(s);
	fd_closep(&s->folder);
	buf_free(&s->log);
	s->turn = 0;
}

int session_verify(const struct session *s, struct err *e)
{
	if (s->turn == 0)
		return 0;
	AUTO_FD dir = turns_open(s->dir, s->turn, e);
	if (dir < 0 || turns_verify(dir, e) < 0)
		return err_in(e, "session '%s': turn %" PRIu64, s->name, s->turn);
	return 0;
}

void session_snapshot(const struct session *s, char path[SESSION_PATH])
{
	snprintf(path, SESSION_PATH, "%.4000s/%" PRIu64 "/snapshot", s->path, s->turn);
}

void session_put(const struct session *s, char path[SESSION_PATH])
{
	snprintf(path, SESSION_PATH, "%.4000s/put-%" PRIu64, s->path, s->turn);
}
