/* SPDX-License-Identifier: Apache-2.0 */
/* probe - see probe.h */
#include "host/probe.h"

#include "base/fd.h"
#include "host/keeper.h"
#include "host/program.h"
#include "host/root.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The number in a file of /proc/sys, or -1. */
static long sysctl_value(const char *path)
{
	char text[32];

	return fd_read_text(path, text, sizeof(text)) > 0 ? strtol(text, NULL, 10) : -1;
}

/* True if a seccomp filter is on us already. */
static bool is_filtered(void)
{
	char text[4096];

	(void)fd_read_text("/proc/self/status", text, sizeof(text));	/* then it is not told */
	return strstr(text, "\nSeccomp:\t2") != NULL;
}

/* As the kernel has it of us; where there is no /proc, too. */
static bool may_mount(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

	return syscall(SYS_capget, &head, data) == 0 && (data[0].effective >> CAP_SYS_ADMIN & 1);
}

#define USERNS "/proc/sys/user/max_user_namespaces"
#define DEBIAN_USERNS "/proc/sys/kernel/unprivileged_userns_clone"
#define APPARMOR_USERNS "/proc/sys/kernel/apparmor_restrict_unprivileged_userns"
#define YAMA "/proc/sys/kernel/yama/ptrace_scope"

/* Puts the likely reason and the cure behind what was refused. */
static int explain(struct err *e, int namespaces)
{
	char profile[ERR_MSG_MAX];
	const struct {
		const char *file;
		long value;
		int namespaces, plain_only;
		const char *text;
	} knobs[] = {
		{ USERNS, 0, 1, 0, "user.max_user_namespaces is 0; `sysctl -w "
			"user.max_user_namespaces=15000` as root mends that" },
		{ DEBIAN_USERNS, 0, 1, 1, "kernel.unprivileged_userns_clone is 0; `sysctl -w "
			"kernel.unprivileged_userns_clone=1` as root mends that" },
		{ APPARMOR_USERNS, 1, 1, 1, profile },
		{ YAMA, 3, 0, 0, "kernel.yama.ptrace_scope is 3, which only a reboot undoes" },
	};
	const char *why = "";

	snprintf(profile, sizeof(profile), "AppArmor restricts user namespaces; `install -m 644 "
		 "%s/apparmor/pai-exec /etc/apparmor.d/ && apparmor_parser -r /etc/apparmor.d/pai-exec` "
		 "as root permits them to an installed pai-exec", program_deploy());
	for (size_t i = 0; i < sizeof(knobs) / sizeof(*knobs); i++)
		if (knobs[i].namespaces == namespaces && (geteuid() || !knobs[i].plain_only) &&
		    sysctl_value(knobs[i].file) == knobs[i].value) {
			why = knobs[i].text;
			break;
		}
	if (!*why && is_filtered())
		why = "a seccomp filter refuses it, as in a container: start that with "
		      "--security-opt seccomp=unconfined";
	else if (!*why && geteuid() == 0 && namespaces && !may_mount())
		why = "root without CAP_SYS_ADMIN, as in a container: start that with "
		      "--cap-add SYS_ADMIN, or run as a plain user";
	char text[ERR_MSG_MAX];
	snprintf(text, sizeof(text), "%s%s%s%s", e->msg, *why ? " (" : "", why, *why ? ")" : "");
	return err_set(e, ERR_BACKEND, "%s", text);
}

/* Runs BODY as a keeper would run, to its end. */
static int as_keeper(int (*body)(void *arg, int link), struct err *e)
{
	struct keeper k = { .link = -1 };
	struct keeper_msg m;
	int fd[KEEPER_FDS], status = 0, rc = 0;

	if (keeper_start(&k, body, NULL, e) < 0)
		return explain(e, 1);
	while (waitpid(k.pid, &status, 0) < 0 && errno == EINTR)
		;
	k.pid = 0;
	if (keeper_recv(k.link, &m, fd) == 1) {
		*e = m.err;
		rc = explain(e, 1);
	} else if (!WIFEXITED(status) || WEXITSTATUS(status)) {
		rc = err_set(e, ERR_BACKEND, "the first process of new namespaces died");
	}
	keeper_end(&k);
	return rc;
}

static int do_nothing(void *arg, int link)
{
	(void)arg;
	(void)link;
	return 0;
}

static int enter_root(void *arg, int link)
{
	static const struct root_bind none = { NULL, NULL, false };
	struct keeper_msg m = { .what = KEEPER_FAILED };

	(void)arg;
	if (root_enter(&none, &m.err) == 0)
		return 0;
	(void)keeper_send(link, &m, NULL, 0, &m.err);	/* our exit status tells as well */
	return 1;
}

static int try_namespaces(struct err *e)
{
	return as_keeper(do_nothing, e);
}

static int try_root(struct err *e)
{
	return as_keeper(enter_root, e);
}

/* ACT in a child of ours. */
static int in_child(int (*act)(void), const char *what, int namespaces, struct err *e)
{
	int status = 0;
	pid_t pid = fork();

	if (pid < 0)
		return err_sys(e, ERR_HOST, "fork");
	if (pid == 0)
		_exit(act() < 0 ? errno : 0);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	errno = WIFEXITED(status) ? WEXITSTATUS(status) : EPERM;
	(void)err_sys(e, ERR_BACKEND, "%s", what);
	return explain(e, namespaces);
}

/* gVisor has its sandbox in a user namespace, root's too. */
static int unshare_user(void)
{
	return unshare(CLONE_NEWUSER);
}

static int try_userns(struct err *e)
{
	return in_child(unshare_user, "make a user namespace", 1, e);
}

/* Its systrap traces its own processes. */
static int be_traced(void)
{
	return (int)ptrace(PTRACE_TRACEME, 0, NULL, NULL);
}

static int try_ptrace(struct err *e)
{
	return in_child(be_traced, "ptrace", 0, e);
}

const struct probe probes[] = {
	{ "namespaces", "mount, pid, net, ipc and uts namespaces of our own", try_namespaces, false },
	{ "root", "a tmpfs, a /proc and a root of our own", try_root, false },
	{ "userns", "a user namespace of our own", try_userns, true },
	{ "ptrace", "tracing a process of our own", try_ptrace, true },
	{ NULL, NULL, NULL, false },
};

int probe_all(bool traces, struct err *e)
{
	for (const struct probe *p = probes; p->name; p++)
		if ((traces || !p->traces) && p->run(e) < 0)
			return -1;
	return 0;
}
