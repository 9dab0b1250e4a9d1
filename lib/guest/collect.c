/* SPDX-License-Identifier: Apache-2.0 */
/* collect - what the program made, sent to the host; see guest.h
 *
 * It runs when every process of the program is gone, so nothing changes under
 * it, and with the program's own rights. Only regular files and folders are
 * sent; no link is followed, nothing that could block is opened. The host
 * believes none of it and checks again.
 */
#include "guest/guest.h"

#include "base/fd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* An input as it was when it was placed; the root of a tsearch() tree. */
struct seen {
	void *root;
};
struct seen_file {
	ino_t ino;
	off_t size;
	struct timespec mtime, ctime;
	char path[];
};

static int by_path(const void *a, const void *b)
{
	const struct seen_file *x = a, *y = b;

	return strcmp(x->path, y->path);
}

static struct seen_file *seen_make(const char *path, const struct stat *st)
{
	size_t n = strlen(path) + 1;
	struct seen_file *f = malloc(sizeof(*f) + n);

	if (!f)
		return NULL;
	*f = (struct seen_file){ .ino = st->st_ino, .size = st->st_size,
				 .mtime = st->st_mtim, .ctime = st->st_ctim };
	memcpy(f->path, path, n);
	return f;
}

int collect_remember(struct guest *g, const char *path, struct err *e)
{
	char full[MSG_PATH_MAX + sizeof(GUEST_WORKSPACE) + 1];
	struct stat st;

	snprintf(full, sizeof(full), "%s/%s", GUEST_WORKSPACE, path);
	if (lstat(full, &st) < 0)
		return err_sys(e, ERR_HOST, "look at '%s'", path);
	if (!g->seen && !(g->seen = calloc(1, sizeof(*g->seen))))
		return err_sys(e, ERR_HOST, "memory");
	struct seen_file *f = seen_make(path, &st), **node = f ? tsearch(f, &g->seen->root, by_path) : NULL;
	if (!node)
		return err_sys(e, ERR_HOST, "memory");
	if (*node != f)		/* a folder that was said twice */
		free(f);
	return 0;
}

static bool unchanged(const struct guest *g, const char *path, const struct stat *st)
{
	struct seen_file *key = g->seen ? seen_make(path, st) : NULL;
	struct seen_file **hit = key ? tfind(key, &g->seen->root, by_path) : NULL;
	bool same = hit && (S_ISDIR(st->st_mode) ||
		    ((*hit)->ino == st->st_ino && (*hit)->size == st->st_size &&
		     !memcmp(&(*hit)->mtime, &st->st_mtim, sizeof(st->st_mtim)) &&
		     !memcmp(&(*hit)->ctime, &st->st_ctim, sizeof(st->st_ctim))));

	free(key);
	return same;
}

bool collect_knows(const struct guest *g, const char *path)
{
	const struct stat any = { 0 };
	struct seen_file *key = g->seen ? seen_make(path, &any) : NULL;
	bool known = key && tfind(key, &g->seen->root, by_path);

	free(key);
	return known;
}

struct walk {
	struct guest *g;
	char path[MSG_PATH_MAX + 1];	/* of the entry at hand */
	size_t len;
	unsigned depth;
	uint32_t files, skips;
	uint64_t bytes;
	bool stop;
	uint8_t *chunk;			/* MSG_CHUNK bytes */
};

static int send_skip(struct walk *w, enum msg_skip why, struct err *e)
{
	uint8_t body[MSG_PATH_MAX + 16];
	struct packer p = { .at = body, .cap = sizeof(body) };

	if (++w->skips == MSG_SKIPS_MAX) {
		w->stop = true;
		why = MSG_SKIP_MANY;
	}
	pack_number(&p, why, 1);
	pack_bytes(&p, w->path, w->len);
	return guest_queue(w->g, MSG_SKIPPED, body, p.len, e);
}

static int send_head(struct walk *w, const struct stat *st, struct err *e)
{
	uint8_t body[2 * MSG_PATH_MAX];
	struct msg_file m = {
		.type = S_ISDIR(st->st_mode) ? MSG_FOLDER : MSG_REGULAR,
		.mode = st->st_mode & 0777, .path = w->path, .target = "",
		.size = S_ISDIR(st->st_mode) ? 0 : (uint64_t)st->st_size,
		.mtime = st->st_mtime < 0 ? 0 : (uint64_t)st->st_mtime > MSG_MTIME_MAX
		       ? MSG_MTIME_MAX : (uint64_t)st->st_mtime,
	};
	ssize_t n = msg_put_file(&m, body, sizeof(body), e);

	return n < 0 ? -1 : guest_queue(w->g, MSG_FILE, body, (size_t)n, e);
}

static int send_content(struct walk *w, int fd, uint64_t size, struct err *e)
{
	while (size > 0) {
		ssize_t n = read(fd, w->chunk, size < MSG_CHUNK ? size : MSG_CHUNK);

		if (n <= 0)
			return err_sys(e, ERR_HOST, "read '%s'", w->path);
		if (guest_queue(w->g, MSG_DATA, w->chunk, (size_t)n, e) < 0)
			return -1;
		size -= (uint64_t)n;
	}
	return guest_queue(w->g, MSG_END, NULL, 0, e);
}

