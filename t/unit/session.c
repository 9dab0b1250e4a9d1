/* SPDX-License-Identifier: Apache-2.0 */
/* A session's folder: whole or as before, whatever stops the one who saves it. Calls that
 * change the disk are counted here, so that each of them can be the last one of a process,
 * or fail. */
#include "state/session.h"
#include "state/sum.h"
#include "tap.h"

#include "base/clock.h"
#include "base/fd.h"
#include "base/num.h"
#include "host/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

static char top[PATH_MAX], folder[SESSION_PATH];
static struct err e;

/* What happens at the call number STEP. */
static enum { NOTHING, DIE, FULL } fate;
static int step;
static bool no_room;		/* as statfs(2) tells it */

static bool strikes(void)
{
	if (fate == NOTHING || --step != 0)
		return false;
	if (fate == DIE)
		(void)syscall(SYS_kill, getpid(), SIGKILL);
	errno = ENOSPC;
	return true;
}

int fsync(int fd)
{
	return strikes() ? -1 : (int)syscall(SYS_fsync, fd);
}

ssize_t write(int fd, const void *data, size_t n)
{
	return strikes() ? -1 : syscall(SYS_write, fd, data, n);
}

int mkdirat(int fd, const char *path, mode_t mode)
{
	return strikes() ? -1 : (int)syscall(SYS_mkdirat, fd, path, mode);
}

int linkat(int from, const char *a, int to, const char *b, int flags)
{
	return strikes() ? -1 : (int)syscall(SYS_linkat, from, a, to, b, flags);
}

int renameat(int from, const char *a, int to, const char *b)
{
	return strikes() ? -1 : (int)syscall(SYS_renameat2, from, a, to, b, 0);
}

int unlinkat(int fd, const char *path, int flags)
{
	return strikes() ? -1 : (int)syscall(SYS_unlinkat, fd, path, flags);
}

int fstatfs(int fd, struct statfs *fs)
{
	int rc = (int)syscall(SYS_fstatfs, fd, fs);

	if (no_room)
		fs->f_bfree = fs->f_bavail = 0;
	return rc;
}

static int put(int at, const char *name, const char *text)
{
	(void)syscall(SYS_unlinkat, at, name, 0);
	AUTO_FD fd = openat(at, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0664);

	return fd < 0 || fchmod(fd, 0664) < 0 ? -1 : fd_write_all(fd, text, strlen(text));
}

