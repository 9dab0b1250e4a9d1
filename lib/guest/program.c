/* SPDX-License-Identifier: Apache-2.0 */
/* program - the program's process: how it starts and how it ends; see guest.h */
#include "guest/guest.h"

#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOFILE_SOFT 1024
#define NOFILE_HARD 4096
#define WATCH_BYTES_PER_MS (4u << 20)
#define WATCH_MIN_MS 2
#define WATCH_MAX_MS 100
#define CPU_LOOK_MS 5	/* the finest look at CPU time */
#define STACK_BYTES (8ul << 20)
#define MEMLOCK_BYTES (8ul << 20)	/* as Linux has it; gVisor gives 64K */

/* Adds what stands before the user's own variables; see ENVIRONMENT in the man page. */
static int add_environment(struct guest *g, struct strv *env, struct err *e)
{
	static const char *const fixed[] = {
		"PATH=/usr/local/bin:/usr/bin:/bin", ("HOME=" GUEST_HOME), "USER=user",
		"LOGNAME=user", "SHELL=/bin/bash", "LANG=C.UTF-8", "TZ=UTC",
		/* the same in every run, so that a clone of a template is no different */
		"PYTHONHASHSEED=0",
		/* a fresh sandbox never reads it again */
		"PYTHONDONTWRITEBYTECODE=1",
	};
	static const char *const cpus[] = { "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS",
					    "PYTHON_CPU_COUNT" };
	char text[64];

	for (size_t i = 0; i < sizeof(fixed) / sizeof(*fixed); i++)
		if (strv_add(env, fixed[i], e) < 0)
			return -1;
	for (size_t i = 0; i < sizeof(cpus) / sizeof(*cpus); i++) {
		snprintf(text, sizeof(text), "%s=%" PRIu32, cpus[i], g->run.cpus);
		if (strv_add(env, text, e) < 0)
			return -1;
	}
	return 0;
}

/* Puts VAR in the place of the variable of the same name, or behind the rest. */
static int set_variable(struct strv *env, const char *var, struct err *e)
{
	size_t n = strcspn(var, "=") + 1;

	for (size_t i = 0; i < env->n; i++) {
		if (strncmp(env->at[i], var, n))
			continue;
		free(env->at[i]);
		env->at[i] = strdup(var);
		return env->at[i] ? 0 : err_sys(e, ERR_HOST, "memory");
	}
	return strv_add(env, var, e);
}

static int add_words(struct strv *v, const char *const *words, struct err *e)
{
	for (; *words; words++)
		if (strv_add(v, *words, e) < 0)
			return -1;
	return 0;
}

/* The words of the command line. python runs what the start hook has made of
 * the program, and has its arguments from there too (deploy/image/
 * sitecustomize.py says why); bash and -m have theirs here. */
static int make_argv(struct guest *g, struct strv *argv, struct err *e)
{
	const struct msg_run *run = &g->run;
	char path[sizeof(GUEST_WORKSPACE) + 1 + MSG_PATH_MAX];
	const char *const hooked[] = { "/usr/bin/python3", "-P", GUEST_MAIN, NULL };
	const char *const module[] = { "/usr/bin/python3", "-m", run->shown, NULL };
	const char *const shell[] = { "/bin/bash", path, NULL };

	if (g->warm || run->lang == MSG_PYTHON)
		return add_words(argv, hooked, e);
	if (*run->file)
		snprintf(path, sizeof(path), GUEST_WORKSPACE "/%s", run->file);
	else
		snprintf(path, sizeof(path), GUEST_TEXT);
	if (add_words(argv, run->lang == MSG_MODULE ? module : shell, e) < 0)
		return -1;
	return g->args.n ? add_words(argv, (const char *const *)g->args.at, e) : 0;
}

