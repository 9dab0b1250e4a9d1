/* SPDX-License-Identifier: Apache-2.0 */
/* The command does not trust its keeper, beside which a sandbox has lived. */
#include "base/fd.h"
#include "host/keeper.h"
#include "tap.h"

#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define MANY 8

/* Sends N descriptors along, as no keeper of ours does. */
static int send_many(int link, size_t n)
{
	static const struct keeper_msg m = { .what = KEEPER_ATTEMPT, .attempt = 1 };
	union {
		char room[CMSG_SPACE(MANY * sizeof(int))];
		struct cmsghdr align;
	} control = { { 0 } };
	struct iovec io = { (void *)(uintptr_t)&m, sizeof(m) };
	struct msghdr h = { .msg_iov = &io, .msg_iovlen = 1, .msg_control = control.room,
			    .msg_controllen = CMSG_SPACE(n * sizeof(int)) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&h);
	const int fd[MANY] = { 0 };

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(n * sizeof(int));
	memcpy(CMSG_DATA(c), fd, n * sizeof(int));
	return sendmsg(link, &h, 0) == sizeof(m) ? 0 : -1;
}

/* The lowest number that is free. */
static int lowest(void)
{
	AUTO_FD fd = dup(STDIN_FILENO);

	return fd;
}

int main(void)
{
	struct {
		int fd[KEEPER_FDS], behind;
	} got = { .behind = 77 };
	struct keeper_msg m;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return 99;
	int free_fd = lowest();
	OK(send_many(pair[1], KEEPER_FDS) == 0 && keeper_recv(pair[0], &m, got.fd) == 1 && m.attempt == 1 &&
	   got.fd[0] >= 0 && got.fd[KEEPER_FDS - 1] >= 0, "a message has its descriptors");
	for (int i = 0; i < KEEPER_FDS; i++)
		fd_closep(&got.fd[i]);
	for (size_t n = KEEPER_FDS + 1; n <= MANY; n++) {
		OK(send_many(pair[1], n) == 0 && keeper_recv(pair[0], &m, got.fd) == 1 && got.behind == 77,
		   "more than it can have are not written behind them");
		for (int i = 0; i < KEEPER_FDS; i++)
			fd_closep(&got.fd[i]);
		OK(fcntl(free_fd + KEEPER_FDS, F_GETFD) < 0, "nor do they stay open");
	}
	return TAP_DONE();
}
