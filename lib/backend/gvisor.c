/* SPDX-License-Identifier: Apache-2.0 */
/* gvisor - runsc with systrap, started in the keeper's root; see backend.h
 *
 * `runsc run` in the foreground of the keeper's namespaces, as uid 0 of them
 * (for a plain user without runsc's --rootless, whose restore is refused).
 * The container's descriptors 0, 1, 2 are the control channel and two pipes.
 */
#include "backend/backend.h"

#include "backend/ociconf.h"
#include "base/clock.h"
#include "base/fd.h"
#include "host/program.h"
#include "host/spawn.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define RUNSC "/bin/runsc"	/* in the keeper's root */
#define STATE_DIR "/run/runsc"	/* runsc's own state, unless the plan has another */
#define TEMPLATE "/template"	/* there too */
#define SAVE BACKEND_SAVE
#define KEEP BACKEND_KEEP
#define WORDS_MAX 40
#define SAVE_MS 30000u
#define CLONES_SINCE "20250101"
#define ASK_MS 3000u		/* that it may take to say its version */
#define GIB (1ull << 30)
#define SENTRY_DATA (512ull << 20)	/* it reserves 230M, and uses 10M to 100M of it */

/* Flags whose defaults we count on are given all the same; only such as a
 * runsc of 2024 knows too, for an unknown one is fatal. (-watchdog-action is
 * not: that one hands it on to itself in words that it refuses.) */
static const char *const flags[] = {
	RUNSC, "-platform=systrap", "-network=none", "-ignore-cgroups=true",
	"-overlay2=none", "-file-access=exclusive", "-host-uds=none", "-host-fifo=none",
	"-net-raw=false", "-iouring=false", "-nvproxy=false", "-tpuproxy=false",
	"-oci-seccomp=false", NULL,
};

struct words {
	const char *at[WORDS_MAX];
	char root[128], id[16];
};

/* The command line of runsc's VERB for that attempt's container. */
static void make_words(struct words *to, const struct plan *p, const char *const *verb,
		       unsigned attempt)
{
	const char **words = to->at;
	size_t n = 0;

	snprintf(to->id, sizeof(to->id), "pai%u", attempt);
	snprintf(to->root, sizeof(to->root), "-root=%s",
		 p->gvisor_state_dir ? p->gvisor_state_dir : STATE_DIR);
	for (const char *const *w = flags; *w; w++)
		words[n++] = *w;
	words[n++] = to->root;
	for (const char *const *w = verb; *w; w++)
		words[n++] = *w;
	words[n++] = to->id;
	words[n] = NULL;
	assert(n < WORDS_MAX);
}

/* What the caller's own limits must leave; a sandbox that starts without dies
 * with a riddle. */
static int check_limits(const struct plan *p, const struct image *im, struct err *e)
{
	static const struct {
		__rlimit_resource_t what;
		rlim_t least;
		const char *name, *cure;
	} needs[] = {
		{ RLIMIT_NOFILE, 256, "open files", "ulimit -n" },
		{ RLIMIT_AS, RLIM_INFINITY, "address space", "ulimit -v" },
		{ RLIMIT_FSIZE, RLIM_INFINITY, "file size", "ulimit -f" },
		{ RLIMIT_SIGPENDING, 64, "pending signals", "ulimit -i" },
	};
	struct rlimit r;

	(void)p;
	(void)im;
	for (size_t i = 0; i < sizeof(needs) / sizeof(*needs); i++)
		if (getrlimit(needs[i].what, &r) == 0 && r.rlim_max < needs[i].least)
			return err_set(e, ERR_BACKEND, "the caller's limit of %s is %llu (%s): too "
				       "low for a sandbox", needs[i].name,
				       (unsigned long long)r.rlim_max, needs[i].cure);
	return 0;
}

/* Absolute path of the runsc that is wanted: a name, or a path already. */
static int find(const struct plan *p, char **program, struct err *e)
{
	char cure[ERR_MSG_MAX];

	snprintf(cure, sizeof(cure), "%s/get-runsc installs it", program_deploy());
	*program = program_find(p->runsc_bin, "runsc", "runsc_bin", cure, e);
	if (!*program)
		return -1;
	if (program_needs_loader(*program) >= 0)
		return 0;
	(void)err_set(e, ERR_BACKEND, "%s: not an ELF program (a script around runsc would "
		      "not find its way in the bare root)", *program);
	free(*program);
	*program = NULL;
	return -1;
}

