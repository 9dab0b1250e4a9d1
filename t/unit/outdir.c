/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"
#include "out/outdir.h"
#include "tap.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct outdir d;
static struct plan plan;
static struct err e;

static int open_out(const char *path)
{
	plan.output_dir = (char *)(uintptr_t)path;
	plan.format = FORMAT_JSON;	/* sha256 is wanted */
	int rc = outdir_open(&d, &plan, &e);

	d.asked = true;
	return rc;
}

static int put(const char *path, const char *text, unsigned mode)
{
	struct msg_file m = { .type = MSG_REGULAR, .mode = (uint16_t)mode, .size = strlen(text),
			      .path = path, .target = "" };

	return outdir_file(&d, &m, &e) < 0 ||
	       (*text && outdir_data(&d, (const uint8_t *)text, strlen(text), &e) < 0) ||
	       outdir_end(&d, &e) < 0;
}

static int holds(const char *path, const char *text)
{
	char got[64] = "";
	AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd >= 0 && read(fd, got, sizeof(got) - 1) == (ssize_t)strlen(text) && !strcmp(got, text);
}

static void hostile(void)
{
	struct msg_file m = { .type = MSG_REGULAR, .mode = 0644, .size = 3, .path = "h", .target = "" };

	OK(outdir_file(&d, &m, &e) == 0 && outdir_data(&d, (const uint8_t *)"1234", 4, &e) < 0 &&
	   e.kind == ERR_GUEST, "more bytes than announced are refused");
	outdir_close(&d);
	OK(access("out/h", F_OK) < 0, "a file that is not whole does not appear");
	(void)open_out("out");
	OK(outdir_file(&d, &m, &e) == 0 && outdir_end(&d, &e) < 0, "fewer bytes than announced too");
	outdir_close(&d);
	(void)open_out("out");
	OK(outdir_file(&d, &m, &e) == 0 && outdir_file(&d, &m, &e) < 0, "a file inside a file");
	outdir_close(&d);
	(void)open_out("out");
	m.type = MSG_LINK, m.target = "/etc/passwd";
	OK(outdir_file(&d, &m, &e) < 0 && e.kind == ERR_GUEST, "a link is never made");
	OK(outdir_data(&d, (const uint8_t *)"x", 1, &e) < 0, "bytes of no file");
}

static void links(void)
{
	(void)!mkdir("victim", 0755);
	(void)!symlink("../victim", "out/dir");
	(void)!symlink("../victim/file", "out/file");
	OK(put("dir/x", "evil", 0644) == 0 && d.losses == 1 && access("victim/x", F_OK) < 0,
	   "a planted link to a folder is not followed, and told");
	OK(strstr(d.lost.msg, "'dir/x' not kept") != NULL, "with its name");
	OK(put("file", "whole", 0644) == 0 && access("victim/file", F_OK) < 0 && holds("out/file", "whole"),
	   "a planted link to a file is replaced, not written through");
}

/* What an honest guest keeps to, the host holds to as well. */
static void limits(void)
{
	struct msg_file m = { .type = MSG_FOLDER, .path = "f", .target = "" };
	static char csv[] = "*.csv", *globs[] = { csv, NULL };

	plan.limit[LIMIT_MAX_FILES] = 2;
	(void)open_out("out");
	OK(outdir_file(&d, &m, &e) == 0 && outdir_file(&d, &m, &e) == 0 && outdir_file(&d, &m, &e) < 0 &&
	   e.kind == ERR_GUEST, "more files than were allowed are refused");
	outdir_close(&d);
	plan.limit[LIMIT_MAX_OUTPUT] = 3;
	(void)open_out("out");
	OK(put("l", "123", 0644) == 0 && put("l", "1", 0644) && e.kind == ERR_GUEST, "more bytes too");
	outdir_close(&d);
	(void)open_out("out");
	m.type = MSG_REGULAR, m.size = INT64_MAX;
	OK(outdir_file(&d, &m, &e) < 0 && e.kind == ERR_GUEST, "and an exabyte");
	outdir_close(&d);
	plan.limit[LIMIT_MAX_FILES] = plan.limit[LIMIT_MAX_OUTPUT] = 1000;
	plan.include = (struct strv){ globs, 1 };
	(void)open_out("out");
	OK(put("i.csv", "1", 0644) == 0 && put("i.txt", "1", 0644) && e.kind == ERR_GUEST &&
	   access("out/i.txt", F_OK) < 0, "what was not included is refused");
	outdir_close(&d);
	plan.include = (struct strv){ 0 };
	plan.no_clobber = true;
	(void)open_out("out");
	OK(put("i.csv", "2", 0644) == 0 && d.losses == 1 && holds("out/i.csv", "1") &&
	   !strcmp(d.skip[0].reason, "exists"), "--no-clobber keeps what is there, and tells");
	outdir_close(&d);
	plan.no_clobber = false;
}

