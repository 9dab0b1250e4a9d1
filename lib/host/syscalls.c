/* SPDX-License-Identifier: Apache-2.0 */
/* syscalls - see syscalls.h
 *
 * Command and keeper have lists of what they may do. What no honest step of
 * theirs could ever want, and an intruder wants first (to start or trace a
 * process, to have a socket, to run what is written), ends the process. All
 * else that is not listed is answered ENOSYS: a C library that tries something
 * new goes on in the old way then, and is no dead run in the field.
 *
 * A starter has a list of what it may not do. It is inherited by the backend, so
 * it answers an error, never a kill: a filter further in that wants to trap the
 * call, as that of gVisor's stubs, has the last word then.
 */
#include "host/syscalls.h"

#include "base/doors.h"
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define C CONFINE_COMMAND
#define K CONFINE_KEEPER
#define NAMELESS (O_TMPFILE & ~O_DIRECTORY)	/* the bit itself */
#define FILES (CONFINE_READ | CONFINE_WRITE)

/* A row: a call, who may make it, with one of which places (0: in any case), and
 * what its arguments must be (none: anything). */
static const struct rule {
	int nr;
	unsigned who, places;
	struct scmp_arg_cmp arg[2];
} allowed[] = {
#define ANY(name, who) { SCMP_SYS(name), who, 0, { { 0 } } }
#define IN(name, places) { SCMP_SYS(name), C, places, { { 0 } } }
#define IS(name, n, value) { SCMP_SYS(name), C, 0, { { n, SCMP_CMP_EQ, value, 0 } } }
#define LACKS(name, who, places, n, bits) \
	{ SCMP_SYS(name), who, places, { { n, SCMP_CMP_MASKED_EQ, bits, 0 } } }
	/* what is open already */
	ANY(read, C | K), ANY(write, C | K), ANY(close, C | K), ANY(poll, C | K), ANY(ppoll, C | K),
	ANY(recvmsg, C | K), ANY(recvfrom, C | K), ANY(sendmsg, C | K), ANY(sendto, C | K),
	ANY(readv, C), ANY(writev, C), ANY(pread64, C), ANY(pwrite64, C), ANY(lseek, C), ANY(splice, C),
	ANY(fstat, C), ANY(newfstatat, C), ANY(statx, C), ANY(flock, C), ANY(fsync, C),
	ANY(fdatasync, C), ANY(ftruncate, C), ANY(getdents64, C),
	IN(fstatfs, CONFINE_TIDY), IN(syncfs, CONFINE_TIDY),
	IS(fcntl, 1, F_GETFL), IS(fcntl, 1, F_SETFL), IS(fcntl, 1, F_GETFD), IS(fcntl, 1, F_SETFD),
	IS(fcntl, 1, F_DUPFD_CLOEXEC), ANY(dup, C),
	/* a terminal is asked, never told: no TIOCSTI */
	IS(ioctl, 1, FIONREAD), IS(ioctl, 1, TCGETS), IS(ioctl, 1, TIOCGWINSZ),
	/* itself */
	ANY(brk, C | K), ANY(munmap, C | K), ANY(mremap, C), ANY(madvise, C),
	LACKS(mmap, C | K, 0, 2, PROT_EXEC), LACKS(mprotect, C | K, 0, 2, PROT_EXEC),
	ANY(clock_gettime, C | K), ANY(gettimeofday, C | K), ANY(time, C), ANY(getrandom, C),
	/* what cannot fail, so that nobody looks whether it did */
	ANY(getpid, C | K), ANY(gettid, C | K), ANY(getppid, C | K), ANY(getuid, C), ANY(geteuid, C),
	ANY(getgid, C), ANY(getegid, C), ANY(getpgrp, C), ANY(times, C), ANY(uname, C),
	ANY(sched_yield, C), ANY(sysinfo, C),
	ANY(futex, C | K), ANY(umask, C), IS(prlimit64, 0, 0), IS(setrlimit, 0, RLIMIT_CORE),
	ANY(rt_sigaction, C | K), ANY(rt_sigprocmask, C | K), ANY(rt_sigreturn, C | K),
	ANY(restart_syscall, C | K), ANY(exit, C | K), ANY(exit_group, C | K),
	ANY(wait4, K),
	/* beneath a folder: what is there is read, or what is new is written */
	{ SCMP_SYS(openat), C, FILES, { { 0, SCMP_CMP_LE, INT_MAX, 0 },
		{ 2, SCMP_CMP_MASKED_EQ, O_ACCMODE | O_CREAT | O_TRUNC | NAMELESS, O_RDONLY } } },
	{ SCMP_SYS(openat), C, CONFINE_WRITE, { { 0, SCMP_CMP_LE, INT_MAX, 0 },
		{ 2, SCMP_CMP_MASKED_EQ, O_ACCMODE | NAMELESS, O_WRONLY | NAMELESS } } },
	{ SCMP_SYS(openat), C, CONFINE_WRITE, { { 0, SCMP_CMP_LE, INT_MAX, 0 },
		{ 2, SCMP_CMP_MASKED_EQ, O_ACCMODE | O_CREAT | O_EXCL, O_WRONLY | O_CREAT | O_EXCL } } },
	/* of what is open: futimens() */
	{ SCMP_SYS(utimensat), C, CONFINE_WRITE, { { 1, SCMP_CMP_EQ, 0, 0 } } },
	IN(mkdirat, CONFINE_WRITE | CONFINE_TIDY), IN(linkat, CONFINE_WRITE),
	IN(renameat, CONFINE_WRITE | CONFINE_TIDY), IN(renameat2, CONFINE_WRITE | CONFINE_TIDY),
	IN(unlinkat, CONFINE_WRITE | CONFINE_TIDY | CONFINE_RMDIR),
	LACKS(fchmod, C, CONFINE_WRITE | CONFINE_TIDY, 1, S_ISUID | S_ISGID),
	LACKS(fchmodat, C, CONFINE_TIDY, 2, S_ISUID | S_ISGID),
};

