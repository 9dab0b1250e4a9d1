/* SPDX-License-Identifier: Apache-2.0 */
/* firecracker - a microVM, started in the keeper's root; see backend.h
 *
 * Firecracker runs in a folder of its own on the keeper's tmpfs, so that its
 * relative socket names never collide. The guest dials three ports of the host,
 * which are sockets there: the control channel and the two raw streams. Nothing
 * is connected from our side, for what is connected right after a snapshot was
 * loaded may be answered and then dropped.
 *
 * A snapshot resets all connections, of the original too: so that one is ended,
 * and the run goes on in the first clone of it.
 */
#include "backend/backend.h"

#include "backend/fcapi.h"
#include "backend/fcconf.h"
#include "backend/fcsnap.h"
#include "backend/kvm.h"
#include "base/clock.h"
#include "base/fd.h"
#include "host/confine.h"
#include "host/program.h"
#include "host/spawn.h"
#include "state/known.h"
#include "wire/msg.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define FC "/bin/firecracker"		/* all in the keeper's root */
#define TEMPLATE "/template"
#define SAVE BACKEND_SAVE
#define KEEP BACKEND_KEEP
#define API "api.sock"
#define OLDEST "1.12"		/* that is known to work */
#define OLDEST_MAJOR 1
#define OLDEST_MINOR 12
#define POOL_UID 1879048192u	/* + the command's pid: a uid that nobody has */
#define CLONE_MS 10000u
#define ASK_MS 3000u
#define DYING_MS 200
#define MIB (1ull << 20)
#define OVERHEAD (128 * MIB)	/* of the guest's kernel, above the program's memory */
#define VMM (64 * MIB)		/* of Firecracker itself, above that */

/* The size of the machine: a power of two that holds the limit, and its kernel;
 * few sizes, so that templates are shared. The limit is held inside. */
static uint64_t machine_mib(const struct plan *p)
{
	uint64_t size = 256 * MIB;

	while (size < p->limit[LIMIT_MEMORY])
		size *= 2;
	return (size + OVERHEAD) / MIB;
}

static uint64_t host_memory(const struct plan *p)
{
	/* twice: where a template lies on a tmpfs, what a clone reads of its memory
	 * file is charged to it, and again what it changes. The machine's own size
	 * is what holds. */
	return 2 * machine_mib(p) * MIB + VMM;
}

static void key(const struct choice *c, char *text, size_t size)
{
	const char *own[] = { c->plan->vm_kernel, c->plan->vm_rootfs };
	int n = snprintf(text, size, "%llu %s %s", (unsigned long long)machine_mib(c->plan),
			 c->image->vmlinux_digest, c->image->initrd_digest);

	for (size_t i = 0; i < sizeof(own) / sizeof(*own) && (size_t)n < size; i++) {
		char word[KNOWN_IDENTITY];
		struct stat st;

		if (!own[i] || stat(own[i], &st) < 0)
			continue;
		known_identity(&st, word);
		n += snprintf(text + n, size - (size_t)n, " %s", word);
	}
}

/* The kernel and the root file system that a configuration puts in the place of
 * the image's. */
static const char *kernel_of(const struct plan *p, const struct image *im)
{
	return p->vm_kernel ? p->vm_kernel : im->vmlinux;
}

static const char *rootfs_of(const struct plan *p, const struct image *im)
{
	return p->vm_rootfs ? p->vm_rootfs : im->rootfs;
}

static int check_kernel(const struct plan *p, const struct image *im, struct err *e)
{
	const char *const own[] = { p->vm_kernel, p->vm_rootfs };
	char cure[ERR_MSG_MAX];

	if (!im->rootfs)
		return err_set(e, ERR_BACKEND, "there is no image");
	if ((!im->vmlinux && !p->vm_kernel) || !im->initrd)
		return backend_reseal(im, cure, sizeof(cure)),
		       err_set(e, ERR_BACKEND, "the image has no kernel%s", cure);
	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		if (own[i] && access(own[i], R_OK) < 0)
			return err_sys(e, ERR_BACKEND, "code_interpreter_vm: %s", own[i]);
	return 0;
}

