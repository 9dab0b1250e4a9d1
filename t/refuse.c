/* SPDX-License-Identifier: Apache-2.0 */
/* refuse CALL[,CALL]... COMMAND [ARG]... - runs COMMAND under a filter that
 * answers EPERM to the system calls named, as some containers do. "userns" is
 * clone() and unshare() with CLONE_NEWUSER. */
#include <errno.h>
#include <sched.h>
#include <seccomp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int refuse(scmp_filter_ctx ctx, const char *name)
{
	static const struct {
		const char *name;
		int nr;
	} user[] = { { "clone", SCMP_SYS(clone) }, { "unshare", SCMP_SYS(unshare) } };
	int rc = 0;

	if (strcmp(name, "userns"))
		return seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), seccomp_syscall_resolve_name(name), 0);
	for (size_t i = 0; i < 2 && rc == 0; i++)
		rc = seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), user[i].nr, 1,
				      SCMP_A0_64(SCMP_CMP_MASKED_EQ, CLONE_NEWUSER, CLONE_NEWUSER));
	return rc;
}

int main(int argc, char **argv)
{
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ALLOW);
	int rc = argc < 3 || !ctx ? -1 : 0;

	if (rc == 0)
		rc = seccomp_attr_set(ctx, SCMP_FLTATR_CTL_NNP, 0);
	for (char *w = rc ? NULL : strtok(argv[1], ","); w && rc == 0; w = strtok(NULL, ","))
		rc = refuse(ctx, w);
	if (rc == 0)
		rc = seccomp_load(ctx);
	if (rc == 0)
		execvp(argv[2], argv + 2);
	perror("refuse");
	return 125;
}
