/* SPDX-License-Identifier: Apache-2.0 */
/* seen - see seen.h */
#include "guest/seen.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_path(const void *a, const void *b)
{
	const struct seen_file *x = a, *y = b;

	return strcmp(x->path, y->path);
}

struct seen_file *seen_find(const struct guest *g, const char *path)
{
	const struct seen_file key = { .path = path };
	struct seen_file **hit = g->seen ? tfind(&key, &g->seen->root, by_path) : NULL;

	return hit ? *hit : NULL;
}

static struct seen_file *make(struct seen *s, const char *path)
{
	size_t n = strlen(path) + 1;
	struct seen_file *f = calloc(1, sizeof(*f) + n);

	if (!f)
		return NULL;
	f->path = memcpy(f + 1, path, n);
	if (!tsearch(f, &s->root, by_path)) {
		free(f);
		return NULL;
	}
	f->next = s->all;
	s->all = f;
	return f;
}

struct seen_file *seen_note(struct guest *g, const char *path, const struct stat *st, struct err *e)
{
	struct seen_file *f = seen_find(g, path);

	if (!g->seen && (g->seen = calloc(1, sizeof(*g->seen))))
		g->seen->turn = 1;
	if (!f && g->seen)
		f = make(g->seen, path);
	if (!f)
		return err_sys(e, ERR_HOST, "memory"), NULL;
	f->type = st->st_mode & S_IFMT;
	f->ino = st->st_ino;
	f->size = st->st_size;
	f->mtime = st->st_mtim;
	f->ctime = st->st_ctim;
	return f;
}

static bool same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

bool seen_same(const struct seen_file *f, const struct stat *st)
{
	if (!f || f->type != (st->st_mode & S_IFMT))
		return false;
	return S_ISDIR(st->st_mode) ||
	       (f->ino == st->st_ino && f->size == st->st_size &&
		same_time(&f->mtime, &st->st_mtim) && same_time(&f->ctime, &st->st_ctim));
}

void seen_sent(struct guest *g, struct seen_file *f, mode_t type)
{
	g->seen->sent += (type != 0) - (f->sent != 0);
	f->sent = type;
}

static int in_order(const void *a, const void *b)
{
	const struct seen_file *const *x = a, *const *y = b;

	return strcmp((*x)->path, (*y)->path);
}

struct seen_file **seen_unmet(const struct guest *g, size_t *n, struct err *e)
{
	const struct seen *s = g->seen;
	size_t all = 0;

	*n = 0;
	for (struct seen_file *f = s ? s->all : NULL; f; f = f->next)
		all += f->met != s->turn;
	struct seen_file **list = calloc(all + 1, sizeof(*list));
	if (!list)
		return err_sys(e, ERR_HOST, "memory"), NULL;
	for (struct seen_file *f = all ? s->all : NULL; f; f = f->next)
		if (f->met != s->turn)
			list[(*n)++] = f;
	qsort(list, *n, sizeof(*list), in_order);
	return list;
}

void seen_drop(struct guest *g, struct seen_file **f, size_t n)
{
	struct seen_file **at = &g->seen->all;

	for (size_t i = 0; i < n; i++)
		if (f[i]) {
			seen_sent(g, f[i], 0);
			(void)tdelete(f[i], &g->seen->root, by_path);
			f[i]->path = NULL;	/* the mark for what follows */
		}
	while (*at) {
		struct seen_file *one = *at;

		if (one->path) {
			at = &one->next;
			continue;
		}
		*at = one->next;
		free(one);
	}
}
