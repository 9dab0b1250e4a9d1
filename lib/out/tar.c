/* SPDX-License-Identifier: Apache-2.0 */
/* tar - see tar.h */
#include "out/tar.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Where the fields of a header lie. */
#define NAME_SIZE 100
#define CHECKSUM 148
#define CHECKSUM_SIZE 8
#define TYPE 156
#define MAGIC 257
#define TYPE_FILE '0'
#define TYPE_FOLDER '5'
#define TYPE_PAX 'x'

struct number {
	const char *key;	/* of its pax record */
	unsigned at, width;	/* octal digits and a NUL */
	uint64_t value;
};

static int fits(const struct number *n)
{
	return n->value < 1ull << 3 * (n->width - 1);
}

static void put_header(uint8_t *out, const char *name, char type, const struct number *n, size_t count)
{
	unsigned sum = 0;
	char text[16];

	memset(out, 0, TAR_BLOCK);
	memcpy(out, name, strnlen(name, NAME_SIZE));
	for (size_t i = 0; i < count; i++) {
		snprintf(text, sizeof(text), "%0*" PRIo64, (int)n[i].width - 1, fits(&n[i]) ? n[i].value : 0);
		memcpy(out + n[i].at, text, n[i].width);
	}
	out[TYPE] = (uint8_t)type;
	memcpy(out + MAGIC, "ustar\00000", 8);
	memset(out + CHECKSUM, ' ', CHECKSUM_SIZE);
	for (size_t i = 0; i < TAR_BLOCK; i++)
		sum += out[i];
	snprintf(text, sizeof(text), "%06o", sum);
	memcpy(out + CHECKSUM, text, 7);
}

/* A record begins with its own length in decimal digits, which count too. */
static size_t put_record(uint8_t *out, const char *key, const char *value)
{
	size_t rest = strlen(key) + strlen(value) + 3, n = rest + 1;
	char head[64];

	while (n != rest + (size_t)snprintf(head, sizeof(head), "%zu", n))
		n = rest + strlen(head);
	size_t at = (size_t)snprintf(head, sizeof(head), "%zu %s=", n, key);
	memcpy(out, head, at);
	memcpy(out + at, value, strlen(value));
	out[n - 1] = '\n';
	return n;
}

size_t tar_padding(uint64_t size)
{
	return (size_t)(-size % TAR_BLOCK);
}

size_t tar_head(const struct tar_entry *m, uint8_t out[TAR_HEAD_MAX])
{
	const struct number n[] = {
		{ NULL, 100, 8, m->mode },
		{ "uid", 108, 8, m->uid },
		{ "gid", 116, 8, m->gid },
		{ "size", 124, 12, m->size },
		{ "mtime", 136, 12, m->mtime },
	};
	const size_t count = sizeof(n) / sizeof(*n);
	uint8_t *records = out + TAR_BLOCK;
	char name[MSG_PATH_MAX + 2], digits[24];
	size_t len = 0;

	snprintf(name, sizeof(name), "%s%s", m->path, m->is_folder ? "/" : "");
	if (strlen(name) > NAME_SIZE)
		len += put_record(records, "path", name);
	for (size_t i = 1; i < count; i++) {
		snprintf(digits, sizeof(digits), "%" PRIu64, n[i].value);
		if (!fits(&n[i]))
			len += put_record(records + len, n[i].key, digits);
	}
	if (len > 0) {
		const struct number size[] = { { NULL, 100, 8, 0644 }, { NULL, 124, 12, len } };

		put_header(out, "PaxHeaders/entry", TYPE_PAX, size, 2);
		memset(records + len, 0, tar_padding(len));
		out = records + len + tar_padding(len);
		len = (size_t)(out - records) + TAR_BLOCK;
	}
	put_header(out, name, m->is_folder ? TYPE_FOLDER : TYPE_FILE, n, count);
	return len + TAR_BLOCK;
}

void tar_cut(uint8_t out[TAR_BLOCK])
{
	const struct number size[] = { { NULL, 124, 12, TAR_BLOCK } };

	put_header(out, "PaxHeaders/cut-short", TYPE_PAX, size, 1);
}
