/* SPDX-License-Identifier: Apache-2.0 */
/* inputs - see inputs.h */
#include "in/inputs.h"

#include "base/clock.h"
#include "base/fd.h"
#include "in/names.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Reading, without waiting for a FIFO's writer and without a terminal. */
#define LOOK (O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)

static struct input *add(struct inputs *in, const char *source, const char *path,
			 const struct stat *st, struct err *e)
{
	/* by doubling, at each power of two */
	if ((in->n & (in->n - 1)) == 0) {
		struct input *more = reallocarray(in->at, in->n ? 2 * in->n : 1, sizeof(*more));

		if (!more)
			return err_sys(e, ERR_HOST, "memory"), NULL;
		in->at = more;
	}
	if (in->n >= MSG_INPUTS_MAX)
		return err_set(e, ERR_USAGE, "'%s': more than %u files", source, MSG_INPUTS_MAX), NULL;
	struct input *i = &in->at[in->n++];
	/* a size of 0 may be none: files of /proc tell theirs only by their end */
	*i = (struct input){ .fd = -1, .root = -1, .mode = st->st_mode & 0777,
			     .size = st->st_size ? (uint64_t)st->st_size : INT64_MAX, .dev = st->st_dev, .ino = st->st_ino,
			     .type = S_ISDIR(st->st_mode) ? MSG_FOLDER
				   : S_ISLNK(st->st_mode) ? MSG_LINK : MSG_REGULAR };
	i->source = strdup(source);
	i->path = strdup(path);
	if (!i->source || !i->path)
		return err_sys(e, ERR_HOST, "memory"), NULL;
	if (!msg_path_ok(path, strlen(path)))
		return err_set(e, ERR_USAGE, "'%s': '%s' cannot be a name in /workspace", source,
			       path), NULL;
	return i;
}

struct tree {
	struct inputs *in;
	const char *source;
	int root;		/* index of the source folder */
	unsigned depth;
};

static int add_folder(struct tree *t, int dir, const char *path, const char *beneath, struct err *e);

static int add_entry(struct tree *t, int dir, const char *name, const char *path,
		     const char *beneath, struct err *e)
{
	char target[MSG_PATH_MAX + 1];
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return err_sys(e, ERR_USAGE, "'%s/%s'", t->source, beneath);
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode) && !S_ISLNK(st.st_mode))
		return err_set(e, ERR_USAGE, "'%s/%s' is neither a file nor a folder nor a link",
			       t->source, beneath);
	struct input *i = add(t->in, t->source, path, &st, e);
	if (!i)
		return -1;
	i->root = t->root;
	i->beneath = strdup(beneath);
	if (!i->beneath)
		return err_sys(e, ERR_HOST, "memory");
	if (S_ISLNK(st.st_mode)) {
		ssize_t n = readlinkat(dir, name, target, sizeof(target) - 1);

		if (n <= 0)
			return err_sys(e, ERR_USAGE, "'%s/%s'", t->source, beneath);
		target[n] = 0;
		i->target = strdup(target);
		return i->target ? 0 : err_sys(e, ERR_HOST, "memory");
	}
	if (!S_ISDIR(st.st_mode))
		return 0;
	AUTO_FD sub = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (sub < 0)
		return err_sys(e, ERR_USAGE, "'%s/%s'", t->source, beneath);
	return add_folder(t, sub, path, beneath, e);
}

static int not_dots(const struct dirent *d)
{
	return strcmp(d->d_name, ".") && strcmp(d->d_name, "..");
}

static int add_folder(struct tree *t, int dir, const char *path, const char *beneath, struct err *e)
{
	struct dirent **names = NULL;
	int rc = 0, n = t->depth++ < MSG_DEPTH_MAX ? scandirat(dir, ".", &names, not_dots, alphasort) : -1;

	if (n < 0 && t->depth > MSG_DEPTH_MAX)
		rc = err_set(e, ERR_USAGE, "'%s': more than %d folders deep", t->source, MSG_DEPTH_MAX);
	else if (n < 0)
		rc = err_sys(e, ERR_USAGE, "'%s'", t->source);
	for (int i = 0; i < n; i++) {
		char sub[2][MSG_PATH_MAX + 1];
		const char *name = names[i]->d_name;

		size_t len = (size_t)snprintf(sub[0], sizeof(sub[0]), "%s%s%s", path, *path ? "/" : "", name);
		snprintf(sub[1], sizeof(sub[1]), "%s%s%s", beneath, *beneath ? "/" : "", name);
		if (rc == 0 && len >= sizeof(sub[0]))
			rc = err_set(e, ERR_USAGE, "'%s': '%s' would have a path of %zu bytes (at most %u)",
				     t->source, sub[1], len, MSG_PATH_MAX);
		if (rc == 0)
			rc = add_entry(t, dir, name, sub[0], sub[1], e);
		free(names[i]);
	}
	free(names);
	t->depth--;
	return rc;
}

