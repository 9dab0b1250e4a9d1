/* SPDX-License-Identifier: Apache-2.0 */
/* pai-guest - the first process of every sandbox; it has no options. */
#include "guest/guest.h"

#include <fcntl.h>
#include <unistd.h>

int main(void)
{
	/* Static: large, and lives as long as the sandbox. */
	static struct guest g = { .pids_dir = -1, .file = -1, .stdin_fd = -1, .go_fd = -1 };

	/* gVisor gives the control channel as descriptor 0. */
	g.ctl = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	if (g.ctl < 0 || close(STDIN_FILENO) < 0 || open("/dev/null", O_RDWR) != STDIN_FILENO)
		return 1;
	return guest_serve(&g);
}
