/* SPDX-License-Identifier: Apache-2.0 */
/* known - see known.h */
#include "state/known.h"

#include "base/fd.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool cache_folder(const char *name, bool make, char *out)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	const char *const parts[] = { "", "/pai", "/", name };
	struct stat st;
	int n;

	bool own = cache && *cache == '/';

	if (!own && (!home || *home != '/'))
		return false;
	n = snprintf(out, PATH_MAX, "%s%s", own ? cache : home, own ? "" : "/.cache");
	/* another's (root with a user's HOME, say) is left alone */
	if (n > PATH_MAX - 200 || (stat(own ? cache : home, &st) == 0 && st.st_uid != geteuid()))
		return false;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		strcat(out, parts[i]);
		if (make && i != 2 && mkdir(out, 0700) < 0 && errno != EEXIST)
			return false;
	}
	return true;
}

static bool name_of(const char *path, const char *what, char *out, bool make)
{
	struct stat st;

	if (!cache_folder("known", make, out) || stat(path, &st) < 0)
		return false;
	size_t n = strlen(out);
	snprintf(out + n, PATH_MAX - n, "/%.20s-%jx-%jx-%jx-%jx.%lx-%jx.%lx", what,
		 (uintmax_t)st.st_dev, (uintmax_t)st.st_ino, (uintmax_t)st.st_size,
		 (uintmax_t)st.st_mtim.tv_sec, st.st_mtim.tv_nsec,
		 (uintmax_t)st.st_ctim.tv_sec, st.st_ctim.tv_nsec);
	return true;
}

bool known_get(const char *path, const char *what, char text[KNOWN_MAX])
{
	char name[PATH_MAX], raw[KNOWN_MAX];
	struct stat st;

	if (!name_of(path, what, name, false))
		return false;
	AUTO_FD fd = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st) < 0 || st.st_uid != geteuid() || st.st_mode & 022)
		return false;
	ssize_t n = read(fd, raw, sizeof(raw) - 1);
	if (n <= 0)
		return false;
	str_printable(text, KNOWN_MAX, raw, (size_t)n);
	return true;
}

void known_put(const char *path, const char *what, const char *text)
{
	char name[PATH_MAX], temp[PATH_MAX + 16];

	if (!name_of(path, what, name, true))
		return;
	snprintf(temp, sizeof(temp), "%s.%ld", name, (long)getpid());
	AUTO_FD fd = open(temp, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	/* whole or not at all; a cache that is full or shut is no matter */
	if (fd >= 0 && (fd_write_all(fd, text, strlen(text)) < 0 || rename(temp, name) < 0))
		(void)unlink(temp);
}
