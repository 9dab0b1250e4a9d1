/* SPDX-License-Identifier: Apache-2.0 */
/* template - see template.h */
#include "state/template.h"

#include "base/fd.h"
#include "base/str.h"
#include "state/cpu.h"
#include "state/known.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SYSTEM_TEMPLATES "/var/cache/pai/templates"
#define TEMPLATE_FORMAT 2	/* of its folder, and of what it is named by */
#define SIZES "sizes"		/* the file that lists the others with their sizes */
#define SIZES_MAX 4096
#define FAILED ".failed-"	/* + the name: it could not be made, not long ago */
#define FAILED_S 600

static void hash_text(struct sha256_ctx *h, const char *text)
{
	sha256_update(h, strlen(text) + 1, (const uint8_t *)text);
}

int template_name(const struct template_key *k, char name[TEMPLATE_NAME], struct err *e)
{
	uint8_t digest[SHA256_DIGEST_SIZE];
	struct sha256_ctx h;
	struct stat st;
	char word[KNOWN_IDENTITY], cpus[32], cpu[CPU_TEXT];

	if (stat(k->backend, &st) < 0)
		return err_sys(e, ERR_BACKEND, "%s", k->backend);
	known_identity(&st, word);
	snprintf(cpus, sizeof(cpus), "%d %" PRIu64, TEMPLATE_FORMAT, k->cpus);
	sha256_init(&h);
	hash_text(&h, word);
	hash_text(&h, cpus);
	hash_text(&h, k->image);
	hash_text(&h, k->modules);
	hash_text(&h, k->more);
	cpu_text(cpu);
	hash_text(&h, cpu);
	sha256_digest(&h, sizeof(digest), digest);
	str_hex(name, digest, TEMPLATE_NAME / 2);
	return 0;
}

