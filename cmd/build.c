/* SPDX-License-Identifier: Apache-2.0 */
/* build - see build.h */
#include "config.h"

#include "build.h"

#include "base/fd.h"
#include "host/program.h"
#include "state/image.h"
#include "state/session.h"
#include "state/tree.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define WORK ".build"		/* behind the name of an image that is being made */

static bool is_work(const char *name)
{
	size_t n = strlen(name), m = strlen(WORK);

	return n > m && !strcmp(name + n - m, WORK);
}

static bool has_extras(const struct build *b)
{
	return b->include.n > 0 || b->requirements || b->wheels;
}

static int check(const struct build *b, struct err *e)
{
	if (!b->name && has_extras(b))
		return err_set(e, ERR_USAGE, "build: --name=NAME is missing: what shall the image be called?");
	if (!b->name)
		return 0;
	if (session_check_name("guest image", b->name, e) < 0)
		return err_in(e, "--name");
	if (is_work(b->name))
		return err_set(e, ERR_USAGE, "--name: '%s': a name that ends with " WORK " is one of a build's own",
			       b->name);
	return 0;
}

static int find_script(char path[IMAGE_PATH], struct err *e)
{
	snprintf(path, IMAGE_PATH, "%s/build-image", program_deploy());
	return access(path, X_OK) == 0 ? 0 : err_sys(e, ERR_HOST, "build: %s", path);
}

/* "NAME=VALUE" as one more word. */
static int add(struct strv *words, const char *name, const char *value, struct err *e)
{
	char word[IMAGE_PATH + 64];

	if ((size_t)snprintf(word, sizeof(word), "%s=%s", name, value) >= sizeof(word))
		return err_set(e, ERR_USAGE, "%s: too long", name);
	return strv_add(words, word, e);
}

/* Python packages go on top of the image that is there: its tree is unpacked in seconds,
 * Debian's packages take a minute or two. More packages of Debian go on top of none:
 * what their scripts need (perl, apt) an image has no more. */
static int add_base(struct strv *words, const struct build *b, struct err *e)
{
	struct image im = { 0 };
	struct err none = { 0 };
	int rc = 0;

	if (!has_extras(b) || b->include.n > 0 || image_find("default", &im, &none) < 0)
		return 0;
	*strrchr(im.rootfs, '/') = 0;
	rc = add(words, "--from", im.rootfs, e);
	image_free(&im);
	return rc;
}

static int add_all(struct strv *words, const char *script, const struct build *b, struct err *e)
{
	char path[IMAGE_PATH + SESSION_NAME_MAX + 2];
	size_t n;

	if (strv_add(words, script, e) < 0 || add(words, "--called", "pai-image", e) < 0 ||
	    (b->quiet && strv_add(words, "--quiet", e) < 0) ||
	    (program_beside("pai-guest", path, sizeof(path)) && add(words, "--guest", path, e) < 0))
		return -1;
	for (size_t i = 0; i < b->include.n; i++)
		if (add(words, "--include", b->include.at[i], e) < 0)
			return -1;
	if ((b->requirements && add(words, "--requirements", b->requirements, e) < 0) ||
	    (b->wheels && add(words, "--wheels", b->wheels, e) < 0) || add_base(words, b, e) < 0)
		return -1;
	if (!image_folder(geteuid() == 0, path))
		return err_set(e, ERR_IMAGE, "build: neither HOME nor XDG_DATA_HOME says where images lie");
	n = strlen(path);
	snprintf(path + n, sizeof(path) - n, "/%s", b->name ? b->name : "default");
	return strv_add(words, path, e);
}

int build_image(const struct build *b, struct err *e)
{
	struct strv words = { 0 };
	char script[IMAGE_PATH];

	if (check(b, e) == 0 && find_script(script, e) == 0 && add_all(&words, script, b, e) == 0) {
		execv(script, words.at);
		(void)err_sys(e, ERR_HOST, "build: %s", script);
	}
	strv_free(&words);
	return -1;
}

static bool sweep_one(int folder, const char *name)
{
	AUTO_FD dir = tree_open(folder, name);
	AUTO_FD lock = dir < 0 ? -1 : openat(dir, "lock", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (dir < 0 || (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) < 0))
		return false;	/* one that goes on */
	return tree_remove(folder, name) == 0;
}

size_t build_sweep(void)
{
	size_t n = 0;

	for (int all = 0; all < 2; all++) {
		char path[IMAGE_PATH], **names;
		AUTO_FD folder = image_folder(all, path) ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
		int found = folder < 0 ? 0 : tree_names(folder, TREE_FILES_MAX, &names);

		for (int i = 0; i < found; i++)
			if (is_work(names[i]))
				n += sweep_one(folder, names[i]);
		if (found > 0)
			tree_names_free(names, found);
	}
	return n;
}