/* `runsc --version` begins with "runsc version X"; systrap came after 2022. */
static int version(const char *program, char *text, size_t size, struct err *e)
{
	const char *const ask[] = { program, "--version", NULL }, *list[] = { program, "flags", NULL };
	char said[65536], word[128] = "";

	int rc = spawn_read(ask, ASK_MS, said, sizeof(said), e);
	if (rc < 0)
		return -1;
	if (rc > 0 || sscanf(said, "runsc version %127s", word) != 1)
		return err_set(e, ERR_BACKEND, "%s: not runsc: --version says '%.60s'", program, said);
	if (spawn_read(list, ASK_MS, said, sizeof(said), e) < 0)
		return -1;
	if (!strstr(said, "systrap"))
		return err_set(e, ERR_BACKEND, "%s: %.60s is too old: it has no systrap; "
			       "%s/get-runsc builds a new one", program, word, program_deploy());
	str_printable(text, size, word, strlen(word));
	return 0;
}

static int binds(const struct choice *c, const char *program,
		 struct root_bind b[BACKEND_BINDS], struct err *e)
{
	int n = program_binds(program, RUNSC, b);

	(void)e;
	b[n++] = (struct root_bind){ c->image->rootfs, c->image->is_folder ? OCI_FOLDER : OCI_IMAGE };
	if (c->template_dir)
		b[n++] = (struct root_bind){ c->template_dir, TEMPLATE, .fleeting = true };
	if (c->save_dir)
		b[n++] = (struct root_bind){ c->save_dir, SAVE, .writable = true, .fleeting = true };
	if (c->keep_dir)
		b[n++] = (struct root_bind){ c->keep_dir, KEEP, .writable = true };
	b[n] = (struct root_bind){ NULL };
	return 0;
}

static int write_bundle(const struct choice *c, struct err *e)
{
	const char *text = c->image->is_folder ? ociconf_folder : ociconf_image;

	if (mkdir("/bundle", 0755) < 0 || mkdir(OCI_ROOT, 0755) < 0)
		return errno == EEXIST ? 0 : err_sys(e, ERR_HOST, "make the bundle");
	AUTO_FD fd = open("/bundle/config.json", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0 || fd_write_all(fd, text, strlen(text)) < 0)
		return err_sys(e, ERR_HOST, "write config.json");
	return 0;
}

/* One raw stream: PIPE[0] for the command, PIPE[1] for the program. Its mode
 * is what gVisor freezes at the start: without 0666 uid 1000 could not open
 * /dev/stdout. */
static int make_stream(int fd[2], struct err *e)
{
	if (pipe2(fd, O_CLOEXEC) < 0)
		return err_sys(e, ERR_HOST, "make a pipe");
	if (fchmod(fd[1], 0666) < 0)
		return err_sys(e, ERR_HOST, "open a pipe for all");
	(void)fcntl(fd[1], F_SETPIPE_SZ, BACKEND_PIPE);	/* a smaller one is only slower */
	return 0;
}

/* Without a cgroup CPUs are held by affinity, each run from another CPU on. */
static void pin(uint64_t cpus)
{
	cpu_set_t all, some;

	if (sched_getaffinity(0, sizeof(all), &all) < 0)
		return;
	uint64_t n = (uint64_t)CPU_COUNT(&all), skip = (uint64_t)clock_now_us() % n;
	CPU_ZERO(&some);
	for (size_t i = 0; n > 0 && (uint64_t)CPU_COUNT(&some) < cpus; i = (i + 1) % CPU_SETSIZE) {
		if (!CPU_ISSET(i, &all))
			continue;
		if (skip > 0) {
			skip--;
			continue;
		}
		CPU_SET(i, &some);
		n--;
	}
	(void)sched_setaffinity(0, sizeof(some), &some);	/* the host's cpuset wins */
}

static int set_limits(const struct choice *c, struct err *e)
{
	uint64_t memory = c->plan->limit[LIMIT_MEMORY] + PLAN_MEMORY_SLACK;
	struct rlimit core = { 0, 0 }, heap = { SENTRY_DATA, SENTRY_DATA }, size;

	if (setrlimit(RLIMIT_CORE, &core) < 0)
		return err_sys(e, ERR_HOST, "set a limit");
	/* Without a cgroup the sentry's memory file is what can be bounded. It
	 * grows in steps of 1 GiB and has holes: one step more is for those. What
	 * pipes and sockets hold lies in its heap instead. */
	size.rlim_cur = size.rlim_max = (memory + GIB - 1) / GIB * GIB + GIB;
	if (!c->cgroup.memory &&
	    (setrlimit(RLIMIT_FSIZE, &size) < 0 || setrlimit(RLIMIT_DATA, &heap) < 0))
		return err_sys(e, ERR_HOST, "bound the sandbox's memory");
	if (!c->cgroup.cpu)
		pin(c->plan->limit[LIMIT_CPUS]);
	return 0;
}

struct streams {
	int control[2], out[2], err[2];
};

/* What the child needs that becomes runsc. */
struct runsc {
	const struct choice *c;
	const char *const *words;
	int in, out, err;
};