static int check_kvm(const struct plan *p, const struct image *im, struct err *e)
{
	(void)p;
	(void)im;
	return kvm_probe(e);
}

static const struct backend_need needs[] = {
	/* nobody adds a kernel where there is no KVM */
	{ "kvm", KVM_DEVICE " opens, and the CPU has vmx or svm", check_kvm },
	{ "kernel", "a kernel and an initrd for the guest", check_kernel },
	{ NULL, NULL, NULL },
};

static int find(const struct plan *p, char **program, struct err *e)
{
	*program = program_find(p->firecracker_bin, "firecracker", "firecracker_bin",
			        "install Firecracker " OLDEST " or newer", e);
	if (!*program)
		return -1;
	if (program_needs_loader(*program) >= 0)
		return 0;
	(void)err_set(e, ERR_BACKEND, "%s: not an ELF program", *program);
	free(*program);
	*program = NULL;
	return -1;
}

static int version(const char *program, char *text, size_t size, struct err *e)
{
	const char *const ask[] = { program, "--version", NULL };
	char said[4096], word[64] = "";
	unsigned major = 0, minor = 0;

	if (spawn_read(ask, ASK_MS, said, sizeof(said), e) < 0)
		return -1;
	if (sscanf(said, "Firecracker v%63s", word) != 1 || sscanf(word, "%4u.%4u", &major, &minor) != 2)
		return err_set(e, ERR_BACKEND, "%s: not firecracker: --version says '%.60s'", program, said);
	if (major < OLDEST_MAJOR || (major == OLDEST_MAJOR && minor < OLDEST_MINOR))
		return err_set(e, ERR_BACKEND, "%s: %.60s is too old; install Firecracker " OLDEST
			       " or newer", program, word);
	str_printable(text, size, word, strlen(word));
	return 0;
}

/* What is known of older ones, beyond what stops them from working. */
static const char *faults(const char *version_text)
{
	unsigned major = 0, minor = 0, patch = 0;

	if (sscanf(version_text, "%4u.%4u.%4u", &major, &minor, &patch) < 2 ||
	    major > 1 || (major == 1 && (minor > 16 || (minor == 16 && patch >= 1))))
		return NULL;
	return "older than 1.16.1: faults of vsock after a restore are known, and before 1.14.4 "
	       "CVE-2026-5747 (of PCI, which is off here)";
}

static int binds(const struct choice *c, const char *program, struct root_bind b[BACKEND_BINDS],
		 struct err *e)
{
	static char state[4200], memory[4200];	/* live as long as the keeper */
	int n = program_binds(program, FC, b);

	b[n++] = (struct root_bind){ KVM_DEVICE, KVM_DEVICE, .writable = true, .device = true };
	b[n++] = (struct root_bind){ rootfs_of(c->plan, c->image), FCCONF_VM "/rootfs" };
	b[n++] = (struct root_bind){ kernel_of(c->plan, c->image), FCCONF_VM "/vmlinux" };
	b[n++] = (struct root_bind){ c->image->initrd, FCCONF_VM "/initrd" };
	if (c->template_dir) {
		/* one by one: the uid of the machine may not enter the user's cache */
		snprintf(state, sizeof(state), "%.4095s/state", c->template_dir);
		snprintf(memory, sizeof(memory), "%.4095s/memory", c->template_dir);
		b[n++] = (struct root_bind){ state, TEMPLATE "/state", .fleeting = true };
		b[n++] = (struct root_bind){ memory, TEMPLATE "/memory", .fleeting = true };
	}
	if (c->save_dir)
		b[n++] = (struct root_bind){ c->save_dir, SAVE, .writable = true, .fleeting = true };
	if (c->keep_dir)
		b[n++] = (struct root_bind){ c->keep_dir, KEEP, .writable = true };
	b[n] = (struct root_bind){ NULL };
	(void)e;
	return 0;
}

/* What the machine's process is: the caller where that is a plain user (and uid
 * 0 of the keeper's namespace), else a uid that owns nothing. */
