/* SPDX-License-Identifier: Apache-2.0 */
/* image - see image.h */
#include "state/image.h"

#include "base/fd.h"
#include "base/str.h"
#include "state/known.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <nettle/sha2.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SYSTEM_IMAGES "/var/lib/pai/images"
#define GUEST "usr/lib/pai/pai-guest"
#define EROFS_MAGIC "\xe2\xe1\xf5\xe0"
#define FIELD(f) offsetof(struct image, f)

/* Trusted is what root or the caller owns and nobody else can write. */
static int check_owner(int fd, const char *path, struct stat *st, struct err *e)
{
	if (fstat(fd, st) < 0)
		return err_sys(e, ERR_IMAGE, "%s", path);
	if (st->st_uid != 0 && st->st_uid != geteuid())
		return err_set(e, ERR_IMAGE, "%s: belongs to another user (uid %u)", path, st->st_uid);
	if (st->st_mode & 022)
		return err_set(e, ERR_IMAGE, "%s: others can write it; chmod go-w mends that", path);
	return 0;
}

/* *E, and what makes the image NAME (anew); for a folder somewhere pai-image has nothing. */
static int build_it(const char *name, struct err *e)
{
	struct err why = *e;

	if (strchr(name, '/'))
		return -1;
	if (!strcmp(name, "default"))
		return err_set(e, ERR_IMAGE, "%s; pai-image build makes it", why.msg);
	return err_set(e, ERR_IMAGE, "%s; pai-image build --name=%s makes it", why.msg, name);
}

static json_t *read_json(const char *path, const struct image *im, struct err *e)
{
	AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	json_error_t why;
	struct stat st;

	if (fd < 0)
		return err_sys(e, ERR_IMAGE, "%s", path), NULL;
	if (check_owner(fd, path, &st, e) < 0)
		return NULL;
	if (!S_ISREG(st.st_mode) || st.st_size > IMAGE_JSON_MAX)
		return err_set(e, ERR_IMAGE, "%s: not a file of at most %u bytes", path,
			       IMAGE_JSON_MAX), NULL;
	/* json_loadfd() asks for one byte at a time: 3 ms for our few KiB */
	char *text = malloc((size_t)st.st_size + 1);
	ssize_t n = text ? fd_read_all(fd, text, (size_t)st.st_size) : -1;
	if (n < 0) {
		free(text);
		return err_sys(e, ERR_IMAGE, "%s", path), NULL;
	}
	json_t *j = json_loadb(text, (size_t)n, JSON_REJECT_DUPLICATES, &why);
	free(text);
	if (!j) {
		err_set(e, ERR_IMAGE, "%s: line %d: %s", path, why.line, why.text);
		(void)build_it(im->name, e);
	}
	return j;
}

/* The files of an image: an object each in image.json, with digest and size. */
static const struct part {
	const char *key, *file;
	size_t path, digest;	/* where they are in struct image */
} parts[] = {
	{ "rootfs", "rootfs.erofs", FIELD(rootfs), FIELD(digest) },
	{ "vmlinux", "vmlinux", FIELD(vmlinux), FIELD(vmlinux_digest) },
	{ "initrd", "initrd", FIELD(initrd), FIELD(initrd_digest) },
};

static int check_file(const char *path, json_int_t size, const struct image *im, struct err *e)
{
	AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd < 0)
		return err_sys(e, ERR_IMAGE, "%s", path);
	if (check_owner(fd, path, &st, e) < 0)
		return -1;
	if (!S_ISREG(st.st_mode) || st.st_size != size)
		return err_set(e, ERR_IMAGE, "%s: %lld bytes instead of %lld", path,
			       (long long)st.st_size, (long long)size), build_it(im->name, e);
	return 0;
}

/* Fills what *IM has of PART, which DESCRIPTION is of, in the folder DIR. */
static int load_part(const char *dir, const struct part *part, const json_t *description,
		     struct image *im, struct err *e)
{
	json_int_t size = json_integer_value(json_object_get(description, "size"));
	const char *digest = json_string_value(json_object_get(description, "digest"));
	char path[4096], **real = (char **)((char *)im + part->path);

	if (!digest || size < 1 || strlen(digest) >= IMAGE_DIGEST ||
	    strspn(digest, "sha256:0123456789abcdef") != strlen(digest))
		return err_set(e, ERR_IMAGE, "%s/image.json: not an image description", dir),
		       build_it(im->name, e);
	strcpy((char *)im + part->digest, digest);
	snprintf(path, sizeof(path), "%s/%s", dir, part->file);
	if (check_file(path, size, im, e) < 0)
		return -1;
	*real = realpath(path, NULL);
	return *real ? 0 : err_sys(e, ERR_IMAGE, "%s", path);
}

static int load_parts(const char *dir, const json_t *j, struct image *im, struct err *e)
{
	json_int_t format = json_integer_value(json_object_get(j, "format"));
	/* an image without a kernel is one for gVisor only */
	size_t n = json_object_get(j, "vmlinux") ? sizeof(parts) / sizeof(parts[0]) : 1;

	if (format > IMAGE_FORMAT)
		return err_set(e, ERR_IMAGE,
			       "%s/image.json: format %lld is newer than this pai-exec (%d)", dir,
			       (long long)format, IMAGE_FORMAT);
	if (format < 1)
		return err_set(e, ERR_IMAGE, "%s/image.json: not an image description", dir),
		       build_it(im->name, e);
	for (size_t i = 0; i < n; i++)
		if (load_part(dir, &parts[i], json_object_get(j, parts[i].key), im, e) < 0)
			return -1;
	return 0;
}

