/* SPDX-License-Identifier: Apache-2.0 */
/* What the backends say of themselves and what lies on disk of ours: a version is
 * one printable line of what was said, an image's description and a template's
 * list are taken only where all that they name is there. */
#include "backend/backend.h"
#include "bytes.h"
#include "host/spawn.h"
#include "scratch.h"
#include "state/known.h"
#include "state/template.h"
#include "target.h"

#include "base/fd.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEXT_MAX 8192
#define NAME "0123456789abcdef0123456789abcdef"
#define FOLDER "out/pai/templates/" NAME

static struct bytes said;	/* what the backend will say, parted by NULs */

int spawn_read(const char *const *argv, uint32_t ms, char *text, size_t size, struct err *e)
{
	const uint8_t *end = memchr(said.at, 0, said.left);
	size_t n = end ? (size_t)(end - said.at) : said.left, rest = n + (end != NULL);
	const uint8_t *at = bytes_some(&said, &rest);

	(void)argv;
	(void)ms;
	(void)e;
	n = n < size ? n : size - 1;
	memcpy(text, at, n);
	text[n] = 0;
	return 0;
}

/* Nothing is started here. */
pid_t spawn_become(int (*become)(const void *, struct err *), const void *arg, struct err *e)
{
	(void)become;
	(void)arg;
	return err_set(e, ERR_HOST, "not here");
}

pid_t spawn_fork(int *from, int *to, struct err *e)
{
	(void)from;
	(void)to;
	return err_set(e, ERR_HOST, "not here");
}

static void must_be_line(const char *text, size_t max)
{
	char again[TEXT_MAX];

	MUST(strlen(text) < max);
	MUST(str_printable(again, sizeof(again), text, strlen(text)) == strlen(text) && !strcmp(text, again));
}

static void version(const struct backend *b, struct bytes *script)
{
	char text[128] = "", all[TEXT_MAX + 1];
	struct err e = { 0 };
	size_t n = script->left;

	memcpy(all, script->at, n);
	all[n] = 0;
	said = *script;
	if (b->version("/bin/backend", text, sizeof(text), &e) < 0) {
		MUST(e.kind == ERR_BACKEND);
		must_be_line(e.msg, sizeof(e.msg));
		return;
	}
	must_be_line(text, sizeof(text));
	MUST(*text);
	if (b->clones)
		(void)b->clones(text);
	if (b->faults)
		(void)b->faults(text);
}

static void put_file(const char *path, const void *data, size_t n)
{
	AUTO_FD fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	MUST(fd >= 0 && fd_write_all(fd, data, n) == 0);
}

static void must_be_digest(const char *text)
{
	MUST(strlen(text) < IMAGE_DIGEST && strspn(text, "sha256:0123456789abcdef") == strlen(text));
}

static void image(struct bytes *script)
{
	struct image im = { 0 };
	struct err e = { 0 };
	struct stat st;

	MUST(mkdir("out", 0755) == 0);
	put_file("out/rootfs.erofs", "12345", 5);
	put_file("out/vmlinux", "123", 3);
	put_file("out/initrd", "12", 2);
	put_file("out/image.json", script->at, script->left);
	if (image_find("./out", &im, &e) == 0) {
		must_be_digest(im.digest);
		MUST(im.rootfs && stat(im.rootfs, &st) == 0 && st.st_size == 5);
		MUST(!im.vmlinux == !im.initrd);
		if (im.vmlinux) {
			must_be_digest(im.vmlinux_digest);
			must_be_digest(im.initrd_digest);
		}
		image_free(&im);
	} else {
		MUST(e.kind == ERR_IMAGE && !im.name && !im.rootfs);
		must_be_line(e.msg, sizeof(e.msg));
	}
	scratch_clean();
}

/* Every line of the list names a file that is there, with its size. */
static void check_list(char *list)
{
	char *save = NULL, name[PATH_MAX];
	struct stat st;
	int lines = 0;

	for (char *line = strtok_r(list, "\n", &save); line; line = strtok_r(NULL, "\n", &save), lines++) {
		int at = 0, end = 0;

		(void)sscanf(line, " %n%*s%n", &at, &end);
		snprintf(name, sizeof(name), FOLDER "/%.*s", end - at, line + at);
		MUST(lstat(name, &st) == 0 && S_ISREG(st.st_mode) && !strchr(name + strlen(FOLDER) + 1, '/'));
		MUST(strtoull(line + end, NULL, 10) == (uintmax_t)st.st_size);
	}
	MUST(lines > 0);
}

static void template(struct bytes *script)
{
	static const char *const folders[] = { "out", "out/pai", "out/pai/templates", FOLDER };
	char path[TEMPLATE_PATH], here[64], list[TEXT_MAX + 1], note[100];
	struct template_at found = { -1, -1, "" };

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
		MUST(mkdir(folders[i], 0700) == 0);
	put_file(FOLDER "/memory", "123456", 6);
	put_file(FOLDER "/modules", script->at, script->left);
	put_file(FOLDER "/sizes", script->at, script->left);
	MUST(getcwd(here, sizeof(here) - 8));
	strcat(here, "/out");
	MUST(setenv("XDG_CACHE_HOME", here, 1) == 0);
	size_t n = script->left < 4095 ? script->left : 4095;	/* as much as is looked at */
	memcpy(list, script->at, n);
	list[n] = 0;
	if (template_find(NAME, false, path, &found))
		check_list(list);
	template_close(&found);
	template_note(FOLDER, "modules", note, sizeof(note));
	must_be_line(note, sizeof(note));
	scratch_clean();
}

/* What was noted of a file is what is known of it. */
static void known(struct bytes *script)
{
	char text[TEXT_MAX + 1], got[KNOWN_MAX], want[KNOWN_MAX], here[64];

	MUST(mkdir("out", 0700) == 0 && getcwd(here, sizeof(here) - 8));
	strcat(here, "/out");
	MUST(setenv("XDG_CACHE_HOME", here, 1) == 0);
	memcpy(text, script->at, script->left);
	text[script->left] = 0;
	known_put("victim/canary", "word", text);
	if (known_get("victim/canary", "word", got)) {
		size_t n = strlen(text) < KNOWN_MAX - 1 ? strlen(text) : KNOWN_MAX - 1;

		str_printable(want, sizeof(want), text, n);
		MUST(!strcmp(got, want));
	} else {
		MUST(!*text);
	}
	scratch_clean();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes script = { data, size };
	unsigned which = bytes_one(&script) % 5;

	if (script.left > TEXT_MAX || script.left == 0)
		return 0;
	scratch_enter();
	switch (which) {
	case 0: case 1: version(backends[which], &script); break;
	case 2: image(&script); break;
	case 3: template(&script); break;
	default: known(&script);
	}
	return 0;
}
