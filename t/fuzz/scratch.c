/* SPDX-License-Identifier: Apache-2.0 */
/* scratch - see scratch.h */
#include "scratch.h"

#include "bytes.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEMP ".pai-exec."
#define DEPTH_MAX 400

static char base[64];
static pid_t owner;
static int planted;
static struct stat before;	/* of the canary */

static const char *const links[][2] = {
	{ "../victim", "out/dir" }, { "../victim/canary", "out/file" }, { "../victim/new", "out/link" },
	{ "../../victim", "out/sub/dir" }, { "../../victim/new", "out/sub/link" },
};

static void remove_all(int at, const char *name)
{
	int fd = unlinkat(at, name, 0) == 0 ? -1 : openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	for (struct dirent *e; d && (e = readdir(d));)
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			remove_all(dirfd(d), e->d_name);
	if (!d)
		return;
	closedir(d);
	(void)unlinkat(at, name, AT_REMOVEDIR);
}

static void leave(void)
{
	if (getpid() == owner && chdir("/") == 0)
		remove_all(AT_FDCWD, base);
}

void scratch_enter(void)
{
	int fd;

	if (owner)
		return;
	snprintf(base, sizeof(base), "/dev/shm/pai-fuzz-XXXXXX");
	if (!mkdtemp(base)) {
		snprintf(base, sizeof(base), "/tmp/pai-fuzz-XXXXXX");
		MUST(mkdtemp(base));
	}
	owner = getpid();
	atexit(leave);
	MUST(chdir(base) == 0 && mkdir("victim", 0755) == 0);
	umask(022);
	fd = open("victim/canary", O_WRONLY | O_CREAT | O_EXCL, 0644);
	MUST(fd >= 0 && write(fd, "canary", 6) == 6 && close(fd) == 0);
}

void scratch_plant(void)
{
	if (planted)
		return;
	scratch_enter();
	planted = 1;
	MUST(mkdir("out", 0755) == 0 && mkdir("out/sub", 0755) == 0);
	for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++)
		MUST(symlink(links[i][0], links[i][1]) == 0);
	MUST(mkfifo("out/fifo", 0644) == 0 && link("victim/canary", "out/hard") == 0 &&
	     link("victim/canary", "out/sub/hard") == 0);
	MUST(stat("victim/canary", &before) == 0);
}

static bool is_planted(const char *path)
{
	for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++)
		if (!strcmp(links[i][1], path))
			return true;
	return false;
}

static void check_entry(int at, const char *path, const char *name)
{
	struct stat st;

	MUST(fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) == 0);
	MUST(strncmp(path, "out/" TEMP, strlen("out/" TEMP)));
	if (S_ISLNK(st.st_mode))
		MUST(is_planted(path));
	else if (S_ISFIFO(st.st_mode))
		MUST(!strcmp(path, "out/fifo"));
	else
		MUST(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
	if (S_ISREG(st.st_mode) && st.st_ino != before.st_ino)
		MUST(st.st_nlink == 1 && !(st.st_mode & 07000) && (st.st_mode & 0600) == 0600);
}

static void check_all(int at, const char *path, const char *name, int depth)
{
	char below[4096];
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	for (struct dirent *e; d && (e = readdir(d)) && depth < DEPTH_MAX;) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		snprintf(below, sizeof(below), "%s/%s", path, e->d_name);
		check_entry(dirfd(d), below, e->d_name);
		check_all(dirfd(d), below, e->d_name, depth + 1);
	}
	if (d)
		closedir(d);
}

static size_t entries(const char *path)
{
	DIR *d = opendir(path);
	size_t n = 0;

	MUST(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

void scratch_check(void)
{
	struct stat st;

	check_all(AT_FDCWD, "out", "out", 0);
	MUST(entries(".") == 2 && entries("victim") == 1);
	MUST(stat("victim/canary", &st) == 0 && st.st_ino == before.st_ino && st.st_size == before.st_size &&
	     st.st_mode == before.st_mode && !memcmp(&st.st_mtim, &before.st_mtim, sizeof(st.st_mtim)));
}

void scratch_clean(void)
{
	remove_all(AT_FDCWD, "out");
	planted = 0;
}