static uid_t machine_uid(const struct choice *c)
{
	return c->plain_user ? 0 : POOL_UID + c->serial;
}

/* A uid of the pool has no right to the host's node: one of its own, then. */
static int own_kvm(uid_t uid, struct err *e)
{
	static bool done;
	struct stat st;

	if (uid == 0 || done)
		return 0;
	if (stat(KVM_DEVICE, &st) < 0 || mkdir("/run/kvm", 0755) < 0 ||
	    mount("kvm", "/run/kvm", "tmpfs", MS_NOSUID | MS_NOEXEC, "mode=755,size=64k") < 0 ||
	    mknod("/run/kvm/kvm", S_IFCHR | 0600, st.st_rdev) < 0 || chown("/run/kvm/kvm", uid, uid) < 0 ||
	    mount("/run/kvm/kvm", KVM_DEVICE, NULL, MS_BIND, NULL) < 0)
		return err_sys(e, ERR_HOST, "give " KVM_DEVICE " to the machine's uid");
	done = true;
	return 0;
}

/* The sockets that the guest's three ports lead to. */
static int listen_ports(int fd[KEEPER_FDS], uid_t uid, struct err *e)
{
	for (unsigned i = 0; i < KEEPER_FDS; i++) {
		struct sockaddr_un addr = { .sun_family = AF_UNIX };

		snprintf(addr.sun_path, sizeof(addr.sun_path), FCCONF_SOCKET "_%u", MSG_VSOCK_PORT + i);
		fd[i] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (fd[i] < 0 || bind(fd[i], (struct sockaddr *)&addr, sizeof(addr)) < 0 ||
		    chown(addr.sun_path, uid, uid) < 0 || listen(fd[i], 1) < 0)
			return err_sys(e, ERR_HOST, "listen for the guest");
	}
	return 0;
}

/* The attempt's folder becomes our working directory. */
static int enter_folder(unsigned attempt, uid_t uid, struct err *e)
{
	char path[32];

	snprintf(path, sizeof(path), "/run/vm%u", attempt);
	if (mkdir(path, 0700) < 0 || chown(path, uid, uid) < 0 || chdir(path) < 0)
		return err_sys(e, ERR_HOST, "make %s", path);
	return 0;
}

/* What the child needs that becomes firecracker. The MAKER of a template ends before
 * there is a program: its snapshot is not to be charged to the limits of one (on a
 * tmpfs it would be for good). */
struct machine {
	const struct choice *c;
	bool clone, maker;
	int out;
};

static int drop_rights(uid_t uid, struct err *e)
{
	for (int cap = 0; prctl(PR_CAPBSET_READ, cap) >= 0; cap++)
		if (prctl(PR_CAPBSET_DROP, cap) < 0)
			return err_sys(e, ERR_HOST, "drop capability %d", cap);
	if (uid && (setgroups(0, NULL) < 0 || setresgid(uid, uid, uid) < 0 || setresuid(uid, uid, uid) < 0))
		return err_sys(e, ERR_HOST, "become uid %u", uid);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return err_sys(e, ERR_HOST, "give up new rights");
	return 0;
}

static int become_machine(const void *arg, struct err *e)
{
	static char *env[] = { NULL };
	const struct machine *m = arg;
	const char *words[] = { FC, "--id", "pai", "--level", "Error", "--api-sock", API,
				m->clone ? NULL : "--config-file", FCCONF_FILE, NULL };
	struct rlimit core = { 0, 0 };
	AUTO_FD null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (!m->maker && cgroup_enter(&m->c->cgroup, e) < 0)
		return -1;
	if (setrlimit(RLIMIT_CORE, &core) < 0 || dup2(null, 0) < 0 || dup2(m->out, 1) < 0 ||
	    dup2(m->out, 2) < 0)
		return err_sys(e, ERR_HOST, "set up firecracker");
	if (drop_rights(machine_uid(m->c), e) < 0)
		return -1;
	execve(FC, (char *const *)(uintptr_t)words, env);
	return err_sys(e, ERR_BACKEND, "start firecracker");
}

