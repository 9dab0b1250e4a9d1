/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup - see cgroup.h */
#include "host/cgroup.h"

#include "base/clock.h"
#include "base/fd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX "pai-exec-"
#define CPU_PERIOD_US 100000u
#define PLACE_PATH 1100
#define LEAF_TRIES 8		/* that other runs' sweeps may spoil */

/* The controllers that we use, each of which has a hierarchy in v1; v2 has one for all. */
enum { C_MEMORY, C_CPU, C_PIDS, CONTROLLERS, V2 = CONTROLLERS, HIERARCHIES };
static const char *const names[CONTROLLERS] = { "memory", "cpu", "pids" };

/* A hierarchy: where it is mounted, and our own cgroup in it; "": nowhere. */
struct place {
	char mount[512], path[512];
};

static int write_at(int dir, const char *file, uint64_t value, const char *after)
{
	char text[64];
	int n = snprintf(text, sizeof(text), "%" PRIu64 "%s", value, after);
	AUTO_FD fd = openat(dir, file, O_WRONLY | O_CLOEXEC);

	return fd >= 0 && write(fd, text, (size_t)n) == n ? 0 : -1;
}

/* True if the comma list LIST holds NAME. */
static bool has_word(const char *list, const char *name)
{
	size_t n = strlen(name);

	for (const char *p = list; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
		if (!strncmp(p, name, n) && (p[n] == ',' || !p[n]))
			return true;
	return false;
}

/* True if PATH, of a cgroup, is beneath the mount: one from outside of our cgroup
 * namespace begins with "/..". */
static bool is_beneath(const char *path)
{
	size_t n = strlen(path);

	return *path == '/' && !strstr(path, "/../") && (n < 3 || strcmp(path + n - 3, "/.."));
}

/* Fills the paths of AT. */
static void find_paths(struct place at[HIERARCHIES])
{
	FILE *f = fopen("/proc/self/cgroup", "re");
	char *line = NULL;
	size_t room = 0;
	bool found[HIERARCHIES] = { false };

	while (f && getline(&line, &room, f) > 0) {
		char *list = strchr(line, ':'), *path = list ? strchr(list + 1, ':') : NULL;

		if (!path)
			continue;
		*path++ = 0;
		path[strcspn(path, "\n")] = 0;
		for (int h = 0; h < HIERARCHIES; h++) {
			if (found[h] || !(h < V2 ? has_word(list + 1, names[h]) : !list[1]))
				continue;
			found[h] = true;
			if (is_beneath(path) && strlen(path) < sizeof(at[h].path))
				strcpy(at[h].path, path);
		}
	}
	free(line);
	if (f)
		fclose(f);
}

/* Fills the mounts of AT. */
static void find_mounts(struct place at[HIERARCHIES])
{
	FILE *f = fopen("/proc/self/mounts", "re");
	char *line = NULL;	/* an overlay's can have thousands of bytes */
	size_t room = 0;

	while (f && getline(&line, &room, f) > 0) {
		char dir[512], type[64], options[512];

		if (sscanf(line, "%*s %511s %63s %511s", dir, type, options) != 3)
			continue;
		for (int h = 0; h < HIERARCHIES; h++)
			if (!*at[h].mount && (h < V2 ? !strcmp(type, "cgroup") && has_word(options, names[h])
						     : !strcmp(type, "cgroup2")))
				strcpy(at[h].mount, dir);
	}
	free(line);
	if (f)
		fclose(f);
}

/* Removes what runs that were killed have left beneath PARENT. */
static void sweep(int parent)
{
	int fd = openat(parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	for (struct dirent *at; d && (at = readdir(d));) {
		if (strncmp(at->d_name, PREFIX, strlen(PREFIX)))
			continue;
		AUTO_FD dir = openat(parent, at->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (dir >= 0 && flock(dir, LOCK_EX | LOCK_NB) == 0)
			(void)unlinkat(parent, at->d_name, AT_REMOVEDIR);	/* EBUSY: later */
	}
	if (d)
		closedir(d);
}

static void drop_last(struct cgroup *cg)
{
	struct cgroup_leaf *leaf = &cg->leaf[cg->n - 1];

	if (leaf->dir >= 0)
		(void)unlinkat(leaf->parent, leaf->name, AT_REMOVEDIR);	/* else the next run does */
	fd_closep(&leaf->procs);
	fd_closep(&leaf->dir);
	fd_closep(&leaf->parent);
	cg->n--;
}

/* True if the leaf is still there: once we hold its lock no sweep takes it, but
 * one may have done so between our mkdir and our flock. */
static bool still_there(const struct cgroup_leaf *leaf)
{
	struct stat ours, named;

	return fstat(leaf->dir, &ours) == 0 &&
	       fstatat(leaf->parent, leaf->name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
	       ours.st_ino == named.st_ino;
}

static int try_leaf(struct cgroup *cg, const char *parent_path)
{
	struct cgroup_leaf *leaf = &cg->leaf[cg->n];
	uint64_t id;

	*leaf = (struct cgroup_leaf){ -1, -1, -1, "" };
	if (getrandom(&id, sizeof(id), 0) != sizeof(id))
		return -1;
	snprintf(leaf->name, sizeof(leaf->name), PREFIX "%016" PRIx64, id);
	leaf->parent = open(parent_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (leaf->parent < 0)
		return -1;
	sweep(leaf->parent);
	if (mkdirat(leaf->parent, leaf->name, 0755) < 0) {
		fd_closep(&leaf->parent);
		return -1;
	}
	cg->n++;
	leaf->dir = openat(leaf->parent, leaf->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* v1's "tasks" moves one thread, and we have only one: "cgroup.procs" waits
	 * for all processors to have left every fork, some 8 ms */
	leaf->procs = openat(leaf->dir, "tasks", O_WRONLY | O_CLOEXEC);
	if (leaf->procs < 0)
		leaf->procs = openat(leaf->dir, "cgroup.procs", O_WRONLY | O_CLOEXEC);
	if (leaf->dir >= 0 && leaf->procs >= 0 && flock(leaf->dir, LOCK_EX | LOCK_NB) == 0 &&
	    still_there(leaf))
		return 0;
	int again = errno == EWOULDBLOCK || errno == ENOENT || errno == ENODEV;
	drop_last(cg);
	return again ? 1 : -1;
}

static int make_leaf(struct cgroup *cg, const char *parent_path)
{
	int rc = 1;

	for (int i = 0; rc > 0 && i < LEAF_TRIES; i++)
		rc = try_leaf(cg, parent_path);
	return rc == 0 ? 0 : -1;
}

/* Sees whether the quota can be held, and leaves it open for now. */
static void set_quota(struct cgroup *cg, const char *file, const char *none)
{
	size_t n = strlen(cg->quota), m = strlen(none);

	fd_closep(&cg->cpu_fd);
	cg->no_quota = none;
	cg->cpu_fd = openat(cg->leaf[cg->n - 1].dir, file, O_WRONLY | O_CLOEXEC);
	cg->cpu = cg->cpu_fd >= 0 && write(cg->cpu_fd, cg->quota, n) == (ssize_t)n &&
		  write(cg->cpu_fd, none, m) == (ssize_t)m;
}

static void set_v1(struct cgroup *cg, int controller, const struct cgroup_limits *want)
{
	int dir = cg->leaf[cg->n - 1].dir;

	switch (controller) {
	case C_MEMORY:
		cg->memory = write_at(dir, "memory.limit_in_bytes", want->memory_bytes, "") == 0;
		/* absent without swap accounting: then there is no swap to bound */
		(void)write_at(dir, "memory.memsw.limit_in_bytes", want->memory_bytes, "");
		cg->oom_fd = openat(dir, "memory.oom_control", O_RDONLY | O_CLOEXEC);
		cg->max_fd[0] = openat(dir, "memory.memsw.limit_in_bytes", O_WRONLY | O_CLOEXEC);
		cg->max_fd[1] = openat(dir, "memory.limit_in_bytes", O_WRONLY | O_CLOEXEC);
		break;
	case C_CPU:
		snprintf(cg->quota, sizeof(cg->quota), "%" PRIu64, want->cpus * CPU_PERIOD_US);
		if (write_at(dir, "cpu.cfs_period_us", CPU_PERIOD_US, "") == 0)
			set_quota(cg, "cpu.cfs_quota_us", "-1");
		break;
	default:
		cg->pids = write_at(dir, "pids.max", want->host_pids, "") == 0;
		break;
	}
}

static void set_v2(struct cgroup *cg, const struct cgroup_limits *want)
{
	int dir = cg->leaf[cg->n - 1].dir;

	if (!cg->memory && write_at(dir, "memory.max", want->memory_bytes, "") == 0) {
		cg->memory = true;
		(void)write_at(dir, "memory.swap.max", 0, "");	/* absent without swap */
		/* or the first kill would take only a part of the sandbox */
		(void)write_at(dir, "memory.oom.group", 1, "");
		cg->oom_fd = openat(dir, "memory.events", O_RDONLY | O_CLOEXEC);
		cg->max_fd[0] = openat(dir, "memory.max", O_WRONLY | O_CLOEXEC);
	}
	if (!cg->cpu) {
		snprintf(cg->quota, sizeof(cg->quota), "%" PRIu64 " %u", want->cpus * CPU_PERIOD_US,
			 CPU_PERIOD_US);
		set_quota(cg, "cpu.max", "max");
	}
	if (!cg->pids)
		cg->pids = write_at(dir, "pids.max", want->host_pids, "") == 0;
}

/* In v2 a leaf may lie beneath our own cgroup only if that has no process of
 * its own; beneath the root it always may, for those who may write there. */
static void v2_places(const struct place *at, char path[2][PLACE_PATH])
{
	snprintf(path[0], PLACE_PATH, "%s%s", at->mount, at->path);
	snprintf(path[1], PLACE_PATH, "%s", at->mount);
}

/* A run that found v1 busy, went on to v2 and was killed there left a leaf where
 * others do not look. */
static void sweep_v2(const struct place *at)
{
	char path[2][PLACE_PATH];

	v2_places(at, path);
	for (int i = 0; i < 2; i++) {
		AUTO_FD dir = open(path[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		if (dir >= 0)
			sweep(dir);
	}
}

static void make_v2(struct cgroup *cg, const struct place *at, const struct cgroup_limits *want)
{
	char path[2][PLACE_PATH];

	v2_places(at, path);
	for (int i = 0; i < 2 && cg->n < CGROUP_LEAVES; i++) {
		int held = cg->memory + cg->cpu + cg->pids;

		if (make_leaf(cg, path[i]) < 0)
			continue;
		set_v2(cg, want);
		if (cg->memory + cg->cpu + cg->pids > held)
			return;
		drop_last(cg);
	}
}

void cgroup_make(struct cgroup *cg, const struct cgroup_limits *want)
{
	struct place at[HIERARCHIES] = { 0 };
	char path[PLACE_PATH];

	*cg = CGROUP_NONE;
	find_mounts(at);
	find_paths(at);
	for (int c = 0; c < CONTROLLERS; c++) {
		snprintf(path, sizeof(path), "%s%s", at[c].mount, at[c].path);
		if (*at[c].mount && *at[c].path && make_leaf(cg, path) == 0)
			set_v1(cg, c, want);
	}
	if (!*at[V2].mount || !*at[V2].path)
		return;
	if (cg->memory && cg->cpu && cg->pids)
		sweep_v2(&at[V2]);
	else
		make_v2(cg, &at[V2], want);
}

int cgroup_hold_cpus(const struct cgroup *cg, struct err *e)
{
	if (cg->cpu && pwrite(cg->cpu_fd, cg->quota, strlen(cg->quota), 0) < 0)
		return err_sys(e, ERR_HOST, "hold the limit of CPUs");
	return 0;
}

void cgroup_release(const struct cgroup *cg)
{
	/* both kernels' words for no limit; what one does not take it holds on to */
	for (size_t i = 0; i < sizeof(cg->max_fd) / sizeof(*cg->max_fd); i++)
		if (cg->max_fd[i] >= 0 && pwrite(cg->max_fd[i], "-1", 2, 0) < 0)
			(void)!pwrite(cg->max_fd[i], "max", 3, 0);
	if (cg->cpu)
		(void)!pwrite(cg->cpu_fd, cg->no_quota, strlen(cg->no_quota), 0);
}

int cgroup_enter(const struct cgroup *cg, struct err *e)
{
	for (int i = 0; i < cg->n; i++)
		if (write(cg->leaf[i].procs, "0", 1) != 1)
			return err_sys(e, ERR_HOST, "enter the cgroup %s", cg->leaf[i].name);
	return 0;
}

uint64_t cgroup_oom_kills(const struct cgroup *cg)
{
	char text[1024];
	ssize_t n = cg->oom_fd < 0 ? -1 : pread(cg->oom_fd, text, sizeof(text) - 1, 0);

	if (n <= 0)
		return 0;
	text[n] = 0;
	/* "oom_kill N" stands at the start of a line in v1 and v2 */
	for (char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
		if (!strncmp(line, "oom_kill ", 9))
			return strtoull(line + 9, NULL, 10);
	return 0;
}

void cgroup_drop(struct cgroup *cg)
{
	/* The last process leaves its cgroup a moment after it was reaped. */
	int64_t until = clock_now_us() + 1000000;

	for (; cg->n > 0; drop_last(cg)) {
		struct cgroup_leaf *leaf = &cg->leaf[cg->n - 1];

		while (leaf->dir >= 0 && unlinkat(leaf->parent, leaf->name, AT_REMOVEDIR) < 0 &&
		       errno == EBUSY && clock_now_us() < until)
			(void)poll(NULL, 0, 1);
	}
	fd_closep(&cg->oom_fd);
	fd_closep(&cg->cpu_fd);
	fd_closep(&cg->max_fd[0]);
	fd_closep(&cg->max_fd[1]);
}
