/* SPDX-License-Identifier: Apache-2.0 */
/* Any name that a sandbox may send, with any numbers: the header of a tar says what
 * it was given, its checksum is right, and no entry is more than a file or folder. */
#include "out/tar.h"
#include "target.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct found {
	char path[MSG_PATH_MAX + 2];
	uint64_t mode, uid, gid, size, mtime;
};

/* An octal field of a header, whose every byte is checked. */
static uint64_t field(const uint8_t *head, size_t at, size_t width)
{
	uint64_t v = 0;

	for (size_t i = 0; i < width - 1; i++) {
		if (head[at + i] < '0' || head[at + i] > '7')
			abort();
		v = v << 3 | (uint64_t)(head[at + i] - '0');
	}
	if (head[at + width - 1] != 0)
		abort();
	return v;
}

static void check_block(const uint8_t *head)
{
	unsigned sum = 0;

	for (size_t i = 0; i < TAR_BLOCK; i++)
		sum += i >= 148 && i < 156 ? ' ' : head[i];
	if (field(head, 148, 7) != sum || head[155] != ' ' || memcmp(head + 257, "ustar\00000", 8))
		abort();
}

static void read_header(const uint8_t *head, struct found *f)
{
	snprintf(f->path, sizeof(f->path), "%.100s", (const char *)head);
	f->mode = field(head, 100, 8);
	f->uid = field(head, 108, 8);
	f->gid = field(head, 116, 8);
	f->size = field(head, 124, 12);
	f->mtime = field(head, 136, 12);
}

static void take_record(struct found *f, const char *key, const char *value, size_t n)
{
	if (!strcmp(key, "path")) {
		if (n >= sizeof(f->path))
			abort();
		memcpy(f->path, value, n);
		f->path[n] = 0;
		return;
	}
	uint64_t *to = !strcmp(key, "uid") ? &f->uid : !strcmp(key, "gid") ? &f->gid
		     : !strcmp(key, "size") ? &f->size : !strcmp(key, "mtime") ? &f->mtime : NULL;
	if (!to)
		abort();
	*to = strtoull(value, NULL, 10);
}

static void read_records(const uint8_t *at, size_t left, struct found *f)
{
	while (left > 0) {
		char *rest, key[16];
		size_t n = strtoul((const char *)at, &rest, 10);
		const char *is = n > 0 && n <= left ? memchr(rest, '=', n) : NULL;

		if (!is || *rest != ' ' || at[n - 1] != '\n')
			abort();
		snprintf(key, sizeof(key), "%.*s", (int)(is - rest - 1), rest + 1);
		take_record(f, key, is + 1, (size_t)((const char *)at + n - 1 - (is + 1)));
		at += n;
		left -= n;
	}
}

static uint64_t take_number(const uint8_t **data, size_t *left)
{
	uint64_t v;

	memcpy(&v, *data, sizeof(v));
	*data += sizeof(v);
	*left -= sizeof(v);
	return v;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t out[TAR_HEAD_MAX];
	static char path[MSG_PATH_MAX + 2];
	struct tar_entry m = { .path = path };
	struct found f = { 0 }, own;
	size_t at = 0;

	if (size < 5 * sizeof(uint64_t) || size > MSG_PATH_MAX)
		return 0;
	m.uid = take_number(&data, &size);
	m.gid = take_number(&data, &size);
	m.mtime = take_number(&data, &size);
	m.mode = (unsigned)(m.mtime >> 40) & 0777;
	m.is_folder = m.mtime & 1;
	m.size = take_number(&data, &size) * !m.is_folder;
	memcpy(path, data, size);
	path[size] = 0;
	if (!msg_path_ok(path, size))
		return 0;
	size_t n = tar_head(&m, out);
	if (n % TAR_BLOCK || n > sizeof(out) || (m.size + tar_padding(m.size)) % TAR_BLOCK)
		abort();
	check_block(out);
	if (n > TAR_BLOCK) {
		if (out[156] != 'x')
			abort();
		at = n - TAR_BLOCK;
		if (field(out, 124, 12) + tar_padding(field(out, 124, 12)) != at - TAR_BLOCK)
			abort();
		check_block(out + at);
	}
	read_header(out + at, &f);
	own = f;
	if (at > 0)
		read_records(out + TAR_BLOCK, field(out, 124, 12), &f);
	if (out[at + 156] != (m.is_folder ? '5' : '0') || own.mode != m.mode)
		abort();
	strcat(path, m.is_folder ? "/" : "");
	if (strcmp(f.path, path) || f.uid != m.uid || f.gid != m.gid || f.size != m.size ||
	    f.mtime != m.mtime)
		abort();
	return 0;
}