static int fork_machine(const struct choice *c, bool clone, bool maker, struct sandbox *sb,
			int *said, struct err *e)
{
	int out[2];

	if (pipe2(out, O_CLOEXEC) < 0)
		return err_sys(e, ERR_HOST, "make a pipe");
	AUTO_FD out_end = out[1];
	*said = out[0];		/* stays open: a write to a pipe without reader fails */
	const struct machine m = { c, clone, maker, out_end };
	pid_t pid = spawn_become(become_machine, &m, e);
	if (pid < 0)
		return -1;
	sb->pid = pid;
	return 0;
}

/* It has ended: the last line that it wrote, for its errors come last, or else how. */
static int died(int pid_fd, int said, struct err *e)
{
	char text[8192], line[300];
	siginfo_t how = { 0 };
	ssize_t n = fd_nonblock(said, true) < 0 ? -1 : read(said, text, sizeof(text) - 1);

	text[n > 0 ? n : 0] = 0;
	while (n > 0 && strchr(" \r\n", text[n - 1]))
		text[--n] = 0;
	const char *last = strrchr(text, '\n');
	last = last ? last + 1 : text;
	str_printable(line, sizeof(line), last, strlen(last));
	if (*line)
		return err_set(e, ERR_BOOT, "firecracker ended: %s", line);
	(void)waitid(P_PIDFD, (id_t)pid_fd, &how, WEXITED | WNOHANG | WNOWAIT);	/* then 0 is told */
	return err_set(e, ERR_BOOT, "firecracker ended: %s %d", how.si_code == CLD_EXITED
		       ? "exit status" : "killed by signal", how.si_status);
}

/* Waits for the three calls of the guest. */
static int accept_calls(int listener[KEEPER_FDS], struct sandbox *sb, int pid_fd, int said,
			int64_t until_us, struct err *e)
{
	for (int have = 0; have < KEEPER_FDS;) {
		struct pollfd p[KEEPER_FDS + 1];

		for (int i = 0; i < KEEPER_FDS; i++)
			p[i] = (struct pollfd){ sb->fd[i] < 0 ? listener[i] : -1, POLLIN, 0 };
		p[KEEPER_FDS] = (struct pollfd){ pid_fd, POLLIN, 0 };
		int n = poll(p, KEEPER_FDS + 1, clock_poll_ms(until_us));
		if (n < 0 && errno != EINTR)
			return err_sys(e, ERR_HOST, "poll");
		if (n == 0)
			return err_set(e, ERR_SILENT, "no guest answered in time: KVM does not work here");
		if (n > 0 && p[KEEPER_FDS].revents)
			return died(pid_fd, said, e);
		for (int i = 0; n > 0 && i < KEEPER_FDS; i++)
			if (p[i].revents && (sb->fd[i] = accept4(listener[i], NULL, NULL, SOCK_CLOEXEC)) >= 0)
				have++;
	}
	return 0;
}

static void drop_base(struct sandbox *sb)
{
	if (sb->base > 0)
		(void)close(sb->base);
	sb->base = 0;
}

static void end_machine(struct sandbox *sb)
{
	if (sb->pid <= 0)
		return;
	(void)kill(sb->pid, SIGKILL);
	while (waitpid(sb->pid, NULL, 0) < 0 && errno == EINTR)
		;
	sb->pid = 0;
	for (int i = 0; i < KEEPER_FDS; i++)
		fd_closep(&sb->fd[i]);
	drop_base(sb);
}

static const char *snapshot_of(const struct choice *c)
{
	return c->save_dir ? SAVE : TEMPLATE;
}

static int load(const struct choice *c, int pid_fd, int said, int64_t until_us, struct err *e)
{
	struct pollfd end = { pid_fd, POLLIN, 0 };
	int rc = fcsnap_load(API, pid_fd, snapshot_of(c), c->keep_dir, until_us, e);

	/* it hangs up a moment before it ends, and its own words tell more */
	return rc < 0 && e->kind == ERR_DIED && poll(&end, 1, DYING_MS) > 0 ? died(pid_fd, said, e) : rc;
}