static int set_rlimits(struct err *e)
{
	const rlim_t none = RLIM_INFINITY;
	const struct {
		int what;
		rlim_t soft, hard;
	} table[] = {
		{ RLIMIT_CORE, 0, 0 },
		{ RLIMIT_NOFILE, NOFILE_SOFT, NOFILE_HARD },
		{ RLIMIT_STACK, STACK_BYTES, none },
		{ RLIMIT_MEMLOCK, MEMLOCK_BYTES, MEMLOCK_BYTES },
		{ RLIMIT_FSIZE, none, none },	/* the sentry hands its own down */
		{ RLIMIT_AS, none, none },
		{ RLIMIT_DATA, none, none },
		{ RLIMIT_CPU, none, none },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		struct rlimit r = { table[i].soft, table[i].hard };

		if (setrlimit((__rlimit_resource_t)table[i].what, &r) < 0)
			return err_sys(e, ERR_HOST, "set resource limit %d", table[i].what);
	}
	return 0;
}

/* What nproc tells; what holds is the host's quota. By the process itself: gVisor
 * lets nobody set it for another uid's without CAP_SYS_NICE. */
static void set_cpus(const struct guest *g)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (uint32_t i = 0; i < g->run.cpus && i < CPU_SETSIZE; i++)
		CPU_SET(i, &set);
	(void)sched_setaffinity(0, sizeof(set), &set);	/* fewer CPUs than that here */
}

/* What of a run's limits lies in the process PID (0: ourselves): set before the
 * program's first step, in a clone as in a cold start. */
static int apply_limits(const struct guest *g, pid_t pid, struct err *e)
{
	struct rlimit procs = { 0 };
	int rc = prlimit(pid, RLIMIT_NPROC, NULL, &procs);

	/* a session's next turn may have more, and nobody may raise the hard one of another's
	 * process, which it may have lowered itself; what holds is the cgroup */
	procs.rlim_cur = procs.rlim_max < g->run.pids ? procs.rlim_max : g->run.pids;
	if (!(g->run.flags & MSG_SESSION))
		procs.rlim_max = procs.rlim_cur;
	if (rc < 0 || prlimit(pid, RLIMIT_NPROC, &procs, NULL) < 0)
		return err_sys(e, ERR_HOST, "set the limit of processes");
	return 0;
}

int program_drop_rights(struct err *e)
{
	for (int cap = 0, has; (has = prctl(PR_CAPBSET_READ, cap)) >= 0; cap++)
		if (has && prctl(PR_CAPBSET_DROP, cap) < 0)
			return err_sys(e, ERR_HOST, "drop capability %d", cap);
	if (setgroups(0, NULL) < 0 || setresgid(GUEST_UID, GUEST_UID, GUEST_UID) < 0 ||
	    setresuid(GUEST_UID, GUEST_UID, GUEST_UID) < 0)
		return err_sys(e, ERR_HOST, "become uid %d", GUEST_UID);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return err_sys(e, ERR_HOST, "give up new rights");
	return filter_load(e);
}

static int enter_groups(const struct guest *g)
{
	for (int i = 0; i < GROUPS; i++) {
		AUTO_FD procs = openat(g->group[i], "cgroup.procs", O_WRONLY | O_CLOEXEC);

		if (g->group[i] >= 0 && (procs < 0 || write(procs, "0", 1) != 1))
			return -1;
	}
	return 0;
}

/* In the child, up to execve(); returns only if something failed. */
static int become_program(struct guest *g, const int fd[2], char **argv, char **env, struct err *e)
{
	sigset_t none;

	if (setsid() < 0 || enter_groups(g) < 0)
		return err_sys(e, ERR_HOST, "enter the program's cgroup");
	if (set_rlimits(e) < 0)
		return -1;
	set_cpus(g);		/* a template is of one number of CPUs, known at its making */
	if (!g->warm && g->run.lang == MSG_SHELL && apply_limits(g, 0, e) < 0)
		return -1;
	/* a gVisor of 2024 refuses a last one beyond INT_MAX */
	if (dup2(fd[0], 0) < 0 || (fd[1] >= 0 && dup2(fd[1], GUEST_GO_FD) < 0) ||
	    close_range(GUEST_GO_FD + (fd[1] >= 0), INT_MAX, 0) < 0)
		return err_sys(e, ERR_HOST, "hand over standard input");
	if (chdir(GUEST_WORKSPACE) < 0)
		return err_sys(e, ERR_HOST, "enter " GUEST_WORKSPACE);
	umask(022);
	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (program_drop_rights(e) < 0)
		return -1;
	execve(argv[0], argv, env);
	return err_sys(e, ERR_IMAGE, "start %s in the image", argv[0]);
}

