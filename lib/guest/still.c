/* SPDX-License-Identifier: Apache-2.0 */
/* still - all of the program's processes stand still between two turns of a session;
 * see guest.h
 *
 * A microVM's kernel has a freezer. gVisor has none: there they are stopped, as by a
 * terminal, and looked at until each of their threads is; those that the program had
 * stopped itself stay so when the rest goes on.
 */
#include "guest/guest.h"

#include "base/clock.h"
#include "base/fd.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STILL_US 3000000	/* that it may take */
#define LOOK_MS 1

/* The letter for the state of what has its stat file at PATH; 0: it is gone. */
static char state_of(const char *path)
{
	char text[512];
	AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	text[n > 0 ? n : 0] = 0;
	const char *p = strrchr(text, ')');	/* behind the name, which may hold anything */
	return p && p[1] == ' ' ? p[2] : 0;
}

static int is_number(const struct dirent *d)
{
	return isdigit((unsigned char)d->d_name[0]);
}

static int falling(const struct dirent **a, const struct dirent **b)
{
	int x = atoi((*a)->d_name), y = atoi((*b)->d_name);	/* a kernel's own words */

	return x < y ? 1 : x > y ? -1 : 0;
}

/* What is to be done with each process or thread; true if it is done. */
typedef bool visit(struct still *s, const char *folder, pid_t pid);

/* All entries of that folder of /proc that are numbers, the youngest first; true if FN
 * was of all of them, and at once if there is no such folder any more. */
static bool visit_all(struct still *s, const char *folder, visit *fn)
{
	struct dirent **names = NULL;
	int n = scandir(folder, &names, is_number, falling);
	bool all = n >= 0 || errno == ENOENT;

	for (int i = 0; i < n; i++) {
		pid_t pid = atoi(names[i]->d_name);

		if (pid != getpid())
			all &= fn(s, folder, pid);
		free(names[i]);
	}
	free(names);
	return all;
}

/* True if it can do nothing: it is stopped or has ended, or waits for a child of vfork(),
 * which is. */
static bool stands(struct still *s, const char *folder, pid_t tid)
{
	char path[96];

	(void)s;
	snprintf(path, sizeof(path), "%s/%d/stat", folder, tid);
	char state = state_of(path);
	return state == 0 || strchr("TtZXD", state);
}

static bool all_stand(struct still *s, const char *folder, pid_t pid)
{
	char path[64];

	(void)folder;
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	return visit_all(s, path, stands);
}

static bool is_held(const struct still *s, pid_t pid)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->held[i] == pid)
			return true;
	return false;
}

static bool note_held(struct still *s, const char *folder, pid_t pid)
{
	char path[64];

	(void)folder;
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	if (s->n < STILL_HELD && state_of(path) == 'T')
		s->held[s->n++] = pid;
	return true;
}

/* Children, who are younger, before their parents, who so never see them stopped. */
static bool let_go(struct still *s, const char *folder, pid_t pid)
{
	(void)folder;
	if (!is_held(s, pid))
		(void)kill(pid, SIGCONT);
	return true;
}

static int stop_all(struct guest *g, struct err *e)
{
	const int64_t end = clock_now_us() + STILL_US;

	g->still.n = 0;
	(void)visit_all(&g->still, "/proc", note_held);
	/* again and again: a process may have been made beside the last round */
	while (kill(-1, SIGSTOP) == 0 || errno == ESRCH) {
		if (visit_all(&g->still, "/proc", all_stand))
			return 0;
		if (clock_now_us() >= end)
			return err_set(e, ERR_GUEST, "the program's processes do not stop");
		(void)poll(NULL, 0, LOOK_MS);
	}
	return err_sys(e, ERR_HOST, "stop the program's processes");
}

/* The freezer says in cgroup.events when all have stopped. */
static int freeze(struct guest *g, struct err *e)
{
	AUTO_FD events = openat(g->group[GROUP_PIDS], "cgroup.events", O_RDONLY | O_CLOEXEC);
	const int64_t end = clock_now_us() + STILL_US;

	if (events < 0 || world_set(g, "cgroup.freeze", "1", e) < 0)
		return e->kind ? -1 : err_sys(e, ERR_HOST, "look at the freezer");
	for (;;) {
		char text[256];
		struct pollfd p = { events, POLLPRI, 0 };
		ssize_t n = pread(events, text, sizeof(text) - 1, 0);

		text[n > 0 ? n : 0] = 0;
		if (strstr(text, "frozen 1"))
			return 0;
		if (n < 0 || clock_now_us() >= end || poll(&p, 1, clock_poll_ms(end)) < 0)
			return err_set(e, ERR_GUEST, "the program's processes do not stop");
	}
}

int still_begin(struct guest *g, struct err *e)
{
	g->still.on = true;
	return g->vm ? freeze(g, e) : stop_all(g, e);
}

int still_end(struct guest *g, struct err *e)
{
	g->still.on = false;
	if (g->vm)
		return world_set(g, "cgroup.freeze", "0", e);
	(void)visit_all(&g->still, "/proc", let_go);
	return 0;
}
