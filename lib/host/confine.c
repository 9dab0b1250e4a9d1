/* SPDX-License-Identifier: Apache-2.0 */
/* confine - see confine.h */
#include "host/confine.h"

#include "host/landlock.h"
#include "host/syscalls.h"

#include "base/fd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ALL (CONFINE_COMMAND | CONFINE_STARTER | CONFINE_KEEPER)
#define ENDED (CONFINE_COMMAND | CONFINE_KEEPER)	/* start nothing more */

/* Sanitizers trace, map and open at moments of their own. */
#ifdef PAI_SANITIZED
#define LOCKED 0
#else
#define LOCKED ENDED
#endif

/* Capabilities that are kept, as far as they are there. */
static const struct {
	int cap;
	unsigned who, places;	/* places: only with one of these; 0: always */
} caps[] = {
	/* root means its own -i and -o to work in other users' folders too, and the root of
	 * a cgroup hierarchy is a folder that its owner may not write; for uid 0 it is
	 * little more than what it owns anyway */
	{ CAP_DAC_READ_SEARCH, CONFINE_COMMAND, CONFINE_READ },
	{ CAP_DAC_OVERRIDE, CONFINE_COMMAND, CONFINE_WRITE | CONFINE_RMDIR },
	/* what a backend needs to shut itself in: namespaces, mounts, a root, a uid of
	 * its own, processes of other uids */
	{ CAP_SYS_ADMIN, CONFINE_STARTER, 0 }, { CAP_SYS_CHROOT, CONFINE_STARTER, 0 },
	{ CAP_SYS_PTRACE, CONFINE_STARTER, 0 }, { CAP_SYS_RESOURCE, CONFINE_STARTER, 0 },
	{ CAP_SETUID, CONFINE_STARTER, 0 }, { CAP_SETGID, CONFINE_STARTER, 0 },
	{ CAP_SETPCAP, CONFINE_STARTER, 0 }, { CAP_KILL, CONFINE_STARTER, 0 },
	{ CAP_SETFCAP, CONFINE_STARTER, 0 },	/* to map uid 0, since Linux 5.12 */
	{ CAP_MKNOD, CONFINE_STARTER, 0 }, { CAP_CHOWN, CONFINE_STARTER, 0 },
	{ CAP_FOWNER, CONFINE_STARTER, 0 }, { CAP_FSETID, CONFINE_STARTER, 0 },
	{ CAP_DAC_OVERRIDE, CONFINE_STARTER, 0 }, { CAP_DAC_READ_SEARCH, CONFINE_STARTER, 0 },
};

/* All to 0. */
static const struct {
	__rlimit_resource_t what;
	unsigned who;
} limits[] = {
	{ RLIMIT_CORE, ALL },
	{ RLIMIT_NPROC, LOCKED }, { RLIMIT_MEMLOCK, LOCKED }, { RLIMIT_MSGQUEUE, LOCKED },
	{ RLIMIT_RTPRIO, LOCKED },
};

static int fail(struct err *e, const char *what)
{
	return err_sys(e, ERR_CONFINE, "confine this process: %s", what);
}

static int set_limits(const struct confine *c, struct err *e)
{
	const struct rlimit none = { 0, 0 };

	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++)
		if (limits[i].who & c->who && setrlimit(limits[i].what, &none) < 0)
			return fail(e, "limits");
	return 0;
}

unsigned confine_may(const struct confine *c)
{
	unsigned may = 0;

	for (size_t i = 0; i < c->places; i++)
		may |= c->place[i].may;
	return may;
}

static uint64_t kept(const struct confine *c)
{
	uint64_t set = 0;
	unsigned may = confine_may(c);

	for (size_t i = 0; i < sizeof(caps) / sizeof(*caps); i++)
		if (caps[i].who & c->who && (!caps[i].places || caps[i].places & may))
			set |= 1ull << caps[i].cap;
	return set;
}

/* The bounding set is left to those who may not change it: without new
 * privileges it gives nothing. */
static int drop_caps(const struct confine *c, struct err *e)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct set[2];
	uint64_t keep = kept(c), bound = c->who == CONFINE_STARTER ? keep : 0;

	/* absent before Linux 4.3: then there is no ambient set */
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0 && errno != EINVAL)
		return fail(e, "ambient capabilities");
	for (int cap = 0; prctl(PR_CAPBSET_READ, cap) >= 0; cap++)
		if (!(bound & 1ull << cap) && prctl(PR_CAPBSET_DROP, cap) < 0 && errno != EPERM)
			return fail(e, "the bounding set");
	if (syscall(SYS_capget, &head, set) < 0)
		return fail(e, "capabilities");
	for (int i = 0; i < 2; i++) {
		set[i].permitted &= (uint32_t)(keep >> 32 * i);
		set[i].effective = set[i].permitted;
		set[i].inheritable = 0;
	}
	return syscall(SYS_capset, &head, set) < 0 ? fail(e, "capabilities") : 0;
}

static bool is_locked(const struct confine *c)
{
	return LOCKED & c->who;
}

static bool is_filtered(const struct confine *c)
{
	return (LOCKED | CONFINE_STARTER) & c->who;
}

int confine_prepare(struct confine *c, struct err *e)
{
	return is_filtered(c) && !c->calls.filter && syscalls_build(c, &c->calls) < 0
		? fail(e, "system calls") : 0;
}

void confine_free(struct confine *c)
{
	free(c->calls.filter);
	c->calls = (struct sock_fprog){ 0 };
}

int confine(struct confine *c, struct err *e)
{
	if (confine_prepare(c, e) < 0 || set_limits(c, e) < 0 || drop_caps(c, e) < 0)
		return -1;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return fail(e, "no_new_privs");
	/* what exec starts is dumpable again, and must be: it reads its own /proc */
	if (is_filtered(c) && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		return fail(e, "non-dumpable");
	if (is_locked(c) && landlock_enter(c->place, c->places) < 0)
		return fail(e, "Landlock");
	if (is_filtered(c) && syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &c->calls) < 0)
		return fail(e, "system calls");
	confine_free(c);
	return 0;
}

/* The number behind KEY in the text of a /proc/…/status, or -1. */
static long status_number(const char *path, const char *key)
{
	char text[4096];

	(void)fd_read_text(path, text, sizeof(text));	/* then KEY is not there */
	const char *at = strstr(text, key);
	return at ? strtol(at + strlen(key), NULL, 10) : -1;
}

static long filters(const char *path)
{
	long n = status_number(path, "\nSeccomp_filters:");

	return n >= 0 ? n : status_number(path, "\nSeccomp:") == SECCOMP_MODE_FILTER;
}

bool confine_child_filters(pid_t pid)
{
	long ours = filters("/proc/self/status");
	char path[64];
	bool all = true;
	int threads = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	DIR *d = opendir(path);
	for (const struct dirent *t; d && (t = readdir(d));) {
		if (*t->d_name == '.')
			continue;
		snprintf(path, sizeof(path), "/proc/%d/task/%.20s/status", pid, t->d_name);
		all &= filters(path) > ours;
		threads++;
	}
	if (d)
		closedir(d);
	return all && threads > 0;
}
