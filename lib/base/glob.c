/* SPDX-License-Identifier: Apache-2.0 */
/* glob - see glob.h */
#include "base/glob.h"

#include <fnmatch.h>
#include <limits.h>
#include <string.h>

/* The component at *AT as a string in ROOM, *AT behind it (NULL: it was the
 * last); false if it is too long to be the name of anything. */
static bool take_part(const char **at, char room[NAME_MAX + 1])
{
	size_t n = strcspn(*at, "/");
	bool fits = n <= NAME_MAX;

	memcpy(room, *at, fits ? n : 0);
	room[fits ? n : 0] = 0;
	*at = (*at)[n] ? *at + n + 1 : NULL;
	return fits;
}

/* Component by component; after a mismatch the last ** takes one more. */
static bool match_parts(const char *glob, const char *path)
{
	const char *retry_glob = NULL, *retry_path = NULL;
	char want[NAME_MAX + 1], have[NAME_MAX + 1];

	while (path || glob) {
		const char *g = glob, *p = path;
		bool ok = g && take_part(&g, want);

		if (ok && !strcmp(want, "**")) {
			if (!g)
				return path != NULL;
			retry_glob = g;
			retry_path = path;
			glob = g;
			continue;
		}
		if (ok && p && take_part(&p, have) && fnmatch(want, have, 0) == 0) {
			glob = g;
			path = p;
			continue;
		}
		if (!retry_path)
			return false;
		(void)take_part(&retry_path, have);
		glob = retry_glob;
		path = retry_path;
	}
	return true;
}

bool glob_match(const char *glob, const char *path)
{
	char text[PATH_MAX];
	size_t n;

	while (!strncmp(glob, "./", 2))
		glob += 2;
	n = strlen(glob);
	while (n > 1 && glob[n - 1] == '/')
		n--;
	if (n >= sizeof(text))
		return false;
	memcpy(text, glob, n);
	text[n] = 0;
	if (*text == '/')
		return match_parts(text + 1, path);
	if (strchr(text, '/') || !strcmp(text, "**"))
		return match_parts(text, path);
	const char *last = strrchr(path, '/');
	return fnmatch(text, last ? last + 1 : path, 0) == 0;
}

static bool any_match(const struct strv *globs, const char *path)
{
	for (size_t i = 0; i < globs->n; i++)
		if (glob_match(globs->at[i], path))
			return true;
	return false;
}

enum glob_choice glob_choose(const struct strv *include, const struct strv *exclude,
			     const char *path)
{
	bool in = include->n == 0;
	char above[PATH_MAX + 1];

	if (include->n + exclude->n == 0)
		return GLOB_IN;
	for (const char *end = path; end; ) {
		end = strchr(end, '/');
		size_t n = end ? (size_t)(end - path) : strlen(path);

		if (n >= sizeof(above))
			return GLOB_OUT;
		memcpy(above, path, n);
		above[n] = 0;
		if (any_match(exclude, above))
			return GLOB_OUT;
		in = in || any_match(include, above);
		if (end)
			end++;
	}
	return in ? GLOB_IN : GLOB_PASS;
}
