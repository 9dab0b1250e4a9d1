/* SPDX-License-Identifier: Apache-2.0 */
#include "out/outdir.h"
#include "tap.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
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
	(void)open_out("out");
	links();
	hostile();
	limits();
	odd_names();
	(void)open_out("out");
	sweeps();
	OK(open_out("no/such/place") < 0 &&
	   !strcmp(e.msg, "--output-dir: make 'no/such/place': No such file or directory"), "DIR without a parent");
	OK(open_out("out/n") < 0, "DIR that is a file");
	(void)!chdir("/");
	char cmd[64];
	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	return system(cmd) != 0 || TAP_DONE();
}