static int become_runsc(const void *arg, struct err *e)
{
	static char *env[] = { NULL };
	const struct runsc *r = arg;

	if (cgroup_enter(&r->c->cgroup, e) < 0 || set_limits(r->c, e) < 0)
		return -1;
	if (dup2(r->in, 0) < 0 || dup2(r->out, 1) < 0 || dup2(r->err, 2) < 0)
		return err_sys(e, ERR_HOST, "hand over the streams");
	execve(RUNSC, (char *const *)(uintptr_t)r->words, env);
	return err_sys(e, ERR_BACKEND, "start runsc");
}

static int fork_runsc(const struct choice *c, const char *const *words, struct streams *s,
		      struct sandbox *sb, struct err *e)
{
	const struct runsc r = { c, words, s->control[1], s->out[1],
				 c->one_stream ? s->out[1] : s->err[1] };
	pid_t pid = spawn_become(become_runsc, &r, e);

	if (pid < 0)
		return -1;
	sb->pid = pid;
	sb->fd[0] = fd_take(&s->control[0]);
	sb->fd[1] = fd_take(&s->out[0]);
	sb->fd[2] = fd_take(&s->err[0]);
	return 0;
}

static int start(const struct choice *c, bool clone, unsigned attempt, struct sandbox *sb,
		 struct err *e)
{
	static const char *const run[] = { "run", "-bundle=/bundle", NULL };
	static const char *const restore[] = { "restore", "-bundle=/bundle",
					       "-image-path=" TEMPLATE, NULL };
	struct words words;
	struct streams s = { { -1, -1 }, { -1, -1 }, { -1, -1 } };
	int *all[] = { s.control, s.out, s.err };
	int rc = write_bundle(c, e);

	make_words(&words, c->plan, clone ? restore : run, attempt);

	if (rc == 0 && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, s.control) < 0)
		rc = err_sys(e, ERR_HOST, "make a socket pair");
	/* for its time of change: by that pai-guest knows a new one (guest/serve.c) */
	if (rc == 0 && fchmod(s.control[1], 0600) < 0)
		rc = err_sys(e, ERR_HOST, "set up the control channel");
	if (rc == 0)
		rc = make_stream(s.out, e);
	if (rc == 0)
		rc = make_stream(s.err, e);
	if (rc == 0)
		rc = fork_runsc(c, words.at, &s, sb, e);
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		fd_closep(&all[i][0]);
		fd_closep(&all[i][1]);
	}
	return rc;
}

/* A clone of a large interpreter (matplotlib) dies of SIGSEGV with a runsc of
 * 2024-07, and not with one of 2026. Releases are named by their dates. */
static bool clones(const char *text)
{
	for (const char *p = text; (p = strstr(p, "20")); p++)
		if (strspn(p, "0123456789") >= 8)
			return strncmp(p, CLONES_SINCE, 8) >= 0;
	return true;
}

/* A sentry that is refused heap ends as Go programs do, with 2, which runsc passes on. So
 * does one that has found a fault in itself, but that one is small. */
static bool starved(int status, uint64_t peak_bytes)
{
	return WIFEXITED(status) && WEXITSTATUS(status) == 2 && peak_bytes >= SENTRY_DATA / 4;
}

static uint64_t host_memory(const struct plan *p)
{
	return p->limit[LIMIT_MEMORY] + PLAN_MEMORY_SLACK;
}

static int checkpoint(const struct choice *c, const char *const *verb, unsigned attempt, unsigned ms,
		      struct err *e)
{
	struct words words;
	char said[1024];

	make_words(&words, c->plan, verb, attempt);
	int rc = spawn_read(words.at, ms, said, sizeof(said), e);
	if (rc <= 0)
		return rc;
	if (strstr(said, "no space left on device"))
		return err_set(e, ERR_HOST, "the disk is full");
	said[strcspn(said, "\n")] = 0;
	return err_set(e, ERR_HOST, "runsc checkpoint: %.200s", said);
}

static int save(const struct choice *c, struct sandbox *sb, unsigned attempt, struct err *e)
{
	static const char *const verb[] = { "checkpoint", "-leave-running", "-image-path=" SAVE, NULL };

	(void)sb;
	return checkpoint(c, verb, attempt, SAVE_MS, e);
}

static int keep(const struct choice *c, struct sandbox *sb, unsigned attempt, struct err *e)
{
	static const char *const verb[] = { "checkpoint", "-image-path=" KEEP, NULL };

	(void)sb;
	return checkpoint(c, verb, attempt, BACKEND_KEEP_MS, e);
}

static const struct backend_need needs[] = {
	{ "limits", "the caller's own limits leave room for it", check_limits },
	{ NULL, NULL, NULL },
};

const struct backend backend_gvisor = {
	.name = "gvisor", .find = find, .needs = needs, .traces = true, .version = version, .binds = binds, .start = start,
	.save = save, .keep = keep, .clones = clones, .starved = starved, .host_memory = host_memory,
};