/* Opens NAME, which lstat() showed to be a file or folder of the program's;
 * one that it shut off from itself is opened up first. */
static int open_entry(int dir, const char *name, mode_t mode)
{
	int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
	int fd = openat(dir, name, flags);

	if (fd >= 0 || errno != EACCES)
		return fd;
	if (fchmodat(dir, name, S_ISDIR(mode) ? 0700 : 0600, 0) < 0)
		return -1;
	return openat(dir, name, flags);
}

static int send_file(struct walk *w, int dir, const char *name, const struct stat *st,
		     struct err *e)
{
	if (unchanged(w->g, w->path, st))
		return 0;
	if (w->files >= w->g->run.max_files) {
		w->stop = true;
		return send_skip(w, MSG_SKIP_MANY, e);
	}
	if ((uint64_t)st->st_size > w->g->run.max_output - w->bytes)
		return send_skip(w, MSG_SKIP_BIG, e);
	AUTO_FD fd = open_entry(dir, name, st->st_mode);
	if (fd < 0)
		return send_skip(w, MSG_SKIP_UNREADABLE, e);
	w->files++;
	w->bytes += (uint64_t)st->st_size;
	if (send_head(w, st, e) < 0)
		return -1;
	if (w->g->run.flags & MSG_LIST)
		return guest_queue(w->g, MSG_END, NULL, 0, e);
	return send_content(w, fd, (uint64_t)st->st_size, e);
}

static int walk_folder(struct walk *w, int fd, struct err *e);

/* WANTED: the folder itself, not only what it may hold. */
static int send_folder(struct walk *w, int dir, const char *name, const struct stat *st,
		       bool wanted, struct err *e)
{
	if (w->depth >= MSG_DEPTH_MAX)
		return send_skip(w, MSG_SKIP_DEEP, e);
	int fd = open_entry(dir, name, st->st_mode);
	if (fd < 0)
		return send_skip(w, MSG_SKIP_UNREADABLE, e);
	if (wanted && !unchanged(w->g, w->path, st)) {
		if (w->files++ >= w->g->run.max_files) {
			w->stop = true;
			close(fd);
			return send_skip(w, MSG_SKIP_MANY, e);
		}
		if (send_head(w, st, e) < 0) {
			close(fd);
			return -1;
		}
	}
	w->depth++;
	int rc = walk_folder(w, fd, e);
	w->depth--;
	return rc;
}

static int send_entry(struct walk *w, int dir, const char *name, struct err *e)
{
	size_t before = w->len, n = strlen(name);
	struct stat st;
	int rc;

	if (before + 1 + n > MSG_PATH_MAX)
		return send_skip(w, MSG_SKIP_NAME, e);
	if (before > 0)
		w->path[w->len++] = '/';
	memcpy(w->path + w->len, name, n + 1);
	w->len += n;
	enum glob_choice choice = glob_choose(&w->g->include, &w->g->exclude, w->path);
	if (choice == GLOB_OUT)
		rc = 0;
	else if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		rc = send_skip(w, MSG_SKIP_UNREADABLE, e);
	else if (S_ISDIR(st.st_mode))
		rc = send_folder(w, dir, name, &st, choice == GLOB_IN, e);
	else if (choice == GLOB_PASS)
		rc = 0;
	else if (S_ISREG(st.st_mode))
		rc = send_file(w, dir, name, &st, e);
	else if (unchanged(w->g, w->path, &st))
		rc = 0;		/* a link that was an input */
	else
		rc = send_skip(w, S_ISLNK(st.st_mode) ? MSG_SKIP_LINK : MSG_SKIP_SPECIAL, e);
	w->len = before;
	w->path[w->len] = 0;
	return rc;
}

static int not_dots(const struct dirent *d)
{
	return strcmp(d->d_name, ".") && strcmp(d->d_name, "..");
}

/* Takes FD over. Sorted by name, so that two runs give the same list. */
static int walk_folder(struct walk *w, int fd, struct err *e)
{
	struct dirent **names = NULL;
	int rc = 0, n = scandirat(fd, ".", &names, not_dots, alphasort);

	if (n < 0)
		rc = send_skip(w, MSG_SKIP_UNREADABLE, e);
	for (int i = 0; i < n; i++) {
		if (rc == 0 && !w->stop)
			rc = send_entry(w, fd, names[i]->d_name, e);
		free(names[i]);
	}
	free(names);
	close(fd);
	return rc;
}

int collect_send(struct guest *g, struct err *e)
{
	uint8_t chunk[MSG_CHUNK];
	struct walk w = { .g = g, .chunk = chunk };
	int rc = 0;

	if (guest_as_user(e) < 0)
		return -1;
	if (g->run.flags & (MSG_COLLECT | MSG_LIST)) {
		int fd = open(GUEST_WORKSPACE, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		if (fd < 0 && errno == EACCES && chmod(GUEST_WORKSPACE, 0700) == 0)
			fd = open(GUEST_WORKSPACE, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		rc = fd < 0 ? err_sys(e, ERR_HOST, "open " GUEST_WORKSPACE)
			    : walk_folder(&w, fd, e);
	}
	return rc < 0 ? -1 : guest_as_root(e);
}