static int fill(struct session *s, struct session_turn *t)
{
	char name[32];

	snprintf(name, sizeof(name), "f%d", s->turn < 4 ? (int)s->turn + 1 : 4);
	AUTO_FD snapshot = open(t->snapshot, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return snapshot < 0 || put(snapshot, "pages.img", "pages") < 0 || put(snapshot, "state", "") < 0 ||
	       put(t->files, name, "of the program") < 0 ? -1 : 0;
}

static const struct session_facts facts = { .backend = "gvisor", .version = "v1", .program = "sha256:00" };

static int open_it(struct session *s, enum session_use use)
{
	e = (struct err){ 0 };
	return session_open(s, folder, "x", use, 0, -1, &e);
}

/* One more turn of "x". */
static int turn(uint64_t keep)
{
	struct session_turn t = SESSION_TURN_NONE;
	struct session s;

	if (open_it(&s, SESSION_TURN) < 0)
		return -1;
	int rc = session_begin(&s, &t, &e);
	if (rc == 0 && fill(&s, &t) < 0)
		rc = err_sys(&e, ERR_HOST, "fill");
	if (rc == 0)
		rc = session_commit(&s, &t, &facts, "{}", keep, &e);
	session_drop(&s, &t);
	session_close(&s);
	return rc;
}

/* The last turn, read and verified; -1. */
static int now(void)
{
	struct session s;

	if (open_it(&s, SESSION_LOOK) < 0)
		return -1;
	int n = session_verify(&s, &e) < 0 ? -1 : (int)s.turn;
	session_close(&s);
	return n;
}

static void start_anew(void)
{
	char line[PATH_MAX + 32];

	snprintf(line, sizeof(line), "rm -rf '%s'", folder);
	OK(system(line) == 0 && session_folder(folder, true, folder, &e) == 0, "a folder of sessions");
}

static bool is_there(const char *path)
{
	char name[2 * SESSION_PATH];

	snprintf(name, sizeof(name), "%s/x/%s", folder, path);
	return access(name, F_OK) == 0;
}

static void walk(void)
{
	struct session s;
	char log[] = "{}\n{}\n{}\n";

	start_anew();
	OK(turn(2) == 0 && now() == 1, "a first turn");
	OK(turn(2) == 0 && turn(2) == 0 && now() == 3, "two more");
	OK(!is_there("1") && is_there("2") && is_there("3"), "two are kept");
	OK(is_there("3/files/f1") && is_there("3/files/f2") && is_there("3/files/f3"), "with the files of all");
	OK(turn(0) == 0 && !is_there("3") && now() == 4, "at least one is");
	OK(open_it(&s, SESSION_LOOK) == 0 && s.log.len == 4 * 3 && !memcmp(s.log.at, log, 9) && s.facts.turn == 4 &&
	   !strcmp(s.facts.version, "v1") && s.facts.created_s > 0, "facts and log are read back");
	struct session_facts other = facts;
	OK(session_fits(&s, &other, &e) == 0, "the same backend fits");
	strcpy(other.version, "v2");
	OK(session_fits(&s, &other, &e) < 0 && e.kind == ERR_SESSION && strstr(e.msg, "'v1'") && strstr(e.msg, "'v2'"),
	   "another does not, both are named");
	session_close(&s);
}

/* As a command line of the shell in x/N. */
static int damaged(const char *how)
{
	char line[3 * PATH_MAX];

	snprintf(line, sizeof(line), "rm -rf '%s'/b && cp -a '%s'/x '%s'/b && cd '%s'/x/4 && %s", folder, folder,
		 folder, folder, how);
	if (system(line) != 0)
		return -2;
	int n = now();
	snprintf(line, sizeof(line), "rm -rf '%s'/x && mv '%s'/b '%s'/x", folder, folder, folder);
	return system(line) != 0 ? -2 : n;
}

static void damage(void)
{
	static const struct {
		const char *how, *said;
	} ways[] = {
		{ "printf X | dd of=snapshot/pages.img bs=1 conv=notrunc status=none", "snapshot/pages.img: damaged" },
		{ "printf X | dd of=log bs=1 conv=notrunc status=none", "log: damaged" },
		{ "printf X | dd of=session.json bs=1 conv=notrunc status=none", "session.json: damaged" },
		{ "truncate -s 3 snapshot/pages.img", "3 bytes instead of 5" },
		{ "truncate -s -1 sizes", "sizes: cut off" },
		{ "truncate -s 0 sizes", "sizes: not the list" },
		{ "sed -i 1s/1/2/ sizes", "it is of format 2, this pai-exec knows 1" },
		{ "sed -i 2s/snapshot/snapshot\\\\/../ sizes", "sizes: line 2 is none" },
		{ "sed -i 2p sizes", "sizes: line 3 is none" },
		{ "rm log", "log: No such file" },
		{ "rm -r snapshot", "snapshot: No such file" },
		{ "touch more", "'more' should not be there" },
		{ "touch snapshot/more", "'snapshot/more' should not be there" },
		{ "mv snapshot/pages.img /tmp/pai-unit-$$ && ln -s /tmp/pai-unit-$$ snapshot/pages.img; "
		  "rm /tmp/pai-unit-$$", "a symbolic link" },
		{ "mv snapshot away && ln -s away snapshot", "snapshot: not a folder" },
		{ "rm snapshot/state && mkfifo snapshot/state", "not a regular file" },
		{ "chmod g+w snapshot/pages.img", "chmod go-w mends that" },
		{ "chmod o+w .", "chmod go-w mends that" },
		{ "chmod o+w ..", "chmod go-w mends that" },
		{ "cd .. && mv 4 5", "session.json: of turn 4" },
	};

	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		int n = damaged(ways[i].how);
		bool ok = n == -1 && e.kind == ERR_SESSION && strstr(e.msg, ways[i].said);

		OK(ok, ways[i].how);
		if (!ok)
			printf("# %d %s\n", n, e.msg);
	}
	OK(damaged("ln snapshot/pages.img ../../link && rm ../../link") == 4, "a hard link is no damage");
	OK(damaged("cp --sparse=always snapshot/pages.img p && cat p >snapshot/pages.img && rm p") == 4,
	   "nor is a copy");
	OK(damaged("mkdir 99x ../nothing ../0 ../007") == -1 && damaged("mkdir ../nothing ../0 ../007") == 4,
	   "names of nobody's beside the turns are no turns");
}