/* vfork: copying our memory would cost gVisor some 3 ms. The child shares it
 * until its execve() and we wait so long, so *e is simply filled. */
static int fork_program(struct guest *g, const int fd[2], char **argv, char **env, struct err *e)
{
	pid_t pid = vfork();

	if (pid < 0)
		return err_sys(e, ERR_HOST, "fork the program");
	if (pid == 0) {
		(void)become_program(g, fd, argv, env, e);
		_exit(127);
	}
	if (e->kind)
		return -1;
	g->pid = pid;
	return 0;
}

int program_stdin(struct guest *g, struct err *e)
{
	int in[2];

	if (pipe2(in, O_CLOEXEC) < 0)
		return err_sys(e, ERR_HOST, "make a pipe");
	AUTO_FD in_end = in[0];
	fd_closep(&g->stdin_fd);
	g->stdin_fd = in[1];
	/* so that /dev/stdin can be opened by the program's user */
	if (fd_nonblock(g->stdin_fd, true) < 0 || fchown(in_end, GUEST_UID, GUEST_UID) < 0)
		return err_sys(e, ERR_HOST, "set up standard input");
	return fd_take(&in_end);
}

/* Its standard input, and the socket pair over which a start hook says that it is ready
 * and is told to go. */
static int spawn_with(struct guest *g, struct strv *argv, struct strv *env, bool hooked,
		      struct err *e)
{
	int go[2] = { -1, -1 };
	AUTO_FD in_end = program_stdin(g, e);

	if (in_end < 0)
		return -1;
	if (hooked && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, go) < 0)
		return err_sys(e, ERR_HOST, "make a socket pair");
	AUTO_FD go_end = go[1];
	g->go_fd = go[0];
	const int fd[2] = { in_end, go_end };
	return fork_program(g, fd, argv->at, env->at, e);
}

static int spawn(struct guest *g, const char *preload, struct err *e)
{
	bool hooked = g->warm || g->run.lang != MSG_SHELL;
	struct strv argv = { 0 }, env = { 0 };
	char hook[sizeof("PAI_START=") + MSG_PATH_MAX];
	int rc = add_environment(g, &env, e);

	snprintf(hook, sizeof(hook), "PAI_START=%s", preload ? preload : "");
	for (size_t i = 0; rc == 0 && i < g->env.n; i++)
		rc = set_variable(&env, g->env.at[i], e);
	if (rc == 0 && hooked)
		rc = set_variable(&env, hook, e);
	/* a template of a cell has the shell among its modules */
	if (rc == 0 && !g->warm && g->run.flags & MSG_CELL)
		rc = set_variable(&env, "PAI_CELL=1", e);
	if (rc == 0)
		rc = make_argv(g, &argv, e);
	if (rc == 0)
		rc = spawn_with(g, &argv, &env, hooked, e);
	strv_free(&argv);
	strv_free(&env);
	return rc;
}

int program_prepare(struct guest *g, const char *preload, struct err *e)
{
	g->warm = true;
	return spawn(g, preload, e);
}

/* The interpreter is up and waits: from here on it is the program. */
static int go(struct guest *g, struct err *e)
{
	kernel_begin(g);
	g->cpu_begin_ms = world_cpu_ms(g);
	if (g->run.flags & (MSG_REPORT | MSG_SESSION) && report_open(g, e) < 0)
		return -1;
	if (world_hold_memory(g, e) < 0 || apply_limits(g, g->pid, e) < 0 || kernel_go(g, e) < 0)
		return -1;
	fd_closep(&g->go_fd);	/* its end is the word to go */
	return 0;
}