/* Keeps FD, an open source folder, and adds all that is in it. */
static int add_tree(struct inputs *in, const char *source, const char *path, int fd, struct err *e)
{
	int *roots = reallocarray(in->root, in->roots + 1, sizeof(*roots));

	if (!roots) {
		close(fd);
		return err_sys(e, ERR_HOST, "memory");
	}
	in->root = roots;
	roots[in->roots++] = fd;
	struct tree t = { .in = in, .source = source, .root = (int)in->roots - 1 };
	return add_folder(&t, fd, path, "", e);
}

/* The last component of PATH ("dir/" is "dir"), or NULL if it has no name. */
static char *base_name(const char *path)
{
	size_t end = strlen(path), start;

	while (end > 1 && path[end - 1] == '/')
		end--;
	for (start = end; start > 0 && path[start - 1] != '/'; start--)
		;
	char *name = strndup(path + start, end - start);
	if (name && msg_path_ok(name, strlen(name)))
		return name;
	free(name);
	return NULL;
}

/* Opens what SOURCE names and adds it as NAME: a regular file or a folder. */
static int add_source(struct inputs *in, const char *source, const char *name, struct err *e)
{
	AUTO_FD fd = open(source, LOOK);
	struct stat st;

	if (fd < 0 && errno != ENXIO)	/* that is a socket's */
		return err_sys(e, ERR_USAGE, "'%s'", source);
	if (fd >= 0 && fstat(fd, &st) < 0)
		return err_sys(e, ERR_USAGE, "'%s'", source);
	if (fd < 0 || (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))
		return err_set(e, ERR_USAGE, "'%s' is neither a file nor a folder", source);
	struct input *i = add(in, source, name, &st, e);
	if (!i)
		return -1;
	if (S_ISDIR(st.st_mode))
		return add_tree(in, source, name, fd_take(&fd), e);
	i->fd = fd_take(&fd);
	return 0;
}

/* Nothing of it is looked at here: the sandbox unpacks it. */
static int add_tar(struct inputs *in, struct err *e)
{
	const struct stat any = { .st_mode = S_IFREG | 0644, .st_size = INT64_MAX };

	if (isatty(STDIN_FILENO))
		return err_set(e, ERR_USAGE, "'-' takes a tar, but standard input is a terminal");
	struct input *i = add(in, "-", "tar", &any, e);
	if (!i)
		return -1;
	i->place = MSG_AS_TAR;
	in->tar = true;
	return 0;
}

/* SRC[:NAME]: the whole text if such a path exists, else cut at the last colon. */
static int add_option(struct inputs *in, const char *text, struct err *e)
{
	char *colon = strrchr(text, ':'), *source = NULL, *name = NULL;
	struct stat st;
	int rc;

	if (colon && stat(text, &st) < 0 && colon > text && colon[1]) {
		source = strndup(text, (size_t)(colon - text));
		name = strdup(colon + 1);
	} else {
		source = strdup(text);
		name = base_name(text);
	}
	if (source && !name)
		rc = err_set(e, ERR_USAGE, "'%s' has no name of its own; SRC:NAME gives it one", text);
	else
		rc = source ? add_source(in, source, name, e) : err_sys(e, ERR_HOST, "memory");
	free(source);
	free(name);
	return rc;
}

/* What FILE says of itself: by its suffix, or a #! line that names a shell or Python
 * ("#!/bin/bash", "#!/usr/bin/env -S sh -e"). */
static enum plan_lang file_language(const char *path, int fd)
{
	static const struct {
		const char *word;
		enum plan_lang lang;
	} words[] = { { "sh", PLAN_SHELL }, { "bash", PLAN_SHELL }, { "dash", PLAN_SHELL },
		      { "python", PLAN_PYTHON }, { "python3", PLAN_PYTHON } };
	size_t len = strlen(path);
	char line[128];
	ssize_t n;