/* Runs a turn in a child whose call number N is its last, or fails; the status. */
static int struck(int how, int n)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		struct session_turn t;
		struct session s;

		if (open_it(&s, SESSION_TURN) < 0 || session_begin(&s, &t, &e) < 0 || fill(&s, &t) < 0)
			_exit(9);
		step = n;
		fate = how;
		int rc = session_commit(&s, &t, &facts, "{}", 2, &e);
		bool reached = step <= 0;
		fate = NOTHING;
		session_drop(&s, &t);
		session_close(&s);
		_exit(!reached ? 3 : rc == 0 ? 0 : e.kind == ERR_SESSION && strstr(e.msg, "disk is full") ? 1 : 2);
	}
	return waitpid(pid, &status, 0) < 0 ? -1 : status;
}

static void stops(void)
{
	int before = now(), n, bad = 0, kept = 0;

	for (n = 1; n < 200; n++) {
		int status = struck(DIE, n);

		if (WIFEXITED(status))
			break;
		int after = now();
		bad += after != before && after != before + 1;
		kept += after == before + 1;
		before = after;
	}
	printf("# %d steps, %d times saved\n", n - 1, kept);
	OK(n > 10 && n < 200 && bad == 0 && kept > 0 && kept < n - 1, "killed at any step, a session is old or new");
	OK(turn(2) == 0, "and goes on");
	before = now();
	for (n = 1, bad = 0, kept = 0; n < 200; n++) {
		int status = struck(FULL, n), after = now();

		if (WIFEXITED(status) && WEXITSTATUS(status) == 3)
			break;
		bool saved = status == 0;
		if (after != before + saved || (!saved && WEXITSTATUS(status) != 1)) {
			printf("# step %d: status %x, turn %d after %d\n", n, status, after, before);
			bad++;
		}
		before = after;
	}
	OK(n > 10 && n < 200 && bad == 0, "a full disk at any step is told, and the session as before");
	before = now();
	no_room = true;
	OK(turn(2) < 0 && strstr(e.msg, "the disk is full"), "nor is a turn saved where no block is free");
	no_room = false;
	OK(now() == before && turn(2) == 0 && now() == before + 1, "and goes on where one is");
}

/* Runs in a process that may do no more than the command may. */
static void shut(void)
{
	struct session_turn t;
	struct session s;
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		if (open_it(&s, SESSION_TURN) < 0 || session_begin(&s, &t, &e) < 0 || fill(&s, &t) < 0)
			_exit(9);
		struct confine_place place = { s.dir, CONFINE_READ | CONFINE_WRITE | CONFINE_TIDY };
		struct confine c = { .who = CONFINE_COMMAND, .place = &place, .places = 1 };

		if (confine(&c, &e) < 0)
			_exit(8);
		_exit(session_commit(&s, &t, &facts, "{}", 1, &e) < 0 ? 7 : 0);
	}
	int n = now();
	(void)waitpid(pid, &status, 0);
	OK(status == 0 && now() == n + 1 && !is_there("2"), "a confined process saves a turn");
	pid = fork();
	if (pid == 0) {
		if (open_it(&s, SESSION_TURN) < 0 || session_begin(&s, &t, &e) < 0 || fill(&s, &t) < 0)
			_exit(9);
		struct confine_place place = { s.dir, CONFINE_READ | CONFINE_WRITE | CONFINE_TIDY };
		struct confine c = { .who = CONFINE_COMMAND, .place = &place, .places = 1 };

		if (confine(&c, &e) < 0)
			_exit(8);
		session_drop(&s, &t);
		_exit(faccessat(s.dir, ".", F_OK, 0) == 77);
	}
	n = now();
	(void)waitpid(pid, &status, 0);
	char part[32];
	snprintf(part, sizeof(part), "%d.part", n + 1);
	OK(status == 0 && now() == n && !is_there(part), "and drops one");
}

