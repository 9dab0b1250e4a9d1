/* SPDX-License-Identifier: Apache-2.0 */
/* check - see check.h */
#include "run/check.h"

#include "backend/backend.h"
#include "base/fd.h"
#include "host/probe.h"
#include "run/run.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>

#define MIB (1ull << 20)

static struct check_row *add(struct check *c, const char *group, const char *name,
			     enum check_state state, const char *text)
{
	struct check_row *row = &c->row[c->rows < CHECK_ROWS ? c->rows++ : CHECK_ROWS - 1];

	*row = (struct check_row){ .group = group, .name = name, .state = state };
	str_printable(row->text, sizeof(row->text), text, strlen(text));
	return row;
}

/* What of this machine helps one sandbox to learn of another by timing, or takes its
 * memory to a disk; nothing here can be held by us, so it is said. */
static void check_neighbours(struct check *c)
{
	static const struct {
		const char *name, *file;
		unsigned line;		/* whose first byte tells, if it is there and not 0 */
		const char *on;
	} table[] = {
		{ "smt", "/sys/devices/system/cpu/smt/active", 0,
		  "on: programs on two threads of a core can time each other; nosmt ends that" },
		{ "ksm", "/sys/kernel/mm/ksm/run", 0,
		  "on: shared pages can be found by timing; echo 0 >/sys/kernel/mm/ksm/run ends that" },
		{ "swap", "/proc/swaps", 1,
		  "on: a sandbox's memory may be written to a disk; swapoff -a ends that" },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		char text[4096];
		ssize_t n = fd_read_text(table[i].file, text, sizeof(text));
		const char *at = text;

		for (unsigned line = table[i].line; line > 0 && (at = strchr(at, '\n')); line--)
			at++;
		add(c, "host", table[i].name, CHECK_INFO,
		    n < 0 ? "not known here" : !at || !*at || *at == '0' ? "off" : table[i].on);
	}
}

static void check_host(struct check *c)
{
	char text[256];
	struct utsname u = { 0 };
	struct sysinfo si = { 0 };
	cpu_set_t cpus;

	(void)uname(&u);
	(void)sysinfo(&si);
	CPU_ZERO(&cpus);
	(void)sched_getaffinity(0, sizeof(cpus), &cpus);
	snprintf(text, sizeof(text), "%.40s %.80s, %d CPUs, %llu MiB of memory", u.sysname, u.release,
		 CPU_COUNT(&cpus), (unsigned long long)si.totalram * si.mem_unit / MIB);
	add(c, "host", "machine", CHECK_INFO, text);
	check_neighbours(c);
}

/* Fills *IM if there is one. */
static void check_image(const struct plan *p, struct image *im, struct check *c)
{
	char text[ERR_MSG_MAX];
	struct statvfs v = { 0 };
	struct stat st = { 0 };
	struct err e = { 0 };

	if (run_image(p, im, &e) < 0) {
		add(c, "image", "rootfs", CHECK_BAD, e.msg);
		return;
	}
	(void)stat(im->rootfs, &st);
	(void)statvfs(im->rootfs, &v);
	snprintf(text, sizeof(text), "%.300s, %llu MiB, %.20s…", im->rootfs,
		 (unsigned long long)st.st_size / MIB, im->digest);
	add(c, "image", "rootfs", CHECK_OK, text);
	snprintf(text, sizeof(text), "%llu MiB free there",
		 (unsigned long long)v.f_bavail * v.f_frsize / MIB);
	add(c, "image", "space", CHECK_INFO, text);
}

static void check_limits(const struct plan *p, struct check *c)
{
	struct cgroup_limits want = {
		.memory_bytes = p->limit[LIMIT_MEMORY] + PLAN_MEMORY_SLACK,
		.cpus = p->limit[LIMIT_CPUS], .host_pids = 4096,
	};
	struct cgroup cg;

	cgroup_make(&cg, &want);
	add(c, "limits", "memory", CHECK_INFO, cg.memory
	    ? "watched in the sandbox, enforced by a cgroup above that"
	    : "watched in the sandbox; no cgroup for a ceiling here, a file size limit instead");
	add(c, "limits", "cpus", CHECK_INFO, cg.cpu ? "enforced by a cgroup"
	    : "held by CPU affinity: no cgroup here");
	add(c, "limits", "pids", CHECK_INFO, "enforced in the sandbox");
	add(c, "limits", "disk", CHECK_INFO, "enforced in the sandbox");
	add(c, "limits", "timeout", CHECK_INFO, "enforced from outside");
	cgroup_drop(&cg);
}

