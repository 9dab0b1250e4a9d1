/* SPDX-License-Identifier: Apache-2.0 */
/* mapped - see mapped.h */
#include "guest/mapped.h"

#include "guest/guest.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "7f00-7f10 rw-s 00000000 00:1b 17    /workspace/name": shared, and to be written. */
static bool parse(const char *line, ino_t *ino)
{
	char may[5];
	uintmax_t number;
	int at = 0;

	if (sscanf(line, "%*x-%*x %4s %*x %*x:%*x %ju %n", may, &number, &at) < 2 || at == 0)
		return false;
	*ino = (ino_t)number;
	return may[1] == 'w' && may[3] == 's' &&
	       !strncmp(line + at, GUEST_WORKSPACE "/", strlen(GUEST_WORKSPACE "/"));
}

static int add(struct mapped *m, ino_t ino, struct err *e)
{
	if (mapped_has(m, ino) || m->n >= MAPPED_MAX)
		return 0;
	ino_t *more = reallocarray(m->ino, m->n + 1, sizeof(*more));
	if (!more)
		return err_sys(e, ERR_HOST, "memory");
	m->ino = more;
	m->ino[m->n++] = ino;
	return 0;
}

static int look(struct mapped *m, const char *pid, struct err *e)
{
	char path[300], *line = NULL;
	size_t cap = 0;
	ino_t ino;
	int rc = 0;

	snprintf(path, sizeof(path), "/proc/%s/maps", pid);
	FILE *f = fopen(path, "re");
	if (!f)
		return 0;
	while (rc == 0 && getline(&line, &cap, f) > 0)
		if (parse(line, &ino))
			rc = add(m, ino, e);
	free(line);
	(void)fclose(f);	/* only read */
	return rc;
}

/* Whose memory one may look at goes by the real user, in gVisor at least. */
static int real_user(uid_t id, struct err *e)
{
	if (setresgid(id, (gid_t)-1, 0) < 0 || setresuid(id, (uid_t)-1, 0) < 0)
		return err_sys(e, ERR_HOST, "change the real user");
	return 0;
}

int mapped_find(struct mapped *m, struct err *e)
{
	*m = (struct mapped){ 0 };
	if (real_user(GUEST_UID, e) < 0)
		return -1;
	DIR *d = opendir("/proc");
	int rc = d ? 0 : err_sys(e, ERR_HOST, "open /proc");

	for (struct dirent *at; rc == 0 && (at = readdir(d));)
		if (isdigit((unsigned char)*at->d_name) && atoi(at->d_name) != getpid())
			rc = look(m, at->d_name, e);
	if (d)
		closedir(d);
	return rc < 0 ? -1 : real_user(0, e);
}

bool mapped_has(const struct mapped *m, ino_t ino)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->ino[i] == ino)
			return true;
	return false;
}

void mapped_free(struct mapped *m)
{
	free(m->ino);
	*m = (struct mapped){ 0 };
}

uint64_t mapped_sum(uint64_t sum, const uint8_t *data, size_t n)
{
	uint64_t word;

	for (; n > 0; data += n < 8 ? n : 8, n -= n < 8 ? n : 8) {
		word = 0;
		memcpy(&word, data, n < 8 ? n : 8);
		sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
		sum ^= sum >> 32;
	}
	return sum;
}
