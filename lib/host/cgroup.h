/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup - a leaf for one run in each hierarchy that this host lets us use.
 *
 * Works on v1, v2 and a mixture. A leaf is named pai-exec-* and held by flock;
 * it is removed at the end, and where the command was killed by the next run,
 * which removes every pai-exec-* that is empty and that nobody holds (never by
 * a pid, which could be anybody's).
 */
#ifndef PAI_HOST_CGROUP_H
#define PAI_HOST_CGROUP_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

#define CGROUP_LEAVES 4

struct cgroup_limits {
	uint64_t memory_bytes;	/* of the whole sandbox, our own slack included */
	uint64_t cpus;
	uint64_t host_pids;	/* processes and threads that a backend needs here */
};

struct cgroup {
	struct cgroup_leaf {
		int parent, dir, procs;	/* descriptors; procs is to be written */
		char name[48];
	} leaf[CGROUP_LEAVES];
	int n;
	int oom_fd;		/* the file that counts OOM kills, or -1 */
	int cpu_fd;		/* the file of the CPU quota, or -1 */
	char quota[32];		/* what is to be written there */
	const char *no_quota;	/* … or for none */
	int max_fd[2];		/* files of the limit of memory, the wider first; or -1 */
	bool memory, cpu, pids;	/* which limits are held */
};

#define CGROUP_NONE ((struct cgroup){ .oom_fd = -1, .cpu_fd = -1, .max_fd = { -1, -1 } })

/* Makes what can be made; what cannot is false in *CG, which is no error. */
void cgroup_make(struct cgroup *cg, const struct cgroup_limits *want);
/* Until then the CPUs are not limited: a boot uses two for a moment, and would
 * be stopped until the end of the quota's period. */
int cgroup_hold_cpus(const struct cgroup *cg, struct err *e);
/* After the program: a snapshot is written with all CPUs, and what it takes of memory is
 * not the program's. */
void cgroup_release(const struct cgroup *cg);
/* Moves the calling process in; between fork and exec. */
int cgroup_enter(const struct cgroup *cg, struct err *e);
/* How often the kernel killed for memory in it. */
uint64_t cgroup_oom_kills(const struct cgroup *cg);
/* When no process is in it any more. Takes half-made ones, and twice. */
void cgroup_drop(struct cgroup *cg);

#endif