/* Runs a program on backend B, the way every run goes. */
static bool check_run(const struct plan *p, const struct backend *b, struct check *c)
{
	char program[] = "print(6 * 7)", backend[32], text[64];
	struct plan one = plan_trial(p, program);
	struct run_summary s = { .status = RESULT_FAILED };
	bool ran;

	snprintf(backend, sizeof(backend), "%s", b->name);
	/* where no guest has answered yet, none is waited for longer than auto would */
	if (b->is_known && !b->is_known() && one.boot_ms > one.probe_ms)
		one.boot_ms = one.probe_ms;
	one.backend = backend;
	(void)run_apart(&one, &s, &s.error);
	ran = s.status == RESULT_OK && !strcmp(s.out, "42\n");
	snprintf(text, sizeof(text), "a program ran in %lld ms", (long long)s.us / 1000);
	add(c, b->name, "sandbox", ran ? CHECK_OK : CHECK_BAD,
	    ran ? text : *s.error.msg ? s.error.msg : "a program did not give its answer");
	return ran;
}

/* Its binary, and what that says of itself. */
static bool check_program(const struct plan *p, const struct backend *b, struct check *c)
{
	char *program = NULL, text[ERR_MSG_MAX], version[128] = "";
	struct err e = { 0 };
	bool good = b->find(p, &program, &e) == 0 &&
		    b->version(program, version, sizeof(version), &e) == 0;

	snprintf(text, sizeof(text), "%.300s, %s", program ? program : "", version);
	add(c, b->name, "program", good ? CHECK_OK : CHECK_BAD, good ? text : e.msg);
	free(program);
	if (good && b->faults && b->faults(version))
		add(c, b->name, "version", CHECK_INFO, b->faults(version));
	return good;
}

/* All that it needs, also where something is missing already. */
static bool check_needs(const struct plan *p, const struct backend *b, const struct image *im,
			struct check *c)
{
	bool good = true;

	for (const struct backend_need *n = b->needs; n->name; n++) {
		struct err e = { 0 };
		bool ok = n->check(p, im, &e) == 0;

		good &= ok;
		add(c, b->name, n->name, ok ? CHECK_OK : CHECK_BAD, ok ? n->what : e.msg);
	}
	for (const struct probe *pr = probes; pr->name; pr++) {
		struct err e = { 0 };

		if (pr->traces && !b->traces)
			continue;
		bool ok = pr->run(&e) == 0;
		good &= ok;
		add(c, b->name, pr->name, ok ? CHECK_OK : CHECK_BAD, ok ? pr->what : e.msg);
	}
	return good;
}

static void check_backend(const struct plan *p, const struct backend *b, const struct image *im,
			  struct check *c)
{
	struct err e = { 0 };
	bool good = check_program(p, b, c);

	good &= check_needs(p, b, im, c);
	if (plan_allowed(p, &e) < 0)
		add(c, b->name, "sandbox", CHECK_BAD, e.msg);
	else if (!im->rootfs)
		add(c, b->name, "sandbox", CHECK_BAD, "not tried: there is no image");
	else if (!good)
		add(c, b->name, "sandbox", CHECK_BAD, "not tried: see above");
	else if (check_run(p, b, c))
		c->works = true;
}

void check_all(const struct plan *p, struct check *c)
{
	struct image im = { 0 };

	*c = (struct check){ .works = false };
	check_host(c);
	check_image(p, &im, c);
	for (int i = 0; i < BACKENDS; i++)
		check_backend(p, backends[i], &im, c);
	image_free(&im);
	check_limits(p, c);
}
