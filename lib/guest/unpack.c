/* SPDX-License-Identifier: Apache-2.0 */
/* unpack - a tar of inputs; see guest.h
 *
 * The image's own tar(1) reads it, with the program's rights and no more: what it
 * could do, the program can. What it made is looked at afterwards.
 */
#include "guest/guest.h"

#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define BIN "/usr/bin/"

/* How a compressed tar begins, for tar(1) cannot look at a pipe and go back. */
static const struct {
	const char *begin, *program, *option;
} packers[] = {
	{ "\x1f\x8b", BIN "gzip", "--use-compress-program=" BIN "gzip" },
	{ "BZh", BIN "bzip2", "--use-compress-program=" BIN "bzip2" },
	{ "\xfd" "7zXZ", BIN "xz", "--use-compress-program=" BIN "xz" },
	{ "\x28\xb5\x2f\xfd", BIN "zstd", "--use-compress-program=" BIN "zstd" },
};

static int find_packer(const struct unpack *u, const char **option, struct err *e)
{
	for (size_t i = 0; i < sizeof(packers) / sizeof(*packers); i++) {
		size_t n = strlen(packers[i].begin);

		if (u->held < n || memcmp(u->head, packers[i].begin, n))
			continue;
		*option = packers[i].option;
		if (access(packers[i].program, X_OK) < 0)
			return err_set(e, ERR_USAGE, "the tar from standard input is compressed, and "
				       "the image has no %s", packers[i].program + strlen(BIN));
	}
	return 0;
}

/* In the child, up to execve(); returns only if something failed. */
static int become_tar(struct guest *g, int from, int says, const char *option, struct err *e)
{
	const char *const env[] = { "LC_ALL=C.UTF-8", NULL };
	/* the other half may be files */
	const struct rlimit memory = { g->run.memory_bytes / 2, g->run.memory_bytes / 2 };
	const struct rlimit procs = { g->run.pids, g->run.pids };
	/* the sentry hands its own down, and a sparse file may be larger */
	const struct rlimit any = { RLIM_INFINITY, RLIM_INFINITY };
	const char *const argv[] = {
		"tar", "--extract", "--file=-", "--directory=" GUEST_WORKSPACE,
		"--no-same-owner", "--no-same-permissions",
		/* of the warnings only that of a tar that was cut where a file ended */
		"--warning=none", "--warning=missing-zero-blocks", option, NULL
	};
	/* in a microVM it would charge the program with the files */
	AUTO_FD group = g->vm ? -1 : openat(g->group[GROUP_PIDS], "cgroup.procs", O_WRONLY | O_CLOEXEC);
	sigset_t none;

	if (!g->vm && (group < 0 || write(group, "0", 1) != 1))
		return err_sys(e, ERR_HOST, "enter the program's cgroup");
	if (dup2(from, 0) < 0 || dup2(says, 1) < 0 || dup2(says, 2) < 0 || close_range(3, INT_MAX, 0) < 0)
		return err_sys(e, ERR_HOST, "hand over the tar");
	if (setrlimit(RLIMIT_AS, &memory) < 0 || setrlimit(RLIMIT_NPROC, &procs) < 0 ||
	    setrlimit(RLIMIT_FSIZE, &any) < 0 || setrlimit(RLIMIT_DATA, &any) < 0)
		return err_sys(e, ERR_HOST, "set the limits of tar");
	umask(0);		/* modes as they are, without set-uid */
	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (program_drop_rights(e) < 0)
		return -1;
	execve(BIN "tar", (char *const *)(uintptr_t)argv, (char *const *)(uintptr_t)env);
	return err_sys(e, ERR_IMAGE, "start tar in the image");
}

/* vfork: as in program.c. */
static int fork_tar(struct guest *g, int from, int says, const char *option, struct err *e)
{
	pid_t pid = vfork();

	if (pid < 0)
		return err_sys(e, ERR_HOST, "fork tar");
	if (pid == 0) {
		(void)become_tar(g, from, says, option, e);
		_exit(127);
	}
	g->unpack.pid = pid;
	return e->kind ? -1 : 0;
}

static int start_tar(struct guest *g, struct err *e)
{
	struct unpack *u = &g->unpack;
	const char *option = NULL;
	int to[2], said[2];

	if (find_packer(u, &option, e) < 0)
		return -1;
	if (pipe2(to, O_CLOEXEC) < 0)
		return err_sys(e, ERR_HOST, "make a pipe");
	AUTO_FD from = to[0];
	u->to = to[1];
	if (pipe2(said, O_CLOEXEC | O_NONBLOCK) < 0)	/* tar never waits for us to listen */
		return err_sys(e, ERR_HOST, "make a pipe");
	u->said = said[0];
	AUTO_FD says = said[1];
	return fork_tar(g, from, says, option, e);
}

/* What tar said first, in our words where we have some. */
static int tar_failed(const char *line, struct err *e)
{
	static const char *const words[][2] = {
		{ "No space left on device", "does not fit into --disk" },
		{ "Wrote only", "does not fit into --disk" },	/* short writes come first */
		{ "Removing leading", "names what lies outside of /workspace" },
		{ "Terminating zero blocks missing", "is cut short" },
		{ "nexpected EOF", "is cut short" },
		{ "nexpected end of", "is cut short" },
		{ "does not look like a tar archive", "is none" },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strstr(line, words[i][0]))
			return err_set(e, ERR_USAGE, "the tar from standard input %s", words[i][1]);
	return err_set(e, ERR_USAGE, "the tar from standard input: %s", *line ? line : "tar failed");
}