/* From the machine's start to the guest's calls. */
static int bring_up(const struct choice *c, bool clone, bool maker, int listener[KEEPER_FDS],
		    struct sandbox *sb, int64_t until_us, struct err *e)
{
	int said = -1;

	if (fork_machine(c, clone, maker, sb, &said, e) < 0)
		return -1;
	AUTO_FD pid_fd = (int)syscall(SYS_pidfd_open, sb->pid, 0);
	if (pid_fd < 0)
		return err_sys(e, ERR_HOST, "watch firecracker");
	if ((clone && load(c, pid_fd, said, until_us, e) < 0) ||
	    accept_calls(listener, sb, pid_fd, said, until_us, e) < 0)
		return -1;
	/* while the program runs: a turn is not to wait for it at its end */
	if (clone && c->keep_dir && (sb->base = fcsnap_copy(snapshot_of(c), KEEP, e)) < 0)
		return -1;
	/* a debug build has none, and works as well */
	return confine_child_filters(sb->pid) ? 0 : err_set(e, ERR_UNCONFINED,
		"firecracker has no system call filter of its own: use a release build");
}

static int start(const struct choice *c, bool clone, unsigned attempt, struct sandbox *sb,
		 struct err *e)
{
	int listener[KEEPER_FDS] = { -1, -1, -1 };
	int64_t until = clock_now_us() + (clone && !c->resume_dir ? CLONE_MS : c->boot_ms) * (int64_t)1000;
	bool maker = c->save_dir && attempt == 1;
	uid_t uid = machine_uid(c);
	char name[32];

	drop_base(sb);
	(void)unlink(KEEP "/memory");	/* of an attempt before, half a copy; else there is none */
	*sb = (struct sandbox){ .fd = { -1, -1, -1 } };
	int rc = own_kvm(uid, e) < 0 || enter_folder(attempt, uid, e) < 0 ||
		 listen_ports(listener, uid, e) < 0 || (!clone && fcconf_write(c->plan->limit[LIMIT_CPUS], machine_mib(c->plan), maker || c->keep_dir, e) < 0) ||
		 bring_up(c, clone, maker, listener, sb, until, e) < 0 ? -1 : 0;
	/* nobody else calls: not the program, whoever it becomes */
	for (unsigned i = 0; i < KEEPER_FDS; i++) {
		fd_closep(&listener[i]);
		snprintf(name, sizeof(name), FCCONF_SOCKET "_%u", MSG_VSOCK_PORT + i);
		(void)unlink(name);
	}
	if (rc < 0)
		end_machine(sb);
	return rc;
}

static int save_in(const char *folder, uid_t uid, mode_t mode, uint64_t ms, struct sandbox *sb, struct err *e)
{
	int64_t until = clock_now_us() + (int64_t)ms * 1000;
	AUTO_FD pid_fd = (int)syscall(SYS_pidfd_open, sb->pid, 0);
	int rc = pid_fd < 0 ? err_sys(e, ERR_DIED, "firecracker has ended")
	       : fcsnap_save(API, pid_fd, folder, uid, sb->base, until, e);
	struct err ignored;

	end_machine(sb);
	return fcsnap_finish(folder, uid, mode, rc == 0, rc < 0 ? &ignored : e) < 0 ? -1 : rc;
}

static int save(const struct choice *c, struct sandbox *sb, unsigned attempt, struct err *e)
{
	(void)attempt;
	return save_in(SAVE, machine_uid(c), 0755, c->boot_ms, sb, e);
}

static int keep(const struct choice *c, struct sandbox *sb, unsigned attempt, struct err *e)
{
	(void)attempt;
	return save_in(KEEP, machine_uid(c), 0700, BACKEND_KEEP_MS, sb, e);
}

const struct backend backend_firecracker = {
	.name = "firecracker", .find = find, .needs = needs, .version = version, .faults = faults,
	.binds = binds, .start = start, .save = save, .save_ends = true, .keep = keep,
	.own_limits = true, .host_memory = host_memory, .key = key,
	.is_known = kvm_is_known, .doubt = kvm_doubt, .told = kvm_told,
};
