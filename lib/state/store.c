/* SPDX-License-Identifier: Apache-2.0 */
/* store - see store.h */
#include "state/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes of the plain files in DIR, one level deep, as all of ours are. */
static uint64_t folder_bytes(const char *dir)
{
	DIR *d = opendir(dir);
	uint64_t sum = 0;

	for (struct dirent *at; d && (at = readdir(d));) {
		struct stat st;

		if (fstatat(dirfd(d), at->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(st.st_mode))
			sum += (uint64_t)st.st_blocks * 512;
	}
	if (d)
		closedir(d);
	return sum;
}

/* Calls EACH for every folder in DIR, or link to one, whose name is not hidden, by name. */
static int each_folder(const char *dir, int (*each)(struct store *, const char *dir,
						     const char *name, struct err *),
		       struct store *s, struct err *e)
{
	struct dirent **names = NULL;
	int n = scandir(dir, &names, NULL, alphasort), rc = 0;

	for (int i = 0; i < n; i++) {
		char path[IMAGE_PATH];
		struct stat st;

		snprintf(path, sizeof(path), "%.3800s/%s", dir, names[i]->d_name);
		if (rc == 0 && *names[i]->d_name != '.' && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
			rc = each(s, path, names[i]->d_name, e);
		free(names[i]);
	}
	free(names);
	return rc;
}

static int add_image(struct store *s, const char *dir, const char *name, struct err *e)
{
	struct store_image *at;
	struct image im = { 0 };
	char path[IMAGE_PATH];
	struct stat st;

	/* one that is being built is none yet */
	if (strlen(name) > 6 && !strcmp(name + strlen(name) - 6, ".build"))
		return 0;
	at = reallocarray(s->image, s->images + 1, sizeof(*at));
	if (!at)
		return err_sys(e, ERR_HOST, "memory");
	s->image = at;
	at += s->images;
	*at = (struct store_image){ .name = strdup(name), .dir = strdup(dir) };
	if (!at->name || !at->dir)
		return err_sys(e, ERR_HOST, "memory");
	s->images++;
	for (size_t i = 0; i + 1 < s->images; i++)
		at->shadowed |= !strcmp(s->image[i].name, name);
	at->bytes = folder_bytes(dir);
	at->link = lstat(dir, &st) == 0 && S_ISLNK(st.st_mode);
	snprintf(path, sizeof(path), "%s/", dir);
	at->good = image_find(path, &im, &at->why) == 0;
	memcpy(at->digest, im.digest, sizeof(at->digest));
	image_free(&im);
	return 0;
}

static int add_template(struct store *s, const char *dir, const char *name, struct err *e)
{
	struct store_template *at;
	struct stat st;

	if (lstat(dir, &st) < 0 || !S_ISDIR(st.st_mode))
		return 0;	/* through a link none is used */
	at = reallocarray(s->template, s->templates + 1, sizeof(*at));
	if (!at)
		return err_sys(e, ERR_HOST, "memory");
	s->template = at;
	at += s->templates;
	*at = (struct store_template){ .path = strdup(dir), .used = template_used(dir, &st),
				       .debris = strchr(name, '.') != NULL };
	if (!at->path)
		return err_sys(e, ERR_HOST, "memory");
	s->templates++;
	at->bytes = folder_bytes(dir);
	template_note(dir, "image", at->digest, sizeof(at->digest));
	template_note(dir, "modules", at->modules, sizeof(at->modules));
	return 0;
}

int store_look(struct store *s, struct err *e)
{
	char dir[IMAGE_PATH];

	*s = (struct store){ 0 };
	for (int all = 0; all < 2; all++) {
		if (image_folder(all, dir) && each_folder(dir, add_image, s, e) < 0)
			return -1;
		if (template_folder(all, false, dir) && each_folder(dir, add_template, s, e) < 0)
			return -1;
	}
	return 0;
}

size_t store_count(const struct store *s, const char *digest)
{
	size_t n = 0;

	for (size_t i = 0; i < s->templates; i++)
		n += !s->template[i].debris && !strcmp(s->template[i].digest, digest);
	return n;
}

bool store_is_stale(const struct store *s, const struct store_template *t)
{
	bool known = false;

	for (size_t i = 0; i < s->images; i++)
		known |= s->image[i].good && !strcmp(s->image[i].digest, t->digest);
	return t->debris || !known || time(NULL) - t->used > STORE_UNUSED_DAYS * 86400l;
}

void store_free(struct store *s)
{
	for (size_t i = 0; i < s->images; i++) {
		free(s->image[i].name);
		free(s->image[i].dir);
	}
	for (size_t i = 0; i < s->templates; i++)
		free(s->template[i].path);
	free(s->image);
	free(s->template);
	*s = (struct store){ 0 };
}
