/* SPDX-License-Identifier: Apache-2.0 */
/* program - the program's process: how it starts and how it ends; see guest.h */
#include "guest/guest.h"

#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOFILE_SOFT 1024
#define NOFILE_HARD 4096
#define WATCH_BYTES_PER_MS (4u << 20)
#define WATCH_MIN_MS 2
#define WATCH_MAX_MS 100
#define STACK_BYTES (8ul << 20)

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

/* The words of the command line: python runs what the start hook has made of
 * the program (deploy/image/sitecustomize.py says why); bash runs the file. */
static int make_argv(struct guest *g, struct strv *argv, struct err *e)
{
	const struct msg_run *run = &g->run;
	const char *head[5] = { NULL };
	char path[sizeof(GUEST_WORKSPACE) + 1 + MSG_PATH_MAX];

	snprintf(path, sizeof(path), GUEST_WORKSPACE "/%s", run->file);
	switch (run->lang) {
	case MSG_MODULE:
		head[0] = "/usr/bin/python3", head[1] = "-m", head[2] = run->shown;
		break;
	case MSG_SHELL:
		head[0] = "/bin/bash", head[1] = *run->file ? path : GUEST_TEXT;
		break;
	default:
		head[0] = "/usr/bin/python3", head[1] = "-P", head[2] = GUEST_MAIN;
		break;
	}
	for (const char **h = head; *h; h++)
		if (strv_add(argv, *h, e) < 0)
			return -1;
	for (size_t i = 0; i < g->args.n; i++)
		if (strv_add(argv, g->args.at[i], e) < 0)
			return -1;
	return 0;
}

