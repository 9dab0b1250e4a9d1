/* SPDX-License-Identifier: Apache-2.0 */
/* image - see image.h */
#include "state/image.h"

#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SYSTEM_IMAGES "/var/lib/pai/images"
#define GUEST "usr/lib/pai/pai-guest"
#define EROFS_MAGIC "\xe2\xe1\xf5\xe0"
#define CURE "; deploy/build-image makes it"

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

static json_t *read_json(const char *path, struct err *e)
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
	if (!j)
		err_set(e, ERR_IMAGE, "%s: line %d: %s" CURE, path, why.line, why.text);
	return j;
}

static int read_fields(const json_t *j, const char *path, struct image *im,
		       json_int_t *size, struct err *e)
{
	json_int_t format = json_integer_value(json_object_get(j, "format"));
	const json_t *rootfs = json_object_get(j, "rootfs");
	const char *digest = json_string_value(json_object_get(rootfs, "digest"));

	if (format > IMAGE_FORMAT)
		return err_set(e, ERR_IMAGE, "%s: format %lld is newer than this pai-exec (%d)", path,
			       (long long)format, IMAGE_FORMAT);
	*size = json_integer_value(json_object_get(rootfs, "size"));
	if (format < 1 || !digest || *size < 1 || strlen(digest) >= sizeof(im->digest) ||
	    strspn(digest, "sha256:0123456789abcdef") != strlen(digest))
		return err_set(e, ERR_IMAGE, "%s: not an image description" CURE, path);
	strcpy(im->digest, digest);
	return 0;
}

static int check_rootfs(const char *path, json_int_t size, struct err *e)
{
	AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd < 0)
		return err_sys(e, ERR_IMAGE, "%s", path);
	if (check_owner(fd, path, &st, e) < 0)
		return -1;
	if (!S_ISREG(st.st_mode) || st.st_size != size)
		return err_set(e, ERR_IMAGE, "%s: %lld bytes instead of %lld" CURE, path,
			       (long long)st.st_size, (long long)size);
	return 0;
}

/* Fills *IM from the folder DIR, which exists. */
static int load(const char *dir, struct image *im, struct err *e)
{
	char path[4096];
	json_int_t size = 0;

	snprintf(path, sizeof(path), "%s/image.json", dir);
	json_t *j = read_json(path, e);
	int rc = j ? read_fields(j, path, im, &size, e) : -1;
	json_decref(j);
	if (rc < 0)
		return -1;
	snprintf(path, sizeof(path), "%s/rootfs.erofs", dir);
	if (check_rootfs(path, size, e) < 0)
		return -1;
	im->rootfs = realpath(path, NULL);
	return im->rootfs ? 0 : err_sys(e, ERR_IMAGE, "%s", path);
}

/* The folders that NAME may be, best first. */
static size_t candidates(const char *name, char path[2][4096])
{
	const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
	size_t n = 0;

	if (strchr(name, '/')) {
		snprintf(path[n++], 4096, "%s", name);
		return n;
	}
	if (data && *data == '/')
		snprintf(path[n++], 4096, "%s/pai/images/%s", data, name);
	else if (home && *home == '/')
		snprintf(path[n++], 4096, "%s/.local/share/pai/images/%s", home, name);
	snprintf(path[n++], 4096, SYSTEM_IMAGES "/%s", name);
	return n;
}

int image_find(const char *name, struct image *out, struct err *e)
{
	struct image im = { 0 };
	char path[2][4096];
	struct stat st;

	if (!name)
		name = "default";
	if (*name == '.' && !strchr(name, '/'))
		return err_set(e, ERR_USAGE, "--image: '%s' is not the name of an image", name);
	size_t n = candidates(name, path), i = 0;
	while (i < n && stat(path[i], &st) < 0)
		i++;
	if (i == n)
		return err_set(e, ERR_IMAGE, "no image '%s': neither %s%s%s exists" CURE, name,
			       path[0], n > 1 ? " nor " : "", n > 1 ? path[1] : "");
	if (load(path[i], &im, e) < 0)
		return err_in(e, "image '%s'", name);
	im.name = strdup(name);
	if (!im.name)
		return image_free(&im), err_sys(e, ERR_HOST, "memory");
	*out = im;
	return 0;
}

/* A folder needs what every sandbox starts with. */
static int check_guest(int dir, const char *path, struct err *e)
{
	struct stat st;

	if (fstatat(dir, GUEST, &st, 0) < 0 || !S_ISREG(st.st_mode) || !(st.st_mode & 0111))
		return err_set(e, ERR_IMAGE, "%s: has no program " GUEST "; deploy/build-image makes "
			       "an image that has", path);
	return 0;
}

/* An EROFS begins with a kilobyte that is free for others; then this number. */
static int check_erofs(int fd, const char *path, struct err *e)
{
	uint8_t magic[4];

	if (pread(fd, magic, sizeof(magic), 1024) != sizeof(magic) || memcmp(magic, EROFS_MAGIC, 4))
		return err_set(e, ERR_IMAGE, "%s: neither a folder nor an EROFS file" CURE, path);
	return 0;
}

static void digest_of(const struct stat *st, char out[IMAGE_DIGEST])
{
	uint8_t digest[SHA256_DIGEST_SIZE];
	struct sha256_ctx h;
	char text[256];
	int n = snprintf(text, sizeof(text), "%jx %jx %jx %jx.%lx %jx.%lx", (uintmax_t)st->st_dev,
			 (uintmax_t)st->st_ino, (uintmax_t)st->st_size,
			 (uintmax_t)st->st_mtim.tv_sec, st->st_mtim.tv_nsec,
			 (uintmax_t)st->st_ctim.tv_sec, st->st_ctim.tv_nsec);

	sha256_init(&h);
	sha256_update(&h, (size_t)n, (uint8_t *)text);
	sha256_digest(&h, sizeof(digest), digest);
	strcpy(out, "stat:");
	for (size_t i = 0; i < sizeof(digest); i++)
		snprintf(out + 5 + 2 * i, 3, "%02x", digest[i]);
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
	*im = (struct image){ 0 };
}
