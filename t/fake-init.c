/* SPDX-License-Identifier: Apache-2.0 */
/* fake-init - a first process of a microVM that does not serve: with a file /flood
 * beside it, it writes to the console without end; else it ends, which is the
 * kernel's panic. For t/hostile. */
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void)
{
	static char text[4096];
	int fd = -1;

	(void)mkdir("/dev", 0755);
	if (access("/flood", F_OK) == 0 && mount("dev", "/dev", "devtmpfs", 0, NULL) == 0)
		fd = open("/dev/console", O_WRONLY);
	memset(text, 'x', sizeof(text));
	while (fd >= 0)
		(void)!write(fd, text, sizeof(text));
	return 1;
}
