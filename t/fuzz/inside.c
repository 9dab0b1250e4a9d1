/* SPDX-License-Identifier: Apache-2.0 */
/* The world around the guest of guest.c: mounts, uids and processes are made up, and each
 * step fails where the script says so. */
#include "guest/boot.h"
#include "guest/mapped.h"
#include "play.h"

#include "base/fd.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int world(struct err *e)
{
	bool fails = play.fails;

	play.fails = false;
	return fails ? err_set(e, ERR_HOST, "it was so in the script") : 0;
}

int mapped_find(struct mapped *m, struct err *e) { *m = (struct mapped){ 0 }; return world(e); }
bool mapped_has(const struct mapped *m, ino_t ino) { (void)m; return ino & 1; }
void mapped_free(struct mapped *m) { (void)m; }
uint64_t mapped_sum(uint64_t sum, const uint8_t *data, size_t n) { return sum + data[n - 1]; }
int guest_as_user(struct err *e) { (void)e; return 0; }
int guest_as_root(struct err *e) { (void)e; return 0; }
int world_base(struct guest *g, struct err *e) { (void)g; return world(e); }
int world_prepare(struct err *e) { return world(e); }
int world_enter(struct guest *g, struct err *e) { (void)g; return world(e); }
bool world_memory_struck(const struct guest *g) { (void)g; return play.status & 1; }
int boot_modules(struct err *e) { return world(e); }
int boot_root(struct guest *g, struct err *e) { (void)g; return world(e); }
/* The image's tar(1) takes all and makes nothing. */
int unpack_begin(struct guest *g, struct err *e) { g->unpack.open = true; return world(e); }
int unpack_data(struct guest *g, const uint8_t *d, size_t n, struct err *e) { MUST(g->unpack.open && d && n <= FRAME_MAX); return world(e); }
int unpack_end_of(struct guest *g, struct err *e) { g->unpack.open = false; return world(e); }
int boot_refresh(const struct msg_run *run, struct err *e) { (void)run; return world(e); }

int boot_dial(struct guest *g, struct err *e)
{
	int ctl[2];

	play.fails |= play.idle > 0;	/* nobody answers any more */
	if (world(e) < 0)
		return -1;
	play.dialled_anew |= g->ctl >= 0;
	play.cut = false;
	fd_closep(&g->ctl);
	fd_closep(&play.host);
	play.heard.len = 0;
	MUST(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ctl) == 0);
	g->ctl = ctl[0];
	play.host = ctl[1];
	return 0;
}

int program_stdin(struct guest *g, struct err *e)
{
	int in[2];

	if (world(e) < 0)
		return -1;
	MUST(pipe2(in, O_CLOEXEC | O_NONBLOCK) == 0);
	fd_closep(&play.in);
	fd_closep(&g->stdin_fd);
	play.in = in[0];
	g->stdin_fd = in[1];
	return fcntl(in[0], F_DUPFD_CLOEXEC, 0);
}

static int spawn(struct guest *g, struct err *e)
{
	AUTO_FD in = program_stdin(g, e);
	int go[2];

	if (in < 0)
		return -1;
	MUST(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, go) == 0);
	fd_closep(&play.go);
	play.go = go[0];
	g->go_fd = go[1];
	g->pid = PID;
	return 0;
}

int program_prepare(struct guest *g, const char *preload, struct err *e)
{
	MUST(!strlen(preload) || *preload);
	g->warm = true;
	return spawn(g, e);
}

static void listen_to(struct guest *g)
{
	int tell[2];

	if (g->report.fd < 0) {
		MUST(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, tell) == 0);
		play.tell = tell[0];
		g->report.fd = tell[1];
	}
	g->report = (struct report){ .fd = g->report.fd };
	memset(g->report.token, 't', REPORT_TOKEN);
}

int program_start(struct guest *g, struct err *e)
{
	MUST(g->have_run && g->wanted && !g->started);
	if (kernel_resume(g, e) < 0 || (g->pid == 0 && spawn(g, e) < 0))
		return -1;
	if (!g->ready)
		return 0;
	if (g->run.flags & (MSG_REPORT | MSG_SESSION))
		listen_to(g);
	if (kernel_go(g, e) < 0)
		return -1;
	fd_closep(&g->go_fd);
	if (!(g->run.flags & MSG_STDIN_OPEN))
		fd_closep(&g->stdin_fd);
	g->started = true;
	return world(e) < 0 ? -1 : guest_send(g, MSG_STARTED, NULL, 0, e);
}

int still_begin(struct guest *g, struct err *e) { g->still.on = true; return world(e); }
int still_end(struct guest *g, struct err *e) { g->still.on = false; return world(e); }

void program_kill(struct guest *g, enum msg_by by)
{
	MUST(g->pid == PID);
	g->by = by;
	play.ended = true;
	play.status = SIGKILL;
	raise(SIGCHLD);
}

int program_watch(struct guest *g, int *ms, struct err *e) { (void)g; (void)e; *ms = -1; return 0; }

int program_end_all(struct guest *g, struct err *e)
{
	(void)g;
	return world(e);
}