static void odd_names(void)
{
	char deep[200] = "";

	(void)open_out("out");
	for (int i = 0; i <= MSG_DEPTH_MAX; i++)
		strcat(deep, "d/");
	OK(put(strcat(deep, "f"), "x", 0644) && e.kind == ERR_GUEST && access("out/d", F_OK) < 0,
	   "a file in too many folders is refused");
	outdir_close(&d);
	(void)open_out("out");
	d.asked = false;
	OK(put("f", "x", 0644) && e.kind == ERR_GUEST, "and one that nobody asked for");
	outdir_close(&d);
}

static void sweeps(void)
{
	int held = open("out/.pai-exec.0000000000000001", O_CREAT | O_WRONLY, 0600);
	int dead = open("out/.pai-exec.0000000000000002", O_CREAT | O_WRONLY, 0600);

	(void)close(dead);
	(void)flock(held, LOCK_EX);
	outdir_close(&d);
	(void)open_out("out");
	OK(access("out/.pai-exec.0000000000000002", F_OK) < 0, "what a killed run left is removed");
	OK(access("out/.pai-exec.0000000000000001", F_OK) == 0, "what a live run holds is not");
	(void)close(held);
	(void)unlink("out/.pai-exec.0000000000000001");
}

static int open_session(void)
{
	(void)open_out("out");
	AUTO_FD dir = open("mirror", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return outdir_open_mirror(&d, dir, 1000, &e);
}

static int put_as(const char *path, enum msg_type type, enum msg_place place, const char *text, size_t says)
{
	struct msg_file m = { .type = (uint8_t)type, .place = (uint8_t)place, .mode = 0755, .path = path,
			      .size = says, .mtime = 1000000000, .target = "" };

	if (outdir_file(&d, &m, &e) < 0)
		return -1;
	if (type == MSG_FOLDER)
		return 0;
	return (*text && outdir_data(&d, (const uint8_t *)text, strlen(text), &e) < 0) ? -1 : outdir_end(&d, &e);
}

static int gone(const char *path)
{
	uint8_t body[100];
	struct packer p = { .at = body, .cap = sizeof(body) };

	pack_bytes(&p, path, strlen(path));
	const struct frame f = { MSG_GONE, (uint32_t)p.len, body };
	return outdir_gone(&d, &f, &e);
}

/* The mirror of a session's /workspace; "old" has an older turn's names of the files. */
static void mirror(void)
{
	static char csv[] = "*.csv", *globs[] = { csv, NULL };
	struct stat st;

	(void)!mkdir("mirror", 0700), (void)!mkdir("old", 0700);
	OK(open_session() == 0 && put("m.csv", "one", 0644) == 0 && holds("mirror/m.csv", "one") &&
	   holds("out/m.csv", "one"), "a session's file is mirrored, and kept");
	OK(put_as("s/t.csv", MSG_REGULAR, MSG_IN_WORKSPACE, "2", 1) == 0 && stat("mirror/s/t.csv", &st) == 0 &&
	   (st.st_mode & 07777) == 0755 && st.st_mtime == 1000000000, "its time and plain mode");
	OK(put_as("i.py", MSG_REGULAR, MSG_AS_INPUT, "in", 2) == 0 && holds("mirror/i.py", "in") &&
	   access("out/i.py", F_OK) < 0 && d.files == 2, "an input is mirrored alone");
	OK(link("mirror/m.csv", "old/m.csv") == 0 && link("mirror/s/t.csv", "old/t.csv") == 0, "the turn is over");
	plan.include = (struct strv){ globs, 1 };
	outdir_close(&d);
	OK(open_session() == 0 && put("m.csv", "other", 0644) == 0 && put("s/t.csv", "two", 0644) == 0 &&
	   holds("mirror/m.csv", "other") && holds("old/m.csv", "one") && holds("old/t.csv", "2") &&
	   stat("old/t.csv", &st) == 0 && (st.st_mode & 07777) == 0755, "an older turn's files stay as they were");
	OK(put("n.txt", "n", 0644) == 0 && holds("mirror/n.txt", "n") && access("out/n.txt", F_OK) < 0 &&
	   d.skips == 0, "what the user does not want is mirrored alone, in silence");
	plan.include = (struct strv){ 0 };
	OK(gone("m.csv") == 0 && access("mirror/m.csv", F_OK) < 0 && holds("old/m.csv", "one"), "what went goes");
	OK(gone("s") == 0 && access("mirror/s", F_OK) < 0 && holds("old/t.csv", "two") == 0, "a folder with all in it");
	OK(gone("never/was") == 0 && !d.mirror.lost.kind, "what was not there is gone too");
	OK(put("s", "a file", 0644) == 0 && holds("mirror/s", "a file"), "a file takes the place of a folder that went");
	OK(put("e", "x", 0644) == 0 && gone("../victim") < 0 && e.kind == ERR_GUEST && gone("/tmp") < 0,
	   "nothing outside can go");
	outdir_close(&d);
	(void)open_out("out");
	OK(gone("e") < 0 && e.kind == ERR_GUEST && put_as("p", MSG_REGULAR, MSG_AS_INPUT, "", 0) < 0 &&
	   e.kind == ERR_GUEST, "without a session neither may come");
	outdir_close(&d);
}

static void mirror_traps(void)
{
	struct msg_file m = { .type = MSG_REGULAR, .path = "x", .size = 100, .target = "" };

	(void)!mkdir("victim/d", 0755), (void)!symlink("../victim", "mirror/link");
	(void)!symlink("../../victim", "mirror/t"), (void)!mkdir("mirror/tree", 0755);
	(void)!symlink("../../victim", "mirror/tree/link");
	(void)open_session();
	OK(gone("link/d") == 0 && gone("tree") == 0 && access("mirror/tree", F_OK) < 0 && gone("link") == 0 &&
	   access("victim/d", F_OK) == 0 && access("mirror/link", F_OK) < 0, "a planted link is removed, not followed");
	OK(put("t/f", "x", 0644) == 0 && access("victim/f", F_OK) < 0 && d.mirror.lost.kind == ERR_SESSION &&
	   holds("out/t/f", "x") && d.losses == 0, "nor written through: the mirror is lost, what is kept is not");
	OK(put("after", "x", 0644) == 0 && access("mirror/after", F_OK) < 0 && holds("out/after", "x"),
	   "and the run goes on");
	outdir_close(&d);
	(void)!unlink("mirror/t");
	(void)open_session();
	OK(put_as("short", MSG_REGULAR, MSG_IN_WORKSPACE, "abc", 9) == 0 && holds("mirror/short", "abc") &&
	   holds("out/short", "abc") && d.file[0].size == 3, "a file that shrank on its way ends early");
	OK(put_as("big", MSG_REGULAR, MSG_AS_INPUT, "", 992) < 0 && e.kind == ERR_GUEST, "no more bytes than the disk has");
	outdir_close(&d);
	(void)open_session();
	OK(outdir_file(&d, &m, &e) == 0 && gone("after") < 0 && e.kind == ERR_GUEST, "nothing goes within a file");
	outdir_close(&d);
	OK(access("mirror/x", F_OK) < 0 && access("out/x", F_OK) < 0, "which does not appear");
}

/* What a guest leaves out without a session, the host does in one. */
static void mirror_limits(void)
{
	plan.limit[LIMIT_MAX_FILES] = 2;
	plan.limit[LIMIT_MAX_OUTPUT] = 5;
	(void)open_session();
	OK(put("1", "123456", 0644) == 0 && put("2", "12", 0644) == 0 && put("3", "1", 0644) == 0 &&
	   put("4", "1", 0644) == 0 && put("5", "1", 0644) == 0, "more than is kept may come in a session");
	OK(holds("mirror/1", "123456") && holds("mirror/5", "1") && holds("out/3", "1") && access("out/1", F_OK) < 0 &&
	   access("out/4", F_OK) < 0, "all is mirrored, a part is kept");
	OK(d.skips == 2 && !strcmp(d.skip[0].path, "1") && !strcmp(d.skip[0].reason, "too_big") &&
	   !strcmp(d.skip[1].path, "4") && !strcmp(d.skip[1].reason, "too_many") && d.losses == 2 &&
	   !strcmp(d.lost.msg, "'1' not kept: limit --max-output=5"), "and what is not is told as ever");
	outdir_close(&d);
	plan.limit[LIMIT_MAX_FILES] = plan.limit[LIMIT_MAX_OUTPUT] = 1000;
}

static void tell(const char *path, const char *text)
{
	AUTO_FD fd = open(path, O_WRONLY | O_CLOEXEC);

	(void)!write(fd, text, strlen(text));
}

/* A file system of our own, as root of a namespace if need be. */
static bool mount_small(const char *path)
{
	char user[40], group[40];

	if (mount("none", path, "tmpfs", 0, "size=8k") == 0)
		return true;
	snprintf(user, sizeof(user), "0 %u 1", (unsigned)geteuid());
	snprintf(group, sizeof(group), "0 %u 1", (unsigned)getegid());
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
		return false;
	tell("/proc/self/setgroups", "deny");
	tell("/proc/self/uid_map", user);
	tell("/proc/self/gid_map", group);
	return mount("none", path, "tmpfs", 0, "size=8k") == 0;
}

/* Where a user cannot mount one: aloud. */
static void mirror_full(void)
{
	static char much[64 << 10];

	if (!mount_small("mirror")) {
		printf("ok %d # SKIP no small file system can be mounted here\n", ++tap_count);
		return;
	}
	memset(much, 'x', sizeof(much) - 1);
	(void)open_session();
	d.mirror.most = plan.limit[LIMIT_MAX_OUTPUT] = 1 << 20;
	OK(put("much", much, 0644) == 0 && d.mirror.lost.kind == ERR_SESSION && strstr(d.mirror.lost.msg, "No space left") &&
	   access("mirror/much", F_OK) < 0 && d.losses == 0 && d.files == 1, "a mirror that is full is lost, what is kept is not");
	outdir_close(&d);
	(void)umount2("mirror", MNT_DETACH);
}

/* A tar whose reader takes a little at a time, cut short while much of it waits. */
static void cut_for_slow_reader(void)
{
	static uint8_t much[512 << 10];
	struct msg_file m = { .type = MSG_REGULAR, .size = 2 * sizeof(much), .path = "f", .target = "" };
	int out = dup(STDOUT_FILENO), way[2];

	(void)fflush(stdout);
	if (out < 0 || pipe2(way, O_CLOEXEC) < 0 || dup2(way[1], STDOUT_FILENO) < 0)
		return;
	pid_t reader = fork();
	if (reader == 0) {
		(void)close(STDOUT_FILENO);
		(void)close(way[1]);
		while (read(way[0], much, 4096) > 0)
			(void)poll(NULL, 0, 100);
		_exit(0);
	}
	plan.limit[LIMIT_MAX_OUTPUT] = m.size;
	plan.tar_out = true;
	(void)open_out("-");
	int rc = outdir_file(&d, &m, &e) < 0 ? -1 : outdir_data(&d, much, sizeof(much), &e);
	int64_t begin = clock_now_us();
	outdir_end_all(&d);
	int64_t took = clock_now_us() - begin;
	outdir_close(&d);
	plan.tar_out = false;
	(void)dup2(out, STDOUT_FILENO);
	(void)close(out), (void)close(way[0]), (void)close(way[1]);
	OK(reader > 0 && rc == 0 && took < 1500000, "the reader of a tar that is cut has half a second for all of it");
	(void)kill(reader, SIGKILL);
	(void)waitpid(reader, NULL, 0);
}

int main(void)
{
	char dir[] = "/tmp/pai-unit-XXXXXX";
	struct stat st;

	if (!mkdtemp(dir) || chdir(dir) < 0)
		return 1;
	umask(022);
	plan_init(&plan);
	OK(open_out("out") == 0, "DIR is made");
	OK(put("a/b/c.txt", "text", 0600) == 0 && holds("out/a/b/c.txt", "text"), "folders are made");
	OK(put("a/b/c.txt", "new", 0600) == 0 && holds("out/a/b/c.txt", "new"), "a file is replaced");
	OK(put("t.sh", "#", 0755) == 0 && stat("out/t.sh", &st) == 0 && (st.st_mode & 07777) == 0755,
	   "an executable stays one");
	OK(put("n", "", 0) == 0 && stat("out/n", &st) == 0 && (st.st_mode & 07777) == 0600,
	   "a shut file can be read by its owner");
	OK(put("a", "x", 0644) == 0 && d.losses == 1, "a file in the place of a folder is lost, and told");
	OK(d.file[0].size == 4 && !strcmp(d.file[0].sha256,
	   "982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1"), "its sha256");
	outdir_close(&d);
	umask(0777);
	OK(open_out("own") == 0 && put("d/f", "x", 0644) == 0 && stat("own/d", &st) == 0 && (st.st_mode & 07777) == 0700 &&
	   umask(022) == 0777, "a folder can be gone on in, whatever the umask is");
	outdir_close(&d);
	(void)open_out("out");
	links();
	hostile();
	limits();
	odd_names();
	(void)open_out("out");
	sweeps();
	mirror();
	mirror_traps();
	mirror_limits();
	mirror_full();
	cut_for_slow_reader();
	OK(open_out("no/such/place") < 0 &&
	   !strcmp(e.msg, "'no/such/place': there is no folder 'no/such' to make it in; mkdir -p makes both"), "DIR without a parent");
	OK(open_out("out/n") < 0, "DIR that is a file");
	(void)!chdir("/");
	char cmd[64];
	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	return system(cmd) != 0 || TAP_DONE();
}
