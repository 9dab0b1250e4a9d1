/* SPDX-License-Identifier: Apache-2.0 */
/* known - see known.h */
#include "state/known.h"

#include "base/fd.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_BYTES (1u << 20)
#define DIGEST "sha256"		/* what is known by this word is one */

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

void known_identity(const struct stat *st, char word[KNOWN_IDENTITY])
{
	snprintf(word, KNOWN_IDENTITY, "%jx-%jx-%jx-%jx.%lx-%jx.%lx", (uintmax_t)st->st_dev,
		 (uintmax_t)st->st_ino, (uintmax_t)st->st_size, (uintmax_t)st->st_mtim.tv_sec,
		 st->st_mtim.tv_nsec, (uintmax_t)st->st_ctim.tv_sec, st->st_ctim.tv_nsec);
}

static bool name_of(const char *path, const char *what, char *out, bool make)
{
	char word[KNOWN_IDENTITY];
	struct stat st;

	if (!cache_folder("known", make, out) || stat(path, &st) < 0)
		return false;
	known_identity(&st, word);
	size_t n = strlen(out);
	snprintf(out + n, PATH_MAX - n, "/%.20s-%s", what, word);
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

int file_digest(const char *path, char text[KNOWN_DIGEST], struct err *e)
{
	uint8_t out[SHA256_DIGEST_SIZE], *chunk = malloc(READ_BYTES);
	AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct sha256_ctx h;
	ssize_t n = -1;

	sha256_init(&h);
	while (fd >= 0 && chunk && (n = read(fd, chunk, READ_BYTES)) > 0)
		sha256_update(&h, (size_t)n, chunk);
	free(chunk);
	if (n < 0)
		return err_sys(e, ERR_IMAGE, "read %s", path);
	sha256_digest(&h, sizeof(out), out);
	strcpy(text, DIGEST ":");
	str_hex(text + strlen(text), out, sizeof(out));
	return 0;
}

int known_digest(const char *path, char text[KNOWN_DIGEST], struct err *e)
{
	char known[KNOWN_MAX];

	if (known_get(path, DIGEST, known) && strlen(known) < KNOWN_DIGEST) {
		strcpy(text, known);
		return 0;
	}
	if (file_digest(path, text, e) < 0)
		return -1;
	known_put(path, DIGEST, text);
	return 0;
}
