/* SPDX-License-Identifier: Apache-2.0 */
/* pai-guest - the first process of every sandbox; it has no options. */
#include "guest/guest.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	/* Static: large, and lives as long as the sandbox. */
	static struct guest g = {
		.ctl = -1, .group = { -1, -1 }, .file = -1, .stdin_fd = -1, .go_fd = -1,
		.stderr_fd = -1, .report.fd = -1,
		.pump = { { .from = -1, .to = -1 }, { .from = -1, .to = -1 } },
	};

	/* A kernel starts it as /init; gVisor by its name, with the control channel
	 * as descriptor 0. */
	g.vm = argc == 1 && !strcmp(argv[0], "/init");
	if (g.vm)
		return guest_serve(&g);
	g.ctl = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	if (g.ctl < 0 || close(STDIN_FILENO) < 0 || open("/dev/null", O_RDWR) != STDIN_FILENO)
		return 1;
	return guest_serve(&g);
}
