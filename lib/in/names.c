/* SPDX-License-Identifier: Apache-2.0 */
/* names - see names.h */
#include "in/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Entries of /workspace by their paths. */
struct sorted {
	struct input **at;
	size_t n;
};

static int by_path(const void *a, const void *b)
{
	const struct input *const *x = a, *const *y = b;
	int order = strcmp((*x)->path, (*y)->path);

	return order ? order : *x < *y ? -1 : *x > *y;
}

/* Those of the first N that are sent to /workspace. */
static int sort(struct inputs *in, size_t n, struct sorted *s, struct err *e)
{
	*s = (struct sorted){ .at = calloc(n + 1, sizeof(*s->at)) };
	if (!s->at)
		return err_sys(e, ERR_HOST, "memory");
	for (size_t i = 0; i < n; i++)
		if (in->at[i].place == MSG_IN_WORKSPACE && in->at[i].type != MSG_TYPES)
			s->at[s->n++] = &in->at[i];
	qsort(s->at, s->n, sizeof(*s->at), by_path);
	return 0;
}

/* The first whose path is PATH or, with BENEATH, begins with it; or NULL. */
static struct input *find(const struct sorted *s, const char *path, bool beneath)
{
	size_t from = 0, n = s->n;

	while (from < n) {
		size_t at = from + (n - from) / 2;

		if (strcmp(s->at[at]->path, path) < 0)
			from = at + 1;
		else
			n = at;
	}
	if (from == s->n || (beneath ? strncmp(s->at[from]->path, path, strlen(path)) : strcmp(s->at[from]->path, path)))
		return NULL;
	return s->at[from];
}

/* One that is no folder where I needs one, or NULL. */
static struct input *above(const struct sorted *s, const struct input *i)
{
	char path[MSG_PATH_MAX + 1];

	for (const char *slash = i->path; (slash = strchr(slash, '/')); slash++) {
		snprintf(path, sizeof(path), "%.*s", (int)(slash - i->path), i->path);
		struct input *found = find(s, path, false);

		if (found && found->type != MSG_FOLDER)
			return found;
	}
	return NULL;
}

static int check_one(const struct sorted *s, size_t i, struct err *e)
{
	struct input *b = s->at[i], *a = i > 0 ? s->at[i - 1] : NULL, *file = above(s, b);

	if (file)
		return err_set(e, ERR_USAGE, "'%s' would be '%s' in /workspace, where '%s' is the file '%s'; "
			       "SRC:NAME gives one another name", b->source, b->path, file->source, file->path);
	if (!a || strcmp(a->path, b->path))
		return 0;
	if (a->type != MSG_REGULAR || b->type != MSG_REGULAR || a->dev != b->dev || a->ino != b->ino)
		return err_set(e, ERR_USAGE, "'%s' and '%s' would both be '%s' in /workspace; "
			       "SRC:NAME gives one another name", a->source, b->source, a->path);
	return 0;
}

int names_check(struct inputs *in, struct err *e)
{
	struct sorted s;
	int rc = sort(in, in->n, &s, e);

	for (size_t i = 0; rc == 0 && i < s.n; i++)
		rc = check_one(&s, i, e);
	for (size_t i = s.n; rc == 0 && i-- > 1;)
		if (!strcmp(s.at[i - 1]->path, s.at[i]->path))
			s.at[i]->type = MSG_TYPES;
	free(s.at);
	return rc;
}

/* What waited gives way to an input of its name, to one that is no folder where it
 * needs one, and (but for a folder) to what needs a folder in its place. */
static bool gives_way(const struct sorted *s, const struct input *i)
{
	char path[MSG_PATH_MAX + 2];

	snprintf(path, sizeof(path), "%s/", i->path);
	return above(s, i) || find(s, i->path, false) || (i->type != MSG_FOLDER && find(s, path, true));
}

int names_make_way(struct inputs *in, size_t before, struct err *e)
{
	struct sorted s;

	if (sort(in, before, &s, e) < 0)
		return -1;
	for (size_t i = before; i < in->n; i++) {
		in->at[i].waited = true;
		if (gives_way(&s, &in->at[i]))
			in->at[i].type = MSG_TYPES;
	}
	free(s.at);
	return 0;
}
