/* SPDX-License-Identifier: Apache-2.0 */
/* frame - see frame.h */
#include "wire/frame.h"

#include <string.h>

static uint64_t get_le(const uint8_t *at, unsigned bytes)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < bytes; i++)
		v |= (uint64_t)at[i] << (8 * i);
	return v;
}

static void put_le(uint8_t *at, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		at[i] = (uint8_t)(v >> (8 * i));
}

ssize_t frame_next(const uint8_t *buf, size_t n, struct frame *out, struct err *e)
{
	if (n < FRAME_HEAD)
		return 0;
	uint32_t len = (uint32_t)get_le(buf + 1, 4);
	if (len > FRAME_MAX)
		return err_set(e, ERR_GUEST, "a frame of %u bytes (at most %u)",
			       len, FRAME_MAX);
	if (n - FRAME_HEAD < len)
		return 0;
	*out = (struct frame){ .kind = buf[0], .len = len, .body = buf + FRAME_HEAD };
	return (ssize_t)(FRAME_HEAD + len);
}

void frame_head(uint8_t head[FRAME_HEAD], uint8_t kind, uint32_t len)
{
	head[0] = kind;
	put_le(head + 1, len, 4);
}

void pack_number(struct packer *p, uint64_t v, unsigned bytes)
{
	if (p->cap - p->len < bytes) {
		p->full = 1;
		return;
	}
	put_le(p->at + p->len, v, bytes);
	p->len += bytes;
}

void pack_bytes(struct packer *p, const void *data, size_t n)
{
	pack_number(p, n, 4);
	if (p->full || p->cap - p->len < n || n > FRAME_MAX) {
		p->full = 1;
		return;
	}
	if (n > 0)
		memcpy(p->at + p->len, data, n);
	p->len += n;
}

struct unpacker unpack(const struct frame *f)
{
	return (struct unpacker){ .at = f->body, .left = f->len };
}

uint64_t unpack_number(struct unpacker *u, unsigned bytes)
{
	if (u->bad || u->left < bytes) {
		u->bad = 1;
		return 0;
	}
	uint64_t v = get_le(u->at, bytes);
	u->at += bytes;
	u->left -= bytes;
	return v;
}

const uint8_t *unpack_bytes(struct unpacker *u, size_t *n)
{
	size_t len = (size_t)unpack_number(u, 4);

	if (u->bad || u->left < len) {
		u->bad = 1;
		*n = 0;
		return (const uint8_t *)"";
	}
	const uint8_t *at = u->at;
	u->at += len;
	u->left -= len;
	*n = len;
	return at;
}

int unpack_end(const struct unpacker *u, const char *what, struct err *e)
{
	if (u->bad || u->left > 0)
		return err_set(e, ERR_GUEST, "a %s message of the wrong size", what);
	return 0;
}
