/* SPDX-License-Identifier: Apache-2.0 */
/* What we read of /proc and of cgroup files, whatever stands there: whole lines
 * count, a process's name may hold anything, and a cgroup is beneath its mount. */
#include "bytes.h"
#include "guest/guest.h"
#include "target.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static FILE *fake_fopen(const char *path, const char *mode);
static int fake_open(const char *path, int flags, ...);
static int fake_openat(int dir, const char *path, int flags, ...);

/* The readers themselves; every file that they open is the script. */
#define fopen fake_fopen
#define open(...) fake_open(__VA_ARGS__)
#define openat(...) fake_openat(__VA_ARGS__)
#include "backend/kvm.c"
#include "guest/kernel.c"
#include "guest/still.c"
#include "guest/world.c"
#include "host/cgroup.c"
#undef fopen
#undef open
#undef openat

#define TEXT_MAX 20000
#define COMM_MAX 64		/* of a process; the kernel gives its own threads so much */

static char text[TEXT_MAX + 1];

static int fake_open(const char *path, int flags, ...)
{
	int fd = memfd_create("file", MFD_CLOEXEC);

	(void)path;
	(void)flags;
	MUST(fd >= 0 && pwrite(fd, text, strlen(text), 0) == (ssize_t)strlen(text));
	return fd;
}

static int fake_openat(int dir, const char *path, int flags, ...)
{
	(void)dir;
	return fake_open(path, flags);
}

static FILE *fake_fopen(const char *path, const char *mode)
{
	(void)path;
	return fdopen(fake_open(path, 0), mode);
}

/* Not called; the rest of kernel.c wants it. */
int program_stdin(struct guest *g, struct err *e)
{
	(void)g;
	return err_set(e, ERR_HOST, "nobody is there");
}

/* The next line of *AT without its end, in OUT; false at the end. */
static bool next_line(const char **at, char *out)
{
	size_t n = strcspn(*at, "\n");

	if (!**at)
		return false;
	memcpy(out, *at, n);
	out[n] = 0;
	*at += n + ((*at)[n] == '\n');
	return true;
}

static bool is_in(const char *list, const char *word)
{
	char copy[TEXT_MAX + 1], *save = NULL;

	strcpy(copy, list);
	for (char *w = strtok_r(copy, ",", &save); w; w = strtok_r(NULL, ",", &save))
		if (!strcmp(w, word))
			return true;
	return false;
}

/* find_paths() once more, in the plainest way. */
static const char *path_by_line(const char *controller, char *line)
{
	for (const char *at = text; next_line(&at, line);) {
		char *list = strchr(line, ':'), *path = list ? strchr(list + 1, ':') : NULL;

		if (!path)
			continue;
		*path++ = 0;
		if (controller ? is_in(list + 1, controller) : !list[1])
			return path;
	}
	return NULL;
}

static void own_cgroup(void)
{
	static char line[TEXT_MAX + 1];
	struct place at[HIERARCHIES] = { 0 };

	find_paths(at);
	for (int h = 0; h < HIERARCHIES; h++) {
		const char *want = path_by_line(h < V2 ? names[h] : NULL, line), *got = at[h].path;

		if (!*got)
			continue;
		MUST(want && !strcmp(got, want) && *got == '/');
		for (const char *s = got; s; s = strchr(s + 1, '/'))
			MUST(strncmp(s, "/..", 3) || (s[3] != '/' && s[3]));
	}
}

static void mounted(void)
{
	static char line[TEXT_MAX + 1];
	struct place places[HIERARCHIES] = { 0 };

	find_mounts(places);
	for (int h = 0; h < HIERARCHIES; h++) {
		const char *got = places[h].mount;
		bool there = false;

		if (!*got)
			continue;
		for (const char *at = text; !there && next_line(&at, line);) {
			char *save = NULL, *dir = strtok_r(line, " \t\v\f\r", &save) ? strtok_r(NULL, " \t\v\f\r", &save) : NULL,
			     *type = dir ? strtok_r(NULL, " \t\v\f\r", &save) : NULL;

			there = type && !strcmp(dir, got) && !strcmp(type, h < V2 ? "cgroup" : "cgroup2");
		}
		MUST(there);
	}
}

static void kills(void)
{
	struct cgroup cg = { .oom_fd = fake_open("", 0) };
	uint64_t got = cgroup_oom_kills(&cg);
	bool begins = !strncmp(text, "oom_kill ", 9) || strstr(text, "\noom_kill ");

	MUST(got == 0 || begins);
	fd_closep(&cg.oom_fd);
}

/* A stat file with a name of any bytes: what stands behind it is found. */
static void times(struct bytes *b)
{
	struct guest g = { .pid = 7 };
	uint64_t user = bytes_number(b, 4), sys = bytes_number(b, 4), more = user / 2, tick = 1000000 / (uint64_t)sysconf(_SC_CLK_TCK);
	size_t n = bytes_one(b) % COMM_MAX;
	const uint8_t *comm = bytes_some(b, &n);

	snprintf(text, sizeof(text), "7 (%.*s) S 1 7 7 0 -1 4194304 99 0 0 0 %llu %llu %llu 0 20 0 1 0 9 9 9",
		 (int)n, (const char *)comm, (unsigned long long)user,
		 (unsigned long long)sys, (unsigned long long)more);
	kernel_begin(&g);
	MUST(g.spent_user_us == (user + more) * tick && g.spent_sys_us == sys * tick);
	MUST(state_of("stat") == 'S');
}

static void any_stat(void)
{
	struct guest g = { .pid = 7 };
	struct msg_ended m = { 0 };

	kernel_begin(&g);
	kernel_usage(&g, &m);
	MUST(m.user_us == 0 && m.sys_us == 0);
	(void)state_of("stat");
}

static void group_numbers(void)
{
	struct guest g = { .group = { -1, -1 }, .vm = true };
	uint64_t file = group_number(-1, "memory.stat", "file ");

	MUST(file == 0 || !strncmp(text, "file ", 5) || strstr(text, "\nfile "));
	(void)world_memory_used(&g);
	(void)world_cpu_ms(&g);
	MUST(!world_memory_struck(&g) || strstr(text, "oom_kill "));
}

static void cpu(void)
{
	struct err e;

	MUST(check_cpu(&e) < 0 || strstr(text, "vmx") || strstr(text, "svm"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const readers[])(void) = { own_cgroup, mounted, kills, any_stat, group_numbers, cpu };
	struct bytes b = { data, size };
	unsigned which = bytes_one(&b) % 8;

	if (which >= 6) {
		times(&b);
		return 0;
	}
	size_t n = TEXT_MAX;
	const uint8_t *at = bytes_some(&b, &n);
	memcpy(text, at, n);
	text[n] = 0;
	readers[which]();
	return 0;
}
