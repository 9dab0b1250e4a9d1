/* SPDX-License-Identifier: Apache-2.0 */
/* program - see program.h */
#include "host/program.h"

#include "base/fd.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SCRIPT "build-image"

bool program_beside(const char *name, char *path, size_t size)
{
	char own[4096];
	ssize_t n = readlink("/proc/self/exe", own, sizeof(own));
	const char *end = n > 0 ? memrchr(own, '/', (size_t)n) : NULL;

	return end && (size_t)snprintf(path, size, "%.*s/%s", (int)(end - own), own, name) < size &&
	       access(path, R_OK) == 0;
}

/* They are where they were installed; but those of a build folder, which has a link to
 * one of them beside its programs, are in its source tree. */
const char *program_deploy(void)
{
	static char folder[4096];

	if (*folder)
		return folder;
	char *real = program_beside(SCRIPT, folder, sizeof(folder)) ? realpath(folder, NULL) : NULL;
	snprintf(folder, sizeof(folder), "%s", real ? real : PKGLIBEXECDIR "/" SCRIPT);
	free(real);
	*strrchr(folder, '/') = 0;
	return folder;
}

/* As execvp() would find it. */
static char *find_on_path(const char *name)
{
	const char *path = getenv("PATH");
	struct stat st;
	char at[4096];

	for (const char *p = path && *path ? path : "/usr/local/bin:/usr/bin:/bin"; *p;) {
		size_t n = strcspn(p, ":");

		snprintf(at, sizeof(at), "%.*s/%s", (int)n, p, name);
		/* deploy/ has a folder of runsc's name */
		if (n > 0 && stat(at, &st) == 0 && S_ISREG(st.st_mode) && access(at, X_OK) == 0)
			return realpath(at, NULL);
		p += n + (p[n] == ':');
	}
	return NULL;
}

char *program_find(const char *own, const char *usual, const char *key, const char *cure,
		   struct err *e)
{
	const char *name = own ? own : usual;
	char *found = *name == '/' ? realpath(name, NULL) : find_on_path(name);

	if (!found && *name == '/')
		err_sys(e, ERR_BACKEND, "%s: %s", key, name);
	else if (!found && strcmp(name, usual))
		err_set(e, ERR_BACKEND, "%s: %s: not on PATH", key, name);
	else if (!found)
		err_set(e, ERR_BACKEND, "%s: not on PATH; %s", name, cure);
	if (!found || access(found, X_OK) == 0)
		return found;
	err_sys(e, ERR_BACKEND, "%s: %s", key, found);
	free(found);
	return NULL;
}

int program_needs_loader(const char *path)
{
	AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf64_Ehdr h;
	Elf64_Phdr p;

	if (fd < 0 || pread(fd, &h, sizeof(h), 0) != sizeof(h) || memcmp(h.e_ident, ELFMAG, SELFMAG))
		return -1;
	for (unsigned i = 0; i < h.e_phnum; i++)
		if (pread(fd, &p, sizeof(p), (off_t)(h.e_phoff + i * sizeof(p))) == sizeof(p) &&
		    p.p_type == PT_INTERP)
			return 1;
	return 0;
}

int program_binds(const char *path, const char *to, struct root_bind b[PROGRAM_BINDS])
{
	static const char *const libs[PROGRAM_BINDS - 1] = { "/usr", "/lib", "/lib64" };
	size_t n = program_needs_loader(path) > 0 ? sizeof(libs) / sizeof(*libs) : 0;
	int filled = 0;

	for (size_t i = 0; i < n; i++)
		if (access(libs[i], F_OK) == 0)
			b[filled++] = (struct root_bind){ libs[i], libs[i] };
	b[filled++] = (struct root_bind){ path, to };
	return filled;
}
