/* SPDX-License-Identifier: Apache-2.0 */
/* filter - the system calls of the program; see guest.h
 *
 * What Python never needs and what has opened sandboxes before answers with an
 * error, not a kill: programs that merely try go on. Without it uid 1000 could
 * unshare a user namespace inside gVisor and mount itself an unlimited tmpfs.
 */
#include "guest/guest.h"

#include "base/doors.h"

#include <errno.h>
#include <sched.h>
#include <seccomp.h>
#include <stdint.h>
#include <sys/socket.h>

#define ALL(name) { SCMP_SYS(name), EPERM },

static const struct {
	int nr, sys;
} refused[] = {
	/* mounts, roots, namespaces */
	ALL(mount) ALL(umount2) ALL(pivot_root) ALL(chroot) ALL(fsopen) ALL(fsconfig)
	ALL(fsmount) ALL(fspick) ALL(move_mount) ALL(open_tree) ALL(mount_setattr)
	ALL(unshare) ALL(setns)
	/* its flags lie in memory that a filter cannot read: glibc falls back to clone */
	{ SCMP_SYS(clone3), ENOSYS },
	/* other processes */
	ALL(ptrace) ALL(process_vm_readv) ALL(process_vm_writev) ALL(pidfd_getfd) ALL(kcmp)
	DOORS(ALL)
	ALL(name_to_handle_at) ALL(sethostname) ALL(setdomainname)
};

static const int families[] = { AF_UNIX, AF_INET, AF_INET6, AF_NETLINK };

static int add_rules(scmp_filter_ctx ctx)
{
	const scmp_datum_t news = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
				  CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sizeof(refused) / sizeof(*refused); i++)
		rc = seccomp_rule_add(ctx, SCMP_ACT_ERRNO((uint32_t)refused[i].sys),
				      refused[i].nr, 0);
	for (scmp_datum_t bit = 1; rc == 0 && bit <= news; bit <<= 1)
		if (news & bit)
			rc = seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
					      SCMP_A0_64(SCMP_CMP_MASKED_EQ, bit, bit));
	/* a better priority: gVisor lets everyone have it, if only as a number */
	if (rc == 0)
		rc = seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EACCES), SCMP_SYS(setpriority), 1,
				      SCMP_A2_32(SCMP_CMP_GT, INT32_MAX));
	/* socket(): above AF_NETLINK nothing, below only those that are listed */
	if (rc == 0)
		rc = seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EAFNOSUPPORT), SCMP_SYS(socket), 1,
				      SCMP_A0_32(SCMP_CMP_GT, AF_NETLINK));
	for (uint32_t f = 0; rc == 0 && f <= AF_NETLINK; f++) {
		int known = 0;

		for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++)
			known |= families[i] == (int)f;
		if (!known)
			rc = seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EAFNOSUPPORT), SCMP_SYS(socket),
					      1, SCMP_A0_32(SCMP_CMP_EQ, f));
	}
	return rc;
}

int filter_load(struct err *e)
{
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ALLOW);
	int rc = ctx ? 0 : -ENOMEM;

	/* 32-bit calls would go round the rules */
	if (rc == 0)
		rc = seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(ENOSYS));
	/* a binary tree: the sentry interprets the filter at every call */
	if (rc == 0)
		rc = seccomp_attr_set(ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	if (rc == 0)
		rc = add_rules(ctx);
	if (rc == 0)
		rc = seccomp_load(ctx);
	seccomp_release(ctx);
	errno = -rc;
	return rc == 0 ? 0 : err_sys(e, ERR_HOST, "set the program's system call filter");
}