	if (len > 3 && !strcmp(path + len - 3, ".sh"))
		return PLAN_SHELL;
	if (len > 3 && !strcmp(path + len - 3, ".py"))
		return PLAN_PYTHON;
	n = pread(fd, line, sizeof(line) - 1, 0);
	if (n < 4 || line[0] != '#' || line[1] != '!')
		return PLAN_AUTO;
	line[n] = 0;
	line[strcspn(line, "\n")] = 0;
	for (char *save, *w = strtok_r(line + 2, " \t\r/", &save); w; w = strtok_r(NULL, " \t\r/", &save))
		for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
			if (!strcmp(w, words[i].word))
				return words[i].lang;
	return PLAN_AUTO;
}

/* FILE is looked at before it is sent, and may be sent twice: a pipe's bytes go into a file
 * without a name, to its end, or until a signal waits in SIG_FD, which ends the run anyway. */
static int read_pipe(const struct plan *p, int sig_fd, int *fd, struct stat *st, struct err *e)
{
	struct pollfd wait[] = { { *fd, POLLIN, 0 }, { sig_fd, POLLIN, 0 } };
	AUTO_FD copy = memfd_create("program", MFD_CLOEXEC);
	uint64_t left = p->limit[LIMIT_DISK];
	char chunk[16384];
	ssize_t n = -1;

	if (copy < 0)
		return err_sys(e, ERR_HOST, "a file in memory");
	while (n != 0) {
		if (poll(wait, 2, -1) < 0)
			return err_sys(e, ERR_HOST, "poll");
		if (wait[1].revents)
			break;
		n = read(*fd, chunk, sizeof(chunk));
		if (n < 0 && errno == EAGAIN)
			continue;
		if (n < 0 || fd_write_all(copy, chunk, (size_t)n) < 0)
			return err_sys(e, ERR_UNREADABLE, "'%s'", p->program);
		if ((uint64_t)n > left)
			return err_set(e, ERR_UNREADABLE, "'%s': more than --disk has room for", p->program);
		left -= (uint64_t)n;
	}
	if (fstat(copy, st) < 0)
		return err_sys(e, ERR_UNREADABLE, "'%s'", p->program);
	st->st_mode = S_IFREG | 0644;
	fd_closep(fd);
	*fd = fd_take(&copy);
	return 0;
}

static int add_program_file(struct plan *p, struct inputs *in, int sig_fd, struct err *e)
{
	const char *path = p->program;
	AUTO_FD fd = open(path, LOOK);
	struct stat st;

	if (fd < 0)
		return err_sys(e, errno == ENOENT || errno == ENOTDIR ? ERR_NOT_FOUND : ERR_UNREADABLE,
			       "'%s'", path);
	if (fstat(fd, &st) < 0)
		return err_sys(e, ERR_UNREADABLE, "'%s'", path);
	if (S_ISDIR(st.st_mode))
		return err_set(e, ERR_UNREADABLE, "'%s': is a folder", path);
	if (S_ISFIFO(st.st_mode) && read_pipe(p, sig_fd, &fd, &st, e) < 0)
		return -1;
	if (!S_ISREG(st.st_mode))
		return err_set(e, ERR_UNREADABLE, "'%s': is neither a regular file nor a pipe", path);
	in->file = base_name(path);
	if (!in->file)
		return err_set(e, ERR_UNREADABLE, "'%s': not a name for a program", path);
	if (plan_suit(p, file_language(path, fd), e) < 0)
		return -1;
	struct input *i = add(in, path, in->file, &st, e);
	if (!i)
		return -1;
	i->fd = fd_take(&fd);
	return 0;
}

static int add_program(struct plan *p, struct inputs *in, int sig_fd, struct err *e)
{
	const struct stat text = { .st_mode = S_IFREG | 0644, .st_size = INT64_MAX };
	struct input *i;

	if (p->source == PLAN_FILE)
		return add_program_file(p, in, sig_fd, e);
	if (p->source == PLAN_MODULE)
		return 0;
	in->from_stdin = p->source == PLAN_STDIN;
	i = add(in, in->from_stdin ? "standard input" : "--code", "program", &text, e);
	if (!i)
		return -1;
	i->place = MSG_AS_PROGRAM;
	i->text = p->program;
	if (i->text)		/* also where it is empty: behind it is memory of ours */
		i->size = strlen(i->text);
	return 0;
}