/* The end of the one that calls. */
static const int deadly[] = {
#define NR(name) SCMP_SYS(name),
	NR(execve) NR(execveat) NR(fork) NR(vfork) NR(clone) NR(clone3) NR(ptrace)
	NR(process_vm_readv) NR(process_vm_writev) NR(pidfd_open) NR(pidfd_getfd)
	NR(pidfd_send_signal) NR(rt_sigqueueinfo) NR(socket) NR(socketpair) NR(connect) NR(bind)
	NR(listen) NR(accept) NR(accept4) NR(mount) NR(umount2) NR(pivot_root) NR(chroot)
	NR(open_tree) NR(move_mount) NR(fsopen) NR(unshare) NR(setns) NR(setuid) NR(setgid)
	NR(setresuid) NR(setresgid) NR(capset) NR(memfd_create) DOORS(NR)
};

/* What a starter, and what it starts, does without. */
static const int shut[] = { DOORS(NR) };

static int add(scmp_filter_ctx ctx, const struct rule *r)
{
	unsigned n = 0;

	while (n < 2 && r->arg[n].op)
		n++;
	return seccomp_rule_add_array(ctx, SCMP_ACT_ALLOW, r->nr, n, r->arg);
}

/* To end and wait for its children, and to abort. */
static int add_processes(scmp_filter_ctx ctx, const struct confine *c)
{
	int rc = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1,
				  SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid()));

	for (size_t i = 0; rc == 0 && i < sizeof(c->child) / sizeof(*c->child); i++) {
		struct scmp_arg_cmp it = { 0, SCMP_CMP_EQ, (scmp_datum_t)c->child[i], 0 };

		if (c->child[i] <= 0)
			continue;
		rc = seccomp_rule_add_array(ctx, SCMP_ACT_ALLOW, SCMP_SYS(kill), 1, &it);
		if (rc == 0)
			rc = seccomp_rule_add_array(ctx, SCMP_ACT_ALLOW, SCMP_SYS(wait4), 1, &it);
	}
	return rc;
}

static int add_allowed(scmp_filter_ctx ctx, const struct confine *c)
{
	unsigned may = confine_may(c);
	int rc = add_processes(ctx, c);

	for (size_t i = 0; rc == 0 && i < sizeof(allowed) / sizeof(*allowed); i++)
		if (allowed[i].who & c->who && (!allowed[i].places || allowed[i].places & may))
			rc = add(ctx, &allowed[i]);
	for (size_t i = 0; rc == 0 && i < sizeof(deadly) / sizeof(*deadly); i++)
		rc = seccomp_rule_add(ctx, SCMP_ACT_KILL_PROCESS, deadly[i], 0);
	return rc;
}

static int add_shut(scmp_filter_ctx ctx)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sizeof(shut) / sizeof(*shut); i++)
		rc = seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), shut[i], 0);
	if (rc == 0)
		rc = seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EAFNOSUPPORT), SCMP_SYS(socket), 1,
				      SCMP_A0(SCMP_CMP_NE, AF_UNIX));
	return rc;
}

/* The library hands its filter out through a descriptor only. */
static int take(scmp_filter_ctx ctx, struct sock_fprog *calls)
{
	const size_t max = BPF_MAXINSNS * sizeof(*calls->filter);
	int pair[2];

	if (pipe2(pair, O_CLOEXEC) < 0)
		return -errno;
	AUTO_FD from = pair[0];
	AUTO_FD to = pair[1];
	struct sock_filter *filter = malloc(max);
	int rc = filter ? seccomp_export_bpf(ctx, to) : -ENOMEM;	/* less than a pipe holds */

	fd_closep(&to);
	ssize_t n = rc == 0 ? fd_read_all(from, filter, max) : -1;
	if (n <= 0) {
		free(filter);
		return rc ? rc : -EIO;
	}
	*calls = (struct sock_fprog){ (unsigned short)((size_t)n / sizeof(*filter)), filter };
	return 0;
}

int syscalls_build(const struct confine *c, struct sock_fprog *calls)
{
	bool starter = c->who == CONFINE_STARTER;
	scmp_filter_ctx ctx = seccomp_init(starter ? SCMP_ACT_ALLOW : SCMP_ACT_ERRNO(ENOSYS));
	int rc = ctx ? 0 : -ENOMEM;

	/* 32-bit calls would go round the rules */
	if (rc == 0)
		rc = seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH, starter ? SCMP_ACT_ERRNO(ENOSYS)
				      : SCMP_ACT_KILL_PROCESS);
	if (rc == 0)
		rc = seccomp_attr_set(ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2);	/* a binary tree */
	if (rc == 0)
		rc = starter ? add_shut(ctx) : add_allowed(ctx, c);
	if (rc == 0)
		rc = take(ctx, calls);
	seccomp_release(ctx);
	errno = -rc;
	return rc == 0 ? 0 : -1;
}
