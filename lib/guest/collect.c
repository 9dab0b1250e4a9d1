/* SPDX-License-Identifier: Apache-2.0 */
/* collect - what the program made, sent to the host; see guest.h
 *
 * It runs when every process of the program is gone (in a session: stopped), so
 * nothing changes under it, and with the program's own rights. Only regular files
 * and folders are sent; no link is followed, nothing that could block is opened.
 * The host believes none of it and checks again.
 *
 * In a session the host has a mirror of /workspace, which each turn brings up to
 * date: all that is new or changed since the turn before is sent, whatever the user
 * wants to keep, and what went is told. What is new to the mirror alone (an input as
 * it was placed) is marked as such.
 */
#include "guest/mapped.h"
#include "guest/seen.h"

#include "base/fd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int collect_remember(struct guest *g, const char *path, struct err *e)
{
	char full[MSG_PATH_MAX + sizeof(GUEST_WORKSPACE) + 1];
	struct stat st;

	snprintf(full, sizeof(full), "%s/%s", GUEST_WORKSPACE, path);
	if (lstat(full, &st) < 0)
		return err_sys(e, ERR_HOST, "look at '%s'", path);
	if (collect_left(g, path, &st))
		return 0;
	struct seen_file *f = seen_note(g, path, &st, e);
	if (!f)
		return -1;
	f->placed = g->seen->turn;
	return 0;
}

int collect_pass_by(struct guest *g, const char *path, const struct stat *st, struct err *e)
{
	return seen_note(g, path, st, e) ? 0 : -1;
}

bool collect_left(const struct guest *g, const char *path, const struct stat *st)
{
	const struct seen_file *f = seen_find(g, path);

	return f && f->placed != g->seen->turn && seen_same(f, st);
}

bool collect_knows(const struct guest *g, const char *path)
{
	const struct seen_file *f = seen_find(g, path);

	return f && f->placed == g->seen->turn;
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
	bool session;
	struct mapped mapped;		/* of a session, */
	struct seen_file *entry;	/* and the one at hand, */
	bool known;			/* which is as it was when it was last looked at */
};

static int send_path(struct walk *w, enum msg_kind kind, int why, const char *path, struct err *e)
{
	uint8_t body[MSG_PATH_MAX + 16];
	struct packer p = { .at = body, .cap = sizeof(body) };

	if (kind == MSG_SKIPPED)
		pack_number(&p, (uint64_t)why, 1);
	pack_bytes(&p, path, strlen(path));
	return guest_queue(w->g, kind, body, p.len, e);
}

static int send_skip(struct walk *w, enum msg_skip why, struct err *e)
{
	if (++w->skips == MSG_SKIPS_MAX) {
		w->stop = true;
		why = MSG_SKIP_MANY;
	}
	return send_path(w, MSG_SKIPPED, (int)why, w->path, e);
}

static int send_gone(struct walk *w, struct seen_file *f, struct err *e)
{
	seen_sent(w->g, f, 0);
	return send_path(w, MSG_GONE, 0, f->path, e);
}

/* What is not sent is told, in a session once; the mirror has no older one then. */
static int leave_out(struct walk *w, enum msg_skip why, struct err *e)
{
	if (w->session && w->entry->sent && send_gone(w, w->entry, e) < 0)
		return -1;
	return w->session && w->known ? 0 : send_skip(w, why, e);
}

static int send_head(struct walk *w, const struct stat *st, struct err *e)
{
	uint8_t body[2 * MSG_PATH_MAX];
	struct msg_file m = {
		.type = S_ISDIR(st->st_mode) ? MSG_FOLDER : MSG_REGULAR,
		.place = w->session && w->known ? MSG_AS_INPUT : MSG_IN_WORKSPACE,
		.mode = st->st_mode & 0777, .path = w->path, .target = "",
		.size = S_ISDIR(st->st_mode) ? 0 : (uint64_t)st->st_size,
		.mtime = st->st_mtime < 0 ? 0 : (uint64_t)st->st_mtime > MSG_MTIME_MAX
		       ? MSG_MTIME_MAX : (uint64_t)st->st_mtime,
	};
	ssize_t n = msg_put_file(&m, body, sizeof(body), e);

	if (w->session)
		seen_sent(w->g, w->entry, st->st_mode & S_IFMT);
	return n < 0 ? -1 : guest_queue(w->g, MSG_FILE, body, (size_t)n, e);
}

static int send_content(struct walk *w, int fd, uint64_t size, struct err *e)
{
	while (size > 0) {
		ssize_t n = read(fd, w->chunk, size < MSG_CHUNK ? size : MSG_CHUNK);

		if (n <= 0 && w->session) {	/* it shrank: the next turn sends what it is then */
			w->entry->ino = 0;
			break;
		}
		if (n <= 0)
			return err_sys(e, ERR_HOST, "read '%s'", w->path);
		if (guest_queue(w->g, MSG_DATA, w->chunk, (size_t)n, e) < 0)
			return -1;
		size -= (uint64_t)n;
	}
	return guest_queue(w->g, MSG_END, NULL, 0, e);
}