/* Fills *IM from the folder DIR, which exists; at a failure too, in part. */
static int load(const char *dir, struct image *im, struct err *e)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/image.json", dir);
	json_t *j = read_json(path, im, e);
	int rc = j ? load_parts(dir, j, im, e) : -1;
	json_decref(j);
	return rc;
}

bool image_folder(bool for_all, char path[IMAGE_PATH])
{
	const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
	bool own = data && *data == '/';

	if (for_all)
		snprintf(path, IMAGE_PATH, SYSTEM_IMAGES);
	else if (own || (home && *home == '/'))
		snprintf(path, IMAGE_PATH, "%s%s/pai/images", own ? data : home,
			 own ? "" : "/.local/share");
	else
		return false;
	return true;
}

/* The folders that NAME may be, best first. */
static size_t candidates(const char *name, char path[2][IMAGE_PATH])
{
	size_t n = 0;

	if (strchr(name, '/')) {
		snprintf(path[n++], IMAGE_PATH, "%s", name);
		return n;
	}
	for (int all = 0; all < 2; all++) {
		if (!image_folder(all, path[n]))
			continue;
		size_t len = strlen(path[n]);
		snprintf(path[n] + len, IMAGE_PATH - len, "/%s", name);
		n++;
	}
	return n;
}

int image_find(const char *name, struct image *out, struct err *e)
{
	struct image im = { 0 };
	char path[2][IMAGE_PATH];
	struct stat st;

	if (!name)
		name = "default";
	if (*name == '.' && !strchr(name, '/'))
		return err_set(e, ERR_USAGE, "--image: '%s' is not the name of an image", name);
	size_t n = candidates(name, path), i = 0, shut = n;
	for (; i < n && stat(path[i], &st) < 0; i++)
		if (errno == EACCES)
			shut = i;
	errno = EACCES;
	if (i == n && shut < n)
		return err_sys(e, ERR_IMAGE, "image '%s': %s", name, path[shut]);
	if (i == n && n > 1)
		return err_set(e, ERR_IMAGE, "no image '%s': neither %s nor %s exists", name, path[0], path[1]),
		       build_it(name, e);
	if (i == n)
		return err_set(e, ERR_IMAGE, "no image '%s': %s does not exist", name, path[0]),
		       build_it(name, e);
	im.name = strdup(name);
	if (!im.name)
		return err_sys(e, ERR_HOST, "memory");
	if (load(path[i], &im, e) < 0)
		return image_free(&im), err_in(e, "image '%s'", name);
	*out = im;
	return 0;
}

/* A folder needs what every sandbox starts with. */
static int check_guest(int dir, const char *path, struct err *e)
{
	struct stat st;

	if (fstatat(dir, GUEST, &st, 0) < 0 || !S_ISREG(st.st_mode) || !(st.st_mode & 0111))
		return err_set(e, ERR_IMAGE, "%s: has no program " GUEST "; pai-image build makes "
			       "an image that has", path);
	return 0;
}

/* An EROFS begins with a kilobyte that is free for others; then this number. */
static int check_erofs(int fd, const char *path, struct err *e)
{
	uint8_t magic[4];

	if (pread(fd, magic, sizeof(magic), 1024) != sizeof(magic) || memcmp(magic, EROFS_MAGIC, 4))
		return err_set(e, ERR_IMAGE, "%s: neither a folder nor an EROFS file; "
			       "pai-image build makes one", path);
	return 0;
}

static void digest_of(const struct stat *st, char out[IMAGE_DIGEST])
{
	uint8_t digest[SHA256_DIGEST_SIZE];
	struct sha256_ctx h;
	char word[KNOWN_IDENTITY];

	known_identity(st, word);
	sha256_init(&h);
	sha256_update(&h, strlen(word), (uint8_t *)word);
	sha256_digest(&h, sizeof(digest), digest);
	strcpy(out, "stat:");
	str_hex(out + 5, digest, sizeof(digest));
}

int image_at(const char *path, struct image *out, struct err *e)
{
	AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct image im = { 0 };
	struct stat st;

	if (fd < 0)
		return err_sys(e, ERR_IMAGE, "gvisor_rootfs: %s", path);
	if (check_owner(fd, path, &st, e) < 0)
		return err_in(e, "gvisor_rootfs");
	im.is_folder = S_ISDIR(st.st_mode);
	if ((im.is_folder ? check_guest : check_erofs)(fd, path, e) < 0)
		return err_in(e, "gvisor_rootfs");
	digest_of(&st, im.digest);
	im.name = strdup(path);
	im.rootfs = realpath(path, NULL);
	if (!im.name || !im.rootfs)
		return image_free(&im), err_sys(e, ERR_IMAGE, "gvisor_rootfs: %s", path);
	*out = im;
	return 0;
}

void image_free(struct image *im)
{
	free(im->name);
	free(im->rootfs);
	free(im->vmlinux);
	free(im->initrd);
	*im = (struct image){ 0 };
}