static int open_folder(const char *path)
{
	return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Each line of SIZES: a name and its size. All must be there, with nothing else
 * wrong, in a folder that nobody but its trusted owner can write. */
static bool is_whole(int dir)
{
	char text[SIZES_MAX], name[64];
	struct stat st;
	int files = 0;

	if (dir < 0 || fstat(dir, &st) < 0 || (st.st_uid != 0 && st.st_uid != geteuid()) ||
	    st.st_mode & 022)
		return false;
	AUTO_FD fd = openat(dir, SIZES, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : fd_read_all(fd, text, sizeof(text) - 1);
	if (n <= 0)
		return false;
	text[n] = 0;
	for (char *save, *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		uintmax_t size;

		if (sscanf(line, "%63s %ju", name, &size) != 2 || strchr(name, '/') ||
		    fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode) ||
		    (uintmax_t)st.st_size != size || st.st_mode & 022)
			return false;
		files++;
	}
	(void)futimens(dir, NULL);	/* it was used; of root's only the file read above tells */
	return files > 0;
}

bool template_folder(bool for_all, bool make, char path[TEMPLATE_PATH])
{
	static const char *const parts[] = { "/var/cache/pai", SYSTEM_TEMPLATES };

	if (!for_all)
		return cache_folder("templates", make, path);
	for (size_t i = 0; make && i < sizeof(parts) / sizeof(*parts); i++)
		if (mkdir(parts[i], 0755) < 0 ? errno != EEXIST : chmod(parts[i], 0755) < 0)
			return false;	/* whatever the umask is */
	snprintf(path, TEMPLATE_PATH, "%s", SYSTEM_TEMPLATES);
	return true;
}

void template_close(struct template_at *at)
{
	fd_closep(&at->folder);
	fd_closep(&at->dir);
}

/* Opens NAME in the folder PATH of templates, and puts the whole path into PATH. */
static bool open_at(struct template_at *at, char path[TEMPLATE_PATH], const char *name)
{
	size_t n = strlen(path);

	at->folder = open_folder(path);
	snprintf(path + n, TEMPLATE_PATH - n, "/%s", name);
	snprintf(at->name, sizeof(at->name), "%s", name);
	at->dir = open_folder(path);
	return at->folder >= 0 && at->dir >= 0;
}

bool template_find(const char *name, bool for_all, char path[TEMPLATE_PATH], struct template_at *at)
{
	for (int all = for_all; all < 2; all++) {
		if (!template_folder(all, false, path))
			continue;
		if (open_at(at, path, name) && is_whole(at->dir))
			return true;
		template_close(at);
	}
	return false;
}

void template_note(const char *path, const char *name, char *text, size_t size)
{
	char file[TEMPLATE_PATH + 16], raw[4096];

	snprintf(file, sizeof(file), "%.4095s/%.10s", path, name);
	AUTO_FD fd = open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : fd_read_all(fd, raw, sizeof(raw));
	str_printable(text, size, raw, n > 0 ? (size_t)n : 0);
}

void template_drop(const struct template_at *at)
{
	char gone[sizeof(at->name) + 8];
	int fd = fcntl(at->dir, F_DUPFD_CLOEXEC, 3);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	/* first out of the way in one step, so that nobody finds half of it */
	snprintf(gone, sizeof(gone), "%s.gone", at->name);
	const char *name = renameat(at->folder, at->name, at->folder, gone) < 0 ? at->name : gone;
	if (d)
		rewinddir(d);
	for (struct dirent *file; d && (file = readdir(d));)
		if (file->d_name[0] != '.')
			(void)unlinkat(at->dir, file->d_name, 0);
	if (d)
		closedir(d);
	(void)unlinkat(at->folder, name, AT_REMOVEDIR);	/* what is left is swept by the next maker */
}

void template_remove(const char *path)
{
	struct template_at at = { -1, -1, "" };
	char folder[TEMPLATE_PATH];
	const char *name = strrchr(path, '/');

	snprintf(folder, sizeof(folder), "%.*s", name ? (int)(name - path) : 0, path);
	if (name && open_at(&at, folder, name + 1))
		template_drop(&at);
	template_close(&at);
}

time_t template_used(const char *path, const struct stat *st)
{
	char file[TEMPLATE_PATH + 16];
	struct stat sizes;

	snprintf(file, sizeof(file), "%.4095s/" SIZES, path);
	if (lstat(file, &sizes) < 0 || sizes.st_atime < st->st_mtime)
		return st->st_mtime;
	return sizes.st_atime;
}

/* Takes away what killed makers left and, beyond TEMPLATES_MAX, the longest
 * unused. We hold the one lock of all makers. */
static void sweep(const char *folder)
{
	struct dirent **names = NULL;
	int n = scandir(folder, &names, NULL, alphasort), kept = 0;
	char path[TEMPLATE_PATH + 300], oldest[TEMPLATE_PATH + 300] = "";
	time_t used = 0;

	for (int i = 0; i < n; i++) {
		struct stat st;

		snprintf(path, sizeof(path), "%s/%s", folder, names[i]->d_name);
		if (names[i]->d_name[0] == '.' || lstat(path, &st) < 0 || !S_ISDIR(st.st_mode)) {
			if (!strncmp(names[i]->d_name, FAILED, strlen(FAILED)) &&
			    lstat(path, &st) == 0 && time(NULL) - st.st_mtime > FAILED_S)
				(void)remove(path);
			free(names[i]);
			continue;
		}
		if (strchr(names[i]->d_name, '.')) {
			template_remove(path);
		} else {
			time_t last = template_used(path, &st);

			kept++;
			if (!*oldest || last < used) {
				used = last;
				snprintf(oldest, sizeof(oldest), "%s", path);
			}
		}
		free(names[i]);
	}
	free(names);
	if (kept >= TEMPLATES_MAX)
		template_remove(oldest);
}

/* A file in the template's folder that was not there. */
static int make_file(int dir, const char *name)
{
	return openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
}

static int write_note(int dir, const char *name, const char *text)
{
	AUTO_FD fd = make_file(dir, name);

	return fd < 0 ? -1 : fd_write_all(fd, text, strlen(text));
}

static int hold(const char *folder, struct err *e)
{
	char path[TEMPLATE_PATH + 16];

	snprintf(path, sizeof(path), "%s/.lock", folder);
	AUTO_FD lock = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (lock < 0)
		return err_sys(e, ERR_HOST, "%s", path);
	if (flock(lock, LOCK_EX | LOCK_NB) < 0)
		return err_sys(e, ERR_BUSY, "another run makes one in %s", folder);
	return fd_take(&lock);
}

int template_hold(const char *path)
{
	char folder[TEMPLATE_PATH];
	struct err ignored;

	snprintf(folder, sizeof(folder), "%.*s", (int)(strrchr(path, '/') - path), path);
	return hold(folder, &ignored);
}

/* Makes the folder that is to be filled. All that is needed to the end is opened now. */
static int make_part(struct template_make *m, const char *folder, const struct template_key *k, bool for_all)
{
	char part[sizeof(m->at.name)];

	snprintf(part, sizeof(part), "%s.part", m->name);
	snprintf(m->dir, sizeof(m->dir), "%.4000s/%s", folder, part);
	if (mkdir(m->dir, 0700) < 0 || chmod(m->dir, for_all ? 0755 : 0700) < 0)
		return -1;
	snprintf(m->dir, sizeof(m->dir), "%.4000s", folder);
	if (!open_at(&m->at, m->dir, part))
		return -1;
	m->sizes = make_file(m->at.dir, SIZES);
	return m->sizes < 0 || write_note(m->at.dir, "modules", k->modules) < 0 ||
	       write_note(m->at.dir, "image", k->image) < 0 ? -1 : 0;
}

int template_begin(const char *name, const struct template_key *k, bool for_all,
		   struct template_make *m, struct err *e)
{
	char folder[TEMPLATE_PATH], path[TEMPLATE_PATH + 16];

	*m = TEMPLATE_MAKE_NONE;
	if (!template_folder(for_all, true, folder) || strlen(folder) > TEMPLATE_PATH - 200)
		return err_set(e, ERR_HOST, "neither XDG_CACHE_HOME nor HOME is a folder of the user's that can be written");
	AUTO_FD lock = hold(folder, e);
	if (lock < 0)
		return -1;
	sweep(folder);
	snprintf(path, sizeof(path), "%.4000s/" FAILED "%s", folder, name);
	if (access(path, F_OK) == 0)	/* each run would lose the same time */
		return err_set(e, ERR_BUSY, "it failed less than ten minutes ago");
	snprintf(path, sizeof(path), "%.4000s/%s", folder, name);
	AUTO_FD there = open_folder(path);
	if (there >= 0 && is_whole(there))
		return err_set(e, ERR_BUSY, "another run was quicker");
	template_remove(path);		/* damaged, if it is there */
	snprintf(m->name, sizeof(m->name), "%s", name);
	if (make_part(m, folder, k, for_all) < 0)
		return err_sys(e, ERR_HOST, "%s", folder);
	m->lock = fd_take(&lock);
	return 0;
}

/* Writes the list of what is there; only what is open already is needed. */
static int write_sizes(const struct template_make *m)
{
	int copy = fcntl(m->at.dir, F_DUPFD_CLOEXEC, 3);
	DIR *d = copy < 0 ? NULL : fdopendir(copy);
	char text[SIZES_MAX] = "";
	size_t n = 0;

	for (struct dirent *at; d && (at = readdir(d)) && n < sizeof(text);) {
		struct stat st;

		if (at->d_name[0] == '.' || !strcmp(at->d_name, SIZES) ||
		    fstatat(m->at.dir, at->d_name, &st, 0) < 0)
			continue;
		if (fchmodat(m->at.dir, at->d_name, 0644, 0) < 0)	/* the folder is shut or not */
			break;
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s %ju\n", at->d_name,
				      (uintmax_t)st.st_size);
	}
	int rc = !d || n == 0 || n >= sizeof(text) || fchmod(m->sizes, 0644) < 0 ? -1
	       : fd_write_all(m->sizes, text, n);
	if (d)
		closedir(d);
	return rc;
}

bool template_end(struct template_make *m, bool good)
{
	if (m->lock < 0)
		return false;
	good = good && write_sizes(m) == 0 &&
	       renameat(m->at.folder, m->at.name, m->at.folder, m->name) == 0;
	if (good)
		snprintf(m->at.name, sizeof(m->at.name), "%s", m->name);
	else
		template_drop(&m->at);
	fd_closep(&m->lock);
	return good;
}

void template_leave(struct template_make *m)
{
	(void)template_end(m, false);	/* if it was not put in place before */
	fd_closep(&m->sizes);
	template_close(&m->at);
}

void template_avoid(const struct template_make *m)
{
	char mark[sizeof(m->name) + sizeof(FAILED)];

	snprintf(mark, sizeof(mark), FAILED "%s", m->name);
	(void)mkdirat(m->at.folder, mark, 0700);	/* without it the next run tries again */
}