/* Opens NAME, which lstat() showed to be a file or folder of the program's; one
 * that it shut off from itself is opened up first (*SHUT). */
static int open_entry(int dir, const char *name, mode_t mode, bool *shut)
{
	int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
	int fd = openat(dir, name, flags);

	*shut = false;
	if (fd >= 0 || errno != EACCES)
		return fd;
	if (fchmodat(dir, name, S_ISDIR(mode) ? 0700 : 0600, 0) < 0)
		return -1;
	*shut = true;
	return openat(dir, name, flags);
}

/* A session's program goes on, and finds it as it was. */
static void shut_again(const struct walk *w, struct seen_file *f, int dir, const char *name, mode_t mode)
{
	struct stat st;

	if (w->session && fchmodat(dir, name, mode & 07777, 0) == 0 &&
	    fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		f->ctime = st.st_ctim;
}

/* Nothing is sent of an input as it was placed, nor of what the mirror has: but an
 * input of this very turn is new to it. */
static bool is_needless(const struct walk *w, const struct stat *st)
{
	if (!w->session)
		return seen_same(seen_find(w->g, w->path), st);
	return w->known && w->entry->sent &&
	       (S_ISDIR(st->st_mode) || w->entry->placed != w->g->seen->turn);
}

/* True if one more would be too many, and the walk is at its end. */
static bool is_full(struct walk *w)
{
	if (w->session)		/* all of the mirror counts */
		w->stop = !w->entry->sent && w->g->seen->sent >= MSG_MIRROR_MAX;
	else
		w->stop = w->files >= w->g->run.max_files;
	return w->stop;
}

static int send_file(struct walk *w, int dir, const char *name, const struct stat *st,
		     struct err *e)
{
	/* of a session's files the disk's size is the bound: sparse ones can be larger */
	uint64_t most = w->session ? w->g->run.disk_bytes : w->g->run.max_output;
	bool shut;

	if (is_needless(w, st))
		return 0;
	if (is_full(w))
		return leave_out(w, MSG_SKIP_MANY, e);
	if ((uint64_t)st->st_size > most - w->bytes)
		return leave_out(w, MSG_SKIP_BIG, e);
	AUTO_FD fd = open_entry(dir, name, st->st_mode, &shut);
	if (shut)
		shut_again(w, w->entry, dir, name, st->st_mode);
	if (fd < 0)
		return leave_out(w, MSG_SKIP_UNREADABLE, e);
	w->files++;
	w->bytes += (uint64_t)st->st_size;
	if (send_head(w, st, e) < 0)
		return -1;
	if (!w->session && w->g->run.flags & MSG_LIST)
		return guest_queue(w->g, MSG_END, NULL, 0, e);
	return send_content(w, fd, (uint64_t)st->st_size, e);
}

static int walk_folder(struct walk *w, int fd, struct err *e);

/* WANTED: the folder itself, not only what it may hold. Takes FD over. */
static int enter_folder(struct walk *w, int fd, const struct stat *st, bool wanted, struct err *e)
{
	AUTO_FD folder = fd;

	if (wanted && !is_needless(w, st)) {
		if (is_full(w))
			return leave_out(w, MSG_SKIP_MANY, e);
		w->files++;
		if (send_head(w, st, e) < 0)
			return -1;
	}
	w->depth++;
	int rc = walk_folder(w, fd_take(&folder), e);
	w->depth--;
	return rc;
}

static int send_folder(struct walk *w, int dir, const char *name, const struct stat *st,
		       bool wanted, struct err *e)
{
	struct seen_file *entry = w->entry;
	bool shut;

	if (w->depth >= MSG_DEPTH_MAX)
		return leave_out(w, MSG_SKIP_DEEP, e);
	int fd = open_entry(dir, name, st->st_mode, &shut);
	int rc = fd < 0 ? leave_out(w, MSG_SKIP_UNREADABLE, e) : enter_folder(w, fd, st, wanted, e);
	if (shut)
		shut_again(w, entry, dir, name, st->st_mode);
	return rc;
}

/* What is mapped may have changed although its times have not: its bytes tell. */
static void compare(struct walk *w, struct seen_file *f, int dir, const char *name, const struct stat *st)
{
	bool summed = f->summed;
	uint64_t sum = 0, left = (uint64_t)st->st_size;

	f->summed = S_ISREG(st->st_mode) && left <= w->g->run.disk_bytes && mapped_has(&w->mapped, st->st_ino);
	if (!f->summed)
		return;
	AUTO_FD fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	for (ssize_t n; left > 0; left -= (uint64_t)n) {
		n = read(fd, w->chunk, left < MSG_CHUNK ? left : MSG_CHUNK);
		if (n <= 0)
			break;
		sum = mapped_sum(sum, w->chunk, (size_t)n);
	}
	w->known = w->known && summed && f->sum == sum;
	f->sum = sum;
}

/* Notes how the entry at hand is now; what had its name in the mirror goes first. */
static int meet(struct walk *w, int dir, const char *name, const struct stat *st, struct err *e)
{
	struct seen_file *f = seen_find(w->g, w->path);

	w->known = seen_same(f, st);
	if (f && f->sent && f->sent != (st->st_mode & S_IFMT) && send_gone(w, f, e) < 0)
		return -1;
	w->entry = seen_note(w->g, w->path, st, e);
	if (!w->entry)
		return -1;
	w->entry->met = w->g->seen->turn;
	compare(w, w->entry, dir, name, st);
	return 0;
}

static int send_other(struct walk *w, const struct stat *st, struct err *e)
{
	if (!w->session && seen_same(seen_find(w->g, w->path), st))
		return 0;		/* a link that was an input */
	return leave_out(w, S_ISLNK(st->st_mode) ? MSG_SKIP_LINK : MSG_SKIP_SPECIAL, e);
}

static int send_named(struct walk *w, int dir, const char *name, struct err *e)
{
	enum glob_choice choice = w->session ? GLOB_IN
		: glob_choose(&w->g->include, &w->g->exclude, w->path);
	struct stat st;

	if (choice == GLOB_OUT)
		return 0;
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return w->session ? 0 : send_skip(w, MSG_SKIP_UNREADABLE, e);
	if (w->session && meet(w, dir, name, &st, e) < 0)
		return -1;
	if (S_ISDIR(st.st_mode))
		return send_folder(w, dir, name, &st, choice == GLOB_IN, e);
	if (choice == GLOB_PASS)
		return 0;
	return S_ISREG(st.st_mode) ? send_file(w, dir, name, &st, e) : send_other(w, &st, e);
}

static int send_entry(struct walk *w, int dir, const char *name, struct err *e)
{
	size_t before = w->len, n = strlen(name);

	if (before + 1 + n > MSG_PATH_MAX)
		return send_skip(w, MSG_SKIP_NAME, e);
	if (before > 0)
		w->path[w->len++] = '/';
	memcpy(w->path + w->len, name, n + 1);
	w->len += n;
	int rc = send_named(w, dir, name, e);
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

/* True if F is still what it was: the walk may have ended early. Its parent is asked
 * first: the path must not lead through a link that has a folder's place now, and of a
 * folder that the mirror has not it has nothing. */
static bool is_there(const struct walk *w, const struct seen_file *f, bool *parent)
{
	char full[MSG_PATH_MAX + sizeof(GUEST_WORKSPACE) + 1], *name = full + sizeof(GUEST_WORKSPACE), *end;
	struct stat st;

	snprintf(full, sizeof(full), "%s/%s", GUEST_WORKSPACE, f->path);
	end = strrchr(name, '/');
	if (end)
		*end = 0;
	const struct seen_file *in = end ? seen_find(w->g, name) : NULL;
	*parent = !end || (in && S_ISDIR(in->type) && in->sent);
	if (end)
		*end = '/';
	if (!*parent)
		return false;
	return lstat(full, &st) == 0 ? (st.st_mode & S_IFMT) == f->type
	     : w->stop && errno != ENOENT && errno != ENOTDIR;
}

/* What the walk did not meet is gone, or was beneath what is: the mirror forgets that
 * with its folder. */
static int send_all_gone(struct walk *w, struct err *e)
{
	size_t n;
	struct seen_file **list = seen_unmet(w->g, &n, e);
	int rc = list ? 0 : -1;
	bool parent;

	for (size_t i = 0; rc == 0 && i < n; i++) {
		if (is_there(w, list[i], &parent)) {
			list[i] = NULL;
			continue;
		}
		list[i]->type = 0;
		if (parent && list[i]->sent)
			rc = send_gone(w, list[i], e);
	}
	if (rc == 0 && n > 0)
		seen_drop(w->g, list, n);
	free(list);
	return rc;
}

int collect_send(struct guest *g, struct err *e)
{
	uint8_t chunk[MSG_CHUNK];
	struct walk w = { .g = g, .chunk = chunk, .session = g->run.flags & MSG_SESSION };
	int rc = 0;

	if (guest_as_user(e) < 0 || (w.session && mapped_find(&w.mapped, e) < 0))
		return -1;
	if (g->run.flags & (MSG_COLLECT | MSG_LIST | MSG_SESSION)) {
		int fd = open(GUEST_WORKSPACE, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		if (fd < 0 && errno == EACCES && chmod(GUEST_WORKSPACE, 0700) == 0)
			fd = open(GUEST_WORKSPACE, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		rc = fd < 0 ? err_sys(e, ERR_HOST, "open " GUEST_WORKSPACE)
			    : walk_folder(&w, fd, e);
	}
	if (rc == 0 && w.session)
		rc = send_all_gone(&w, e);
	mapped_free(&w.mapped);
	if (g->seen && w.session)
		g->seen->turn++;
	return rc < 0 ? -1 : guest_as_root(e);
}
