/* SPDX-License-Identifier: Apache-2.0 */
/* quote - see quote.h */
#include "out/quote.h"

#include <nettle/base64.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ESCAPE_MAX 8		/* bytes of one */
#define BASE64_STEP 3072u	/* bytes that become base64 at once, of three */

size_t quote_tail(const uint8_t *s, size_t n)
{
	for (size_t back = 1; back <= 3 && back <= n; back++) {
		uint8_t c = s[n - back];
		size_t len = c >= 0xf0 && c < 0xf5 ? 4 : c >= 0xe0 ? 3 : 2;

		if ((c & 0xc0) == 0x80)
			continue;
		return c >= 0xc2 && c < 0xf5 && len > back ? back : 0;
	}
	return 0;
}

bool quote_is_utf8(const uint8_t *s, size_t n)
{
	for (size_t i = 0, len; i < n; i += len)
		if ((len = str_utf8(s + i, n - i)) == 0)
			return false;
	return true;
}

int quote_raw(struct buf *out, const char *text, size_t max, struct err *e)
{
	return buf_add(out, text, strlen(text), max, e);
}

/* The escape of the LEN bytes at S (LEN 0: of one that is no UTF-8); its length, or 0:
 * it is plain. */
static size_t escape(const uint8_t *s, size_t len, char dst[ESCAPE_MAX])
{
	static const char raw[] = "\"\\\n\r\t\b\f", letters[] = "\"\\nrtbf", digits[] = "0123456789abcdef";
	const char *two = len == 1 && *s ? strchr(raw, *s) : NULL;
	/* the text that stands for a byte has a backslash of its own */
	const char *head = len == 0 ? "\\\\x" : "\\u00";
	size_t n = strlen(head);

	if (two) {
		dst[0] = '\\';
		dst[1] = letters[two - raw];
		return 2;
	}
	if (len == 1 ? *s >= 0x20 && *s != 0x7f : len == 2 ? s[0] != 0xc2 || s[1] >= 0xa0 : len > 2)
		return 0;
	uint8_t c = s[len ? len - 1 : 0];
	memcpy(dst, head, n);
	dst[n++] = digits[c >> 4];
	dst[n++] = digits[c & 15];
	return n;
}

int quote_text(struct buf *out, const void *text, size_t n, size_t max, struct err *e)
{
	const uint8_t *s = text;
	char esc[ESCAPE_MAX];
	int rc = quote_raw(out, "\"", max, e);

	for (size_t i = 0; rc == 0 && i < n;) {
		size_t plain = i, len = 0, esc_len = 0;

		while (plain < n) {
			len = str_utf8(s + plain, n - plain);
			if ((esc_len = escape(s + plain, len, esc)) > 0)
				break;
			plain += len;
		}
		rc = buf_add(out, s + i, plain - i, max, e);
		if (rc == 0)
			rc = buf_add(out, esc, esc_len, max, e);
		i = plain + (esc_len == 0 ? 0 : len ? len : 1);
	}
	return rc < 0 ? -1 : quote_raw(out, "\"", max, e);
}

int quote_base64(struct buf *out, const uint8_t *s, size_t n, size_t max, struct err *e)
{
	char text[BASE64_ENCODE_RAW_LENGTH(BASE64_STEP)];
	int rc = quote_raw(out, "\"", max, e);

	for (size_t i = 0, part; rc == 0 && i < n; i += part) {
		part = n - i < BASE64_STEP ? n - i : BASE64_STEP;
		base64_encode_raw(text, part, s + i);
		rc = buf_add(out, text, BASE64_ENCODE_RAW_LENGTH(part), max, e);
	}
	return rc < 0 ? -1 : quote_raw(out, "\"", max, e);
}

json_t *quote_json(const void *bytes, size_t n)
{
	const uint8_t *s = bytes;
	struct buf b = { 0 };
	struct err e;
	json_t *j = NULL;

	for (size_t i = 0; i < n;) {
		size_t len = str_utf8(s + i, n - i);
		char hex[5];

		if (len == 0)
			snprintf(hex, sizeof(hex), "\\x%02x", s[i]);
		if (buf_add(&b, len ? (const char *)s + i : hex, len ? len : 4, SIZE_MAX / 2, &e) < 0)
			goto out;
		i += len ? len : 1;
	}
	j = json_stringn(n ? (const char *)b.at : "", b.len);
out:
	buf_free(&b);
	return j;
}

/* The length of a control at S that jansson lets through and a terminal would obey:
 * DEL, or one of U+0080 to U+009F. Else 0. */
static size_t control_at(const char *s)
{
	return *s == 0x7f ? 1 : (uint8_t)s[0] == 0xc2 && (uint8_t)s[1] < 0xa0 ? 2 : 0;
}

/* TEXT[0..N) with these as escapes. */
static int add_without_controls(struct buf *out, const char *text, size_t n, struct err *e)
{
	char esc[ESCAPE_MAX];

	for (size_t i = 0, len = 0; i < n; i += len) {
		size_t plain = i;

		while (plain < n && (len = control_at(text + plain)) == 0)
			plain++;
		if (buf_add(out, text + i, plain - i, SIZE_MAX / 2, e) < 0)
			return -1;
		i = plain;
		if (i == n)
			break;
		snprintf(esc, sizeof(esc), "\\u%04x", (uint8_t)text[i + len - 1]);
		if (quote_raw(out, esc, SIZE_MAX / 2, e) < 0)
			return -1;
	}
	return 0;
}

int quote_members(struct buf *out, json_t *o, struct err *e)
{
	char *text = o ? json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
	int rc = text ? add_without_controls(out, text + 1, strlen(text) - 2, e)
		      : err_set(e, ERR_HOST, "not enough memory for the result");

	json_decref(o);
	free(text);
	return rc;
}