int inputs_sources(const struct strv *sources, struct inputs *in, struct err *e)
{
	for (size_t i = 0; i < sources->n; i++)
		if (strcmp(sources->at[i], PLAN_STDIO) && add_option(in, sources->at[i], e) < 0)
			return -1;
	return names_check(in, e);
}

int inputs_open(struct plan *p, struct inputs *in, int sig_fd, struct err *e)
{
	*in = (struct inputs){ 0 };
	if (p->tar_in && add_tar(in, e) < 0)
		return err_in(e, "--input");
	if (add_program(p, in, sig_fd, e) < 0)
		return -1;
	return inputs_sources(&p->inputs, in, e) < 0 ? err_in(e, "--input") : 0;
}

int inputs_add_folder(struct inputs *in, const char *path, struct err *e)
{
	size_t before = in->n;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0)
		return err_sys(e, ERR_SESSION, "'%s'", path);
	if (add_tree(in, path, "", fd, e) < 0) {
		if (e->kind == ERR_USAGE)
			e->kind = ERR_SESSION;
		return -1;
	}
	return names_make_way(in, before, e);
}

static void look_at_stdin(struct inputs *in, size_t max, int ms, int sig_fd)
{
	int64_t until = clock_now_us() + (int64_t)ms * 1000;
	struct err ignored;

	while (!in->head_end && in->head.len < max) {
		struct pollfd p[] = { { STDIN_FILENO, POLLIN, 0 }, { sig_fd, POLLIN, 0 } };

		if (poll(p, 2, clock_poll_ms(until)) <= 0 || p[1].revents ||
		    buf_room(&in->head, max - in->head.len, max, &ignored) < 0)
			return;
		ssize_t n = read(STDIN_FILENO, in->head.at + in->head.len, max - in->head.len);
		if (n < 0)
			return;		/* whoever reads it next says so */
		in->head_end = n == 0;
		in->head.len += (size_t)n;
	}
}

size_t inputs_look(struct inputs *in, size_t max, int ms, int sig_fd, struct buf *room,
		   const char **text)
{
	/* the program comes first, but for a tar */
	const struct input *i = in->n > in->tar ? &in->at[in->tar] : NULL;
	struct err ignored;
	ssize_t n = 0;

	*text = "";
	if (in->from_stdin) {
		look_at_stdin(in, max, ms, sig_fd);
		*text = in->head.len ? (const char *)in->head.at : "";
		return in->head.len;
	}
	if (i && i->text) {
		*text = i->text;
		return strnlen(i->text, max);
	}
	if (in->file && buf_room(room, max, max, &ignored) == 0) {
		n = pread(i->fd, room->at, max, 0);
		*text = n > 0 ? (const char *)room->at : "";
	}
	return n > 0 ? (size_t)n : 0;
}

int inputs_read(const struct inputs *in, size_t i, struct err *e)
{
	const struct input *one = &in->at[i];
	int fd = one->fd >= 0 ? fcntl(one->fd, F_DUPFD_CLOEXEC, 3)
	       : openat(in->root[one->root], one->beneath, LOOK | O_NOFOLLOW);
	const char *by = one->waited ? "pai-session put" : "--input";
	struct stat st;

	if (fd < 0)
		return err_sys(e, ERR_USAGE, "%s: '%s/%s'", by, one->source,
			       one->beneath ? one->beneath : "");
	/* another sandbox may have been given a part of it */
	if (lseek(fd, 0, SEEK_SET) < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return err_set(e, ERR_USAGE, "%s: '%s/%s' is no regular file any more",
			       by, one->source, one->beneath ? one->beneath : "");
	}
	return fd;
}

void inputs_close(struct inputs *in)
{
	for (size_t i = 0; i < in->n; i++) {
		struct input *one = &in->at[i];

		fd_closep(&one->fd);
		free(one->path);
		free(one->target);
		free(one->source);
		free(one->beneath);
	}
	for (size_t i = 0; i < in->roots; i++)
		close(in->root[i]);
	buf_free(&in->head);
	free(in->at);
	free(in->root);
	free(in->file);
	*in = (struct inputs){ 0 };
}