/* What the start hook reads: strings, each with its NUL. */
static int write_go(struct guest *g, struct err *e)
{
	const struct msg_run *run = &g->run;
	char path[sizeof(GUEST_WORKSPACE) + 1 + MSG_PATH_MAX];
	const char *words[] = {
		run->lang == MSG_MODULE ? "module" : "program",
		*run->file ? path : GUEST_TEXT,
		run->shown,
		run->flags & MSG_PRINT_LAST ? "1" : "",
		run->flags & MSG_REPORT ? "1" : "",
	};
	int rc = 0;

	snprintf(path, sizeof(path), GUEST_WORKSPACE "/%s", run->file);
	if (guest_as_user(e) < 0)
		return -1;
	AUTO_FD fd = open(GUEST_GO, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_sys(e, ERR_HOST, "write " GUEST_GO);
	for (size_t i = 0; rc == 0 && i < sizeof(words) / sizeof(*words); i++)
		rc = fd_write_all(fd, words[i], strlen(words[i]) + 1);
	if (rc < 0)
		return err_sys(e, ERR_HOST, "write " GUEST_GO);
	return guest_as_root(e);
}

static int set_rlimits(const struct guest *g, struct err *e)
{
	const rlim_t none = RLIM_INFINITY;
	const struct {
		int what;
		rlim_t soft, hard;
	} table[] = {
		{ RLIMIT_CORE, 0, 0 },
		{ RLIMIT_NOFILE, NOFILE_SOFT, NOFILE_HARD },
		{ RLIMIT_NPROC, g->run.pids, g->run.pids },
		{ RLIMIT_STACK, STACK_BYTES, none },
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

/* What sched_getaffinity() and nproc tell; what holds is the host's quota. */
static void show_cpus(const struct guest *g)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (uint32_t i = 0; i < g->run.cpus && i < CPU_SETSIZE; i++)
		CPU_SET(i, &set);
	(void)sched_setaffinity(0, sizeof(set), &set);	/* fewer CPUs than that here */
}

static int drop_rights(struct err *e)
{
	for (int cap = 0, has; (has = prctl(PR_CAPBSET_READ, cap)) >= 0; cap++)
		if (has && prctl(PR_CAPBSET_DROP, cap) < 0)
			return err_sys(e, ERR_HOST, "drop capability %d", cap);
	if (setgroups(0, NULL) < 0 || setresgid(GUEST_UID, GUEST_UID, GUEST_UID) < 0 ||
	    setresuid(GUEST_UID, GUEST_UID, GUEST_UID) < 0)
		return err_sys(e, ERR_HOST, "become uid %d", GUEST_UID);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return err_sys(e, ERR_HOST, "give up new rights");
	return 0;
}

/* In the child, up to execve(); returns only if something failed. */
static int become_program(struct guest *g, int in, char **argv, char **env, struct err *e)
{
	AUTO_FD procs = openat(g->pids_dir, "cgroup.procs", O_WRONLY | O_CLOEXEC);
	sigset_t none;

	if (setsid() < 0 || procs < 0 || write(procs, "0", 1) != 1)
		return err_sys(e, ERR_HOST, "enter the program's cgroup");
	if (set_rlimits(g, e) < 0)
		return -1;
	show_cpus(g);
	if (dup2(in, 0) < 0 || close_range(3, ~0u, CLOSE_RANGE_CLOEXEC) < 0)
		return err_sys(e, ERR_HOST, "hand over standard input");
	if (chdir(GUEST_WORKSPACE) < 0)
		return err_sys(e, ERR_HOST, "enter " GUEST_WORKSPACE);
	umask(022);
	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (drop_rights(e) < 0 || filter_load(e) < 0)
		return -1;
	execve(argv[0], argv, env);
	return err_sys(e, ERR_IMAGE, "start %s in the image", argv[0]);
}

/* vfork: copying our memory would cost gVisor some 3 ms. The child shares it
 * until its execve() and we wait so long, so *e is simply filled. */
static int fork_program(struct guest *g, int in, char **argv, char **env, struct err *e)
{
	pid_t pid = vfork();

	if (pid < 0)
		return err_sys(e, ERR_HOST, "fork the program");
	if (pid == 0) {
		(void)become_program(g, in, argv, env, e);
		_exit(127);
	}
	if (e->kind)
		return -1;
	g->pid = pid;
	return 0;
}

static int start_with(struct guest *g, struct strv *argv, struct strv *env, struct err *e)
{
	int pipe_fd[2] = { -1, -1 };

	if (add_environment(g, env, e) < 0)
		return -1;
	for (size_t i = 0; i < g->env.n; i++)
		if (set_variable(env, g->env.at[i], e) < 0)
			return -1;
	if (g->run.lang != MSG_SHELL &&
	    (set_variable(env, "PAI_START=1", e) < 0 || write_go(g, e) < 0))
		return -1;
	if (make_argv(g, argv, e) < 0)
		return -1;
	if (g->run.flags & MSG_STDIN_OPEN) {
		if (pipe2(pipe_fd, O_CLOEXEC) < 0)
			return err_sys(e, ERR_HOST, "make a pipe");
	} else if ((pipe_fd[0] = open("/dev/null", O_RDONLY | O_CLOEXEC)) < 0) {
		return err_sys(e, ERR_HOST, "open /dev/null");
	}
	AUTO_FD in = pipe_fd[0];
	g->stdin_fd = pipe_fd[1];
	/* so that /dev/stdin can be opened by the program's user */
	if (g->stdin_fd >= 0 && (fd_nonblock(g->stdin_fd, true) < 0 ||
				 fchown(in, GUEST_UID, GUEST_UID) < 0))
		return err_sys(e, ERR_HOST, "set up standard input");
	return fork_program(g, in, argv->at, env->at, e);
}

int program_start(struct guest *g, struct err *e)
{
	struct strv argv = { 0 }, env = { 0 };
	int rc = start_with(g, &argv, &env, e);

	strv_free(&argv);
	strv_free(&env);
	return rc;
}

void program_kill(struct guest *g, enum msg_by by)
{
	if (g->by == MSG_BY_ITSELF)
		g->by = by;
	(void)kill(-1, SIGKILL);	/* ESRCH: it has just ended */
}

/* gVisor has no memory controller for us, but counts what the whole sandbox
 * has in use. The nearer the limit, the sooner the next look: no program fills
 * memory faster than WATCH_BYTES_PER_MS. What outruns this meets the host's
 * own limit, PLAN_MEMORY_SLACK above. */
int program_watch_memory(struct guest *g)
{
	struct sysinfo si;

	if (g->pid <= 0 || g->by != MSG_BY_ITSELF || sysinfo(&si) < 0)
		return -1;
	uint64_t used = (uint64_t)(si.totalram - si.freeram) * si.mem_unit;
	if (used >= g->run.memory_bytes) {
		program_kill(g, MSG_BY_MEMORY);
		return -1;
	}
	uint64_t ms = (g->run.memory_bytes - used) / WATCH_BYTES_PER_MS;
	return ms < WATCH_MIN_MS ? WATCH_MIN_MS : ms > WATCH_MAX_MS ? WATCH_MAX_MS : (int)ms;
}

int program_end_all(struct guest *g, struct err *e)
{
	AUTO_FD max = openat(g->pids_dir, "pids.max", O_WRONLY | O_CLOEXEC);

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
