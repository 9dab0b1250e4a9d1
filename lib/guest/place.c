/* SPDX-License-Identifier: Apache-2.0 */
/* place - files that arrive from the host; see guest.h
 *
 * The host checked its own sources; the rules here only keep a path beneath
 * the folder that it belongs to. All of it is done with the program's rights.
 */
#include "guest/guest.h"

#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A place that is full is the user's matter, and so is what earlier turns of a session
 * have left there; everything else is ours. */
static int place_failed(const struct guest *g, const char *path, struct err *e)
{
	if (errno == ENOSPC)
		return err_set(e, ERR_USAGE, "the inputs do not fit into --disk ('%s')", path);
	if (g->resumed)
		return err_sys(e, ERR_USAGE, "'%s' cannot be placed in the session's " GUEST_WORKSPACE, path);
	return err_sys(e, ERR_HOST, "place '%s'", path);
}

/* 1: made, 0: it was there, -1. In a later turn that may be the program's: a folder that
 * is wanted must be one, and no link to one. */
static int make_folder(const struct guest *g, const char *full, mode_t mode)
{
	struct stat st;

	if (mkdir(full, mode) == 0)
		return 1;
	if (errno != EEXIST || !g->resumed || lstat(full, &st) < 0)
		return errno == EEXIST ? 0 : -1;
	errno = ENOTDIR;
	return S_ISDIR(st.st_mode) ? 0 : -1;
}

/* Makes the folders that PATH lies in. */
static int make_parents(struct guest *g, const char *path, struct err *e)
{
	char part[MSG_PATH_MAX + sizeof(GUEST_WORKSPACE) + 1];
	struct stat st;

	for (const char *s = strchr(path, '/'); s; s = strchr(s + 1, '/')) {
		snprintf(part, sizeof(part), "%s/%.*s", GUEST_WORKSPACE, (int)(s - path), path);
		int made = make_folder(g, part, 0755);

		if (made < 0 || (made && lstat(part, &st) < 0))
			return place_failed(g, path, e);
		if (made && collect_pass_by(g, part + sizeof(GUEST_WORKSPACE), &st, e) < 0)
			return -1;
	}
	return 0;
}

/* Takes away what an earlier turn has left at the place of a file or link; a folder
 * stays, and is in the way. */
static int make_room(const struct guest *g, const char *full, const char *path, struct err *e)
{
	if (!g->resumed || unlink(full) == 0 || errno == ENOENT)
		return 0;
	return place_failed(g, path, e);
}

static int place_one(struct guest *g, const struct msg_file *m, struct err *e)
{
	char path[MSG_PATH_MAX + sizeof(GUEST_WORKSPACE) + 1];

	snprintf(path, sizeof(path), "%s/%s", GUEST_WORKSPACE, m->path);
	if (m->place == MSG_AS_PROGRAM)
		snprintf(path, sizeof(path), "%s", GUEST_TEXT);
	else if (collect_knows(g, m->path))
		return err_set(e, ERR_USAGE, "'%s' is in the tar from standard input too", m->path);
	else if (make_parents(g, m->path, e) < 0)
		return -1;
	if (m->type != MSG_FOLDER && make_room(g, path, m->path, e) < 0)
		return -1;
	switch (m->type) {
	case MSG_FOLDER:
		if (make_folder(g, path, 0700) < 0 || chmod(path, m->mode | 0700) < 0)
			return place_failed(g, m->path, e);
		break;
	case MSG_LINK:
		if (symlink(m->target, path) < 0)
			return place_failed(g, m->path, e);
		break;
	default:
		g->file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (g->file < 0 || fchmod(g->file, m->mode | 0400) < 0)
			return place_failed(g, m->path, e);
		snprintf(g->file_path, sizeof(g->file_path), "%s",
			 m->place == MSG_IN_WORKSPACE ? m->path : "");
		return 0;
	}
	return m->place == MSG_IN_WORKSPACE ? collect_remember(g, m->path, e) : 0;
}

int place_file(struct guest *g, const struct msg_file *m, struct err *e)
{
	if (g->file >= 0 || g->unpack.open)
		return err_set(e, ERR_GUEST, "a file before the end of another");
	if (m->place == MSG_AS_TAR)
		return unpack_begin(g, e);
	g->placed = true;
	if (guest_as_user(e) < 0 || place_one(g, m, e) < 0)
		return -1;
	return guest_as_root(e);
}

int place_data(struct guest *g, const struct frame *f, struct err *e)
{
	uint8_t more[4];
	struct packer p = { .at = more, .cap = sizeof(more) };

	if (g->file < 0 && !g->unpack.open)
		return err_set(e, ERR_GUEST, "bytes of no file");
	if (g->unpack.open && unpack_data(g, f->body, f->len, e) < 0)
		return -1;
	if (!g->unpack.open && fd_write_all(g->file, f->body, f->len) < 0)
		return place_failed(g, g->file_path, e);
	pack_number(&p, f->len, 4);
	return guest_send(g, MSG_CREDIT_MORE, more, p.len, e);
}

int place_end(struct guest *g, struct err *e)
{
	if (g->unpack.open)
		return unpack_end_of(g, e);
	if (g->file < 0)
		return err_set(e, ERR_GUEST, "the end of no file");
	if (close(fd_take(&g->file)) < 0)
		return place_failed(g, g->file_path, e);
	if (!*g->file_path)
		return 0;
	if (guest_as_user(e) < 0 ||
	    collect_remember(g, g->file_path, e) < 0)
		return -1;
	return guest_as_root(e);
}