static void locks(void)
{
	struct session s, other;
	int pair[2];

	OK(open_it(&s, SESSION_CHANGE) == 0, "one has the lock");
	OK(session_open(&other, folder, "x", SESSION_CHANGE, 30, -1, &e) < 0 && e.kind == ERR_BUSY &&
	   strstr(e.msg, "process ") && strstr(e.msg, "30 ms"), "another waits, then says who has it");
	OK(session_open(&other, folder, "x", SESSION_LOOK, 0, -1, &e) == 0, "who only looks does not");
	session_close(&other);
	OK(pipe(pair) == 0 && syscall(SYS_write, pair[1], "x", 1) == 1, "a signal");
	int64_t then = clock_now_us();
	OK(session_open(&other, folder, "x", SESSION_CHANGE, NUM_NONE, pair[0], &e) < 0 && e.kind == ERR_BUSY &&
	   clock_now_us() - then < 5000000, "a signal ends the wait");
	session_close(&s);
	OK(session_open(&s, folder, "new", SESSION_CHANGE, 0, -1, &e) < 0 && e.kind == ERR_NOT_FOUND, "none is made to look");
	OK(session_open(&s, folder, "new", SESSION_TURN, 0, -1, &e) == 0 && s.turn == 0, "but for a turn");
	session_close(&s);
	OK(session_open(&s, folder, "new", SESSION_LOOK, 0, -1, &e) < 0 && e.kind == ERR_NOT_FOUND,
	   "and removed where it came to nothing");
	(void)close(pair[0]);
	(void)close(pair[1]);
}

static void names(void)
{
	static const char *const bad[] = { "", ".", "..", ".x", "-x", "a/b", "a b", "\033[2J", "ä",
		"12345678901234567890123456789012345678901234567890123456789012345" };
	size_t i = 0;
	struct session s;

	while (i < sizeof(bad) / sizeof(*bad) && session_check_name("session", bad[i], &e) < 0 && e.kind == ERR_USAGE &&
	       session_open(&s, folder, bad[i], SESSION_TURN, 0, -1, &e) < 0)
		i++;
	OK(i == sizeof(bad) / sizeof(*bad), "bad names");
	OK(session_check_name("session", "a.b-c_9", &e) == 0 && session_check_name("session",
	   "1234567890123456789012345678901234567890123456789012345678901234", &e) == 0, "good names");
	OK(chmod(folder, 0777) == 0 && session_folder(folder, false, folder, &e) < 0 && e.kind == ERR_SESSION &&
	   strstr(e.msg, "chmod go-w"), "a folder that others can write");
	OK(open_it(&s, SESSION_LOOK) < 0 && e.kind == ERR_SESSION, "has no sessions");
	(void)chmod(folder, 0700);
}

static void sums(void)
{
	uint64_t a = 0, b = 1, c = 2;
	char zeros[1 << 17] = "";
	AUTO_FD dense = open("dense", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	AUTO_FD holes = open("holes", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	OK(fd_write_all(dense, zeros, sizeof(zeros)) == 0 && fd_write_all(dense, "end", 3) == 0 &&
	   ftruncate(dense, 1 << 18) == 0 && pwrite(holes, "end", 3, sizeof(zeros)) == 3 && ftruncate(holes, 1 << 18) == 0 &&
	   sum_file(dense, 1 << 18, &a) == 0 && sum_file(holes, 1 << 18, &b) == 0 && a == b,
	   "zeros and a hole have one sum");
	OK(pwrite(holes, "end", 3, sizeof(zeros) - 65536) == 3 && sum_file(holes, 1 << 18, &b) == 0 && a != b,
	   "not so a block elsewhere");
	OK(ftruncate(dense, 0) == 0 && ftruncate(dense, 10) == 0 && sum_file(dense, 10, &a) == 0 &&
	   ftruncate(dense, 11) == 0 && sum_file(dense, 11, &b) == 0 && a != b, "nor another size");
	OK(sum_file(dense, 12, &c) < 0 || c != b, "nor one that is shorter than it was");
	int64_t then = clock_now_us();
	OK(ftruncate(holes, 1 << 30) == 0 && sum_file(holes, 1 << 30, &a) == 0 && clock_now_us() - then < 1000000,
	   "a gigabyte of holes costs nothing");
	printf("# %lld us\n", (long long)(clock_now_us() - then));
}

int main(void)
{
	snprintf(top, sizeof(top), "%s/pai-session.XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	if (!mkdtemp(top) || chdir(top) < 0)
		return 1;
	snprintf(folder, sizeof(folder), "%.4000s/sessions", top);
	walk();
	damage();
	stops();
	shut();
	locks();
	names();
	sums();
	(void)!chdir("/");
	char line[PATH_MAX + 32];
	snprintf(line, sizeof(line), "rm -rf '%s'", top);
	OK(system(line) == 0, "the end");
	return TAP_DONE();
}