int program_start(struct guest *g, struct err *e)
{
	bool hooked = g->warm || g->run.lang != MSG_SHELL;

	if (kernel_resume(g, e) < 0)
		return -1;
	/* what is not hooked runs at once; for the rest go() does it */
	if (!hooked && world_hold_memory(g, e) < 0)
		return -1;
	if (g->pid == 0 && spawn(g, NULL, e) < 0)
		return -1;
	/* until then the time that passes is the boot's, not the program's */
	if (hooked && !g->ready)
		return 0;
	if (hooked && go(g, e) < 0)
		return -1;
	if (!(g->run.flags & MSG_STDIN_OPEN))
		fd_closep(&g->stdin_fd);
	g->started = true;
	return guest_send(g, MSG_STARTED, NULL, 0, e);
}

void program_kill(struct guest *g, enum msg_by by)
{
	if (g->by == MSG_BY_ITSELF)
		g->by = by;
	(void)kill(-1, SIGKILL);	/* ESRCH: it has just ended */
}

/* gVisor has no memory controller for us, but counts what the whole sandbox has in
 * use; a microVM's kernel counts the program's. The nearer the limit, the sooner the
 * next look: no program fills memory faster than WATCH_BYTES_PER_MS. What outruns
 * this meets the host's own limit, PLAN_MEMORY_SLACK above, or the microVM's. */
static int watch_memory(struct guest *g, int *ms, struct err *e)
{
	struct sysinfo si;

	if (sysinfo(&si) < 0)
		return err_sys(e, ERR_HOST, "look at the memory in use");
	uint64_t used = g->vm ? world_memory_used(g)
			      : (uint64_t)(si.totalram - si.freeram) * si.mem_unit;
	uint64_t limit = g->vm ? g->memory_left : g->run.memory_bytes;
	if (used >= limit) {
		program_kill(g, MSG_BY_MEMORY);
		return 0;
	}
	uint64_t left = (limit - used) / WATCH_BYTES_PER_MS;
	*ms = left < WATCH_MIN_MS ? WATCH_MIN_MS : left > WATCH_MAX_MS ? WATCH_MAX_MS : (int)left;
	return 0;
}

/* What is left cannot be spent sooner than on all CPUs at once. */
static int watch_cpu_time(struct guest *g, int *ms, struct err *e)
{
	uint64_t used = world_cpu_ms(g) - g->cpu_begin_ms;

	if (used >= g->run.cpu_ms) {
		g->cpu_spent = true;
		return guest_send(g, MSG_SPENT, NULL, 0, e);
	}
	uint64_t left = (g->run.cpu_ms - used) / g->run.cpus;
	left = left < CPU_LOOK_MS ? CPU_LOOK_MS : left;
	if (*ms < 0 || left < (uint64_t)*ms)
		*ms = (int)left;
	return 0;
}

int program_watch(struct guest *g, int *ms, struct err *e)
{
	*ms = -1;
	if (!g->started || g->pid <= 0)
		return 0;
	if (g->by == MSG_BY_ITSELF && watch_memory(g, ms, e) < 0)
		return -1;
	if (g->run.cpu_ms == MSG_UNCOUNTED || g->cpu_spent)
		return 0;
	return watch_cpu_time(g, ms, e);
}

int program_end_all(struct guest *g, struct err *e)
{
	AUTO_FD max = openat(g->group[GROUP_PIDS], "pids.max", O_WRONLY | O_CLOEXEC);

	/* first nothing new, then nothing old: a fork bomb cannot outrun this */
	if (max < 0 || write(max, "0", 1) != 1)
		return err_sys(e, ERR_HOST, "stop new processes");
	for (;;) {
		if (kill(-1, SIGKILL) < 0 && errno != ESRCH)
			return err_sys(e, ERR_HOST, "end the program's processes");
		if (wait(NULL) < 0 && errno == ECHILD)
			return 0;
	}
}
