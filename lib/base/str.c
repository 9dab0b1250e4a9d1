/* SPDX-License-Identifier: Apache-2.0 */
/* str - see str.h */
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int strv_add(struct strv *v, const char *text, struct err *e)
{
	char **at = reallocarray(v->at, v->n + 2, sizeof(*at));

	if (!at)
		return err_sys(e, ERR_HOST, "memory for '%.40s'", text);
	v->at = at;
	at[v->n] = strdup(text);
	if (!at[v->n])
		return err_sys(e, ERR_HOST, "memory for '%.40s'", text);
	at[++v->n] = NULL;
	return 0;
}

void strv_free(struct strv *v)
{
	for (size_t i = 0; i < v->n; i++)
		free(v->at[i]);
	free(v->at);
	*v = (struct strv){ 0 };
}

int buf_room(struct buf *b, size_t more, size_t max, struct err *e)
{
	size_t want;

	if (__builtin_add_overflow(b->len, more, &want) || want > max)
		return err_set(e, ERR_HOST, "more than %zu bytes", max);
	if (want <= b->cap)
		return 0;
	size_t cap = b->cap ? b->cap : 4096;
	while (cap < want)
		cap = cap > max / 2 ? max : cap * 2;
	uint8_t *at = realloc(b->at, cap);
	if (!at)
		return err_sys(e, ERR_HOST, "memory for %zu bytes", cap);
	b->at = at;
	b->cap = cap;
	return 0;
}

int buf_add(struct buf *b, const void *data, size_t n, size_t max, struct err *e)
{
	if (buf_room(b, n, max, e) < 0)
		return -1;
	if (n > 0)
		memcpy(b->at + b->len, data, n);
	b->len += n;
	return 0;
}

void buf_drop(struct buf *b, size_t n)
{
	b->len -= n;
	if (b->len > 0)
		memmove(b->at, b->at + n, b->len);
}

void buf_free(struct buf *b)
{
	free(b->at);
	*b = (struct buf){ 0 };
}

size_t str_utf8(const uint8_t *s, size_t n)
{
	/* The least code point that each length may hold: shorter forms of
	 * the same character are refused, as are surrogates. */
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t len = n == 0 ? 0
		   : s[0] < 0x80 ? 1
		   : (s[0] & 0xe0) == 0xc0 ? 2
		   : (s[0] & 0xf0) == 0xe0 ? 3
		   : (s[0] & 0xf8) == 0xf0 ? 4 : 0;

	if (len < 2 || len > n)
		return len > n ? 0 : len;
	uint32_t c = s[0] & (0x7fu >> len);
	for (size_t i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3fu);
	}
	if (c < least[len] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return 0;
	return len;
}

size_t str_printable(char *dst, size_t size, const char *src, size_t n)
{
	const uint8_t *s = (const uint8_t *)src;
	size_t out = 0;

	for (size_t i = 0; i < n;) {
		size_t len = str_utf8(s + i, n - i);
		/* C0 and DEL, and C1 (U+0080 to U+009F, two bytes) */
		int control = len == 1 ? s[i] < 0x20 || s[i] == 0x7f
			    : len == 2 && s[i] == 0xc2 && s[i + 1] < 0xa0;

		if (len > 0 && !control) {
			if (out + len >= size)
				break;
			memcpy(dst + out, s + i, len);
			out += len;
			i += len;
			continue;
		}
		if (out + 4 >= size)
			break;
		out += (size_t)snprintf(dst + out, size - out, "\\x%02x", s[i++]);
	}
	if (size > 0)
		dst[out] = 0;
	return out;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t str_distance(const char *a, const char *b)
{
	size_t row[STR_DISTANCE_MAX + 1];	/* from a[0..i) to b[0..j) */
	size_t n = strnlen(b, STR_DISTANCE_MAX);

	for (size_t j = 0; j <= n; j++)
		row[j] = j;
	for (size_t i = 0; i < STR_DISTANCE_MAX && a[i]; i++) {
		size_t diagonal = row[0];

		row[0] = i + 1;
		for (size_t j = 0; j < n; j++) {
			size_t changed = diagonal + (a[i] != b[j]);

			diagonal = row[j + 1];
			row[j + 1] = least(changed, 1 + least(row[j], row[j + 1]));
		}
	}
	return row[n];
}

void str_hex(char *dst, const uint8_t *src, size_t n)
{
	for (size_t i = 0; i < n; i++)
		snprintf(dst + 2 * i, 3, "%02x", src[i]);
}