static int wait_tar(struct unpack *u, struct err *e)
{
	char text[300];
	int status;

	fd_closep(&u->to);
	while (waitpid(u->pid, &status, 0) < 0)
		if (errno != EINTR)
			return err_sys(e, ERR_HOST, "wait for tar");
	u->pid = -1;
	ssize_t n = read(u->said, text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = 0;
	fd_closep(&u->said);
	if (status == 0 && !*text)
		return 0;
	char *line = text + strspn(text, "\n");	/* gzip begins with one */
	line[strcspn(line, "\n")] = 0;
	return tar_failed(strncmp(line, "tar: ", 5) ? line : line + 5, e);
}

/* One entry, as -i takes those of a folder; what its mode shuts is opened. */
static int note_entry(struct guest *g, const FTSENT *at, unsigned *count, struct err *e)
{
	const char *path = at->fts_path + strlen(GUEST_WORKSPACE "/");
	mode_t need = at->fts_info == FTS_D ? 0700 : 0400;

	if (at->fts_info == FTS_DP)
		return 0;
	/* what is there of earlier turns is the program's, and may be anything */
	if (g->resumed && ((at->fts_info != FTS_D && at->fts_info != FTS_F && at->fts_info != FTS_SL) ||
			   at->fts_level > MSG_DEPTH_MAX || collect_left(g, path, at->fts_statp)))
		return 0;
	if (at->fts_info != FTS_D && at->fts_info != FTS_F && at->fts_info != FTS_SL)
		return err_set(e, ERR_USAGE, "'%s' in the tar from standard input is neither a file nor "
			       "a folder nor a link", path);
	if (at->fts_info == FTS_D && at->fts_level > MSG_DEPTH_MAX)
		return err_set(e, ERR_USAGE, "the tar from standard input: more than %d folders deep",
			       MSG_DEPTH_MAX);
	if (++*count > MSG_INPUTS_MAX)
		return err_set(e, ERR_USAGE, "the tar from standard input: more than %u files",
			       MSG_INPUTS_MAX);
	if (at->fts_info != FTS_SL && (at->fts_statp->st_mode & need) != need &&
	    chmod(at->fts_path, (at->fts_statp->st_mode & 0777) | need) < 0)
		return err_sys(e, ERR_HOST, "open up '%s'", path);
	return collect_remember(g, path, e);
}

static int note_all(struct guest *g, struct err *e)
{
	char root[] = GUEST_WORKSPACE;
	char *const roots[] = { root, NULL };
	FTS *f = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	unsigned count = 0;
	int rc = 0;

	if (!f)
		return err_sys(e, ERR_HOST, "look at what was unpacked");
	for (FTSENT *at; rc == 0 && (at = fts_read(f));)
		if (at->fts_level > 0)
			rc = note_entry(g, at, &count, e);
		else if (at->fts_info == FTS_D && chmod(GUEST_WORKSPACE, 0755) < 0)	/* it may hold "./" */
			rc = err_sys(e, ERR_HOST, "open up " GUEST_WORKSPACE);
	(void)fts_close(f);	/* only read */
	return rc;
}

int unpack_begin(struct guest *g, struct err *e)
{
	if (g->unpack.pid != 0 || g->placed)
		return err_set(e, ERR_GUEST, "a tar behind other files");
	g->unpack = (struct unpack){ .open = true, .to = -1, .said = -1 };
	return 0;
}

/* Bytes behind the end of all that tar wants are nobody's. */
static int give(struct unpack *u, const uint8_t *data, size_t n, struct err *e)
{
	if (u->pid < 0 || fd_write_all(u->to, data, n) == 0)
		return 0;
	return errno == EPIPE ? wait_tar(u, e) : err_sys(e, ERR_HOST, "hand over the tar");
}

int unpack_data(struct guest *g, const uint8_t *data, size_t n, struct err *e)
{
	struct unpack *u = &g->unpack;
	size_t more = sizeof(u->head) - u->held;

	if (u->pid == 0) {
		more = n < more ? n : more;
		memcpy(u->head + u->held, data, more);
		u->held += more;
		data += more;
		n -= more;
		if (u->held < sizeof(u->head))
			return 0;
		if (start_tar(g, e) < 0 || give(u, u->head, u->held, e) < 0)
			return -1;
	}
	return give(u, data, n, e);
}

int unpack_end_of(struct guest *g, struct err *e)
{
	struct unpack *u = &g->unpack;

	u->open = false;
	if (u->pid == 0)
		return err_set(e, ERR_USAGE, u->held ? "the tar from standard input is none"
			       : "standard input is empty, and no tar");
	if (u->pid > 0 && wait_tar(u, e) < 0)
		return -1;
	if (guest_as_user(e) < 0 || note_all(g, e) < 0)
		return -1;
	return guest_as_root(e);
}
