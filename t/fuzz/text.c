/* SPDX-License-Identifier: Apache-2.0 */
/* What terminals see. Of the program's own output no control passes the filter
 * but those that term.h names, and colours, whole; what it makes does not depend
 * on how the bytes were cut. A message of ours is one line without any control. */
#include "base/err.h"
#include "base/str.h"
#include "bytes.h"
#include "out/term.h"
#include "target.h"

#include <stdlib.h>
#include <string.h>

#define INPUT_MAX 4096

/* The bytes at S[0..N) that are a colour: ESC [, numbers, m. */
static size_t colour(const uint8_t *s, size_t n)
{
	size_t i = 2;

	if (n < 3 || s[0] != 0x1b || s[1] != '[')
		return 0;
	while (i < n && ((s[i] >= '0' && s[i] <= '9') || s[i] == ';' || s[i] == ':'))
		i++;
	return i < n && s[i] == 'm' ? i + 1 : 0;
}

static void no_controls(const uint8_t *s, size_t n, const char *but)
{
	for (size_t i = 0, len; i < n; i += len) {
		len = *but ? colour(s + i, n - i) : 0;
		if (len)
			continue;
		len = str_utf8(s + i, n - i);
		MUST(len > 0 && s[i] != 0x7f && !(len == 2 && s[i] == 0xc2 && s[i + 1] < 0xa0));
		MUST(s[i] >= 0x20 || (s[i] && strchr(but, s[i])));
	}
}

/* What is plain text already comes out as it is. */
static void plain_stays(const uint8_t *data, size_t size, const uint8_t *out, size_t n)
{
	for (size_t i = 0, len; i < size; i += len)
		if ((len = str_utf8(data + i, size - i)) == 0 || data[i] < 0x20 || data[i] == 0x7f ||
		    data[i] == 0xc2)
			return;
	MUST(n == size && !memcmp(data, out, n));
}

static void one_line(const uint8_t *data, size_t size)
{
	struct err e;
	char text[512];
	size_t n = str_printable(text, 1 + size % sizeof(text), (const char *)data, size);

	MUST(n == strlen(text) && n <= size % sizeof(text));
	no_controls((uint8_t *)text, n, "");
	(void)err_set(&e, ERR_GUEST, "%.*s", (int)size, (const char *)data);
	(void)err_in(&e, "'%.*s'", (int)size, (const char *)data);
	no_controls((uint8_t *)e.msg, strlen(e.msg), "");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t whole[TERM_GROWTH * (INPUT_MAX + TERM_HOLD)], cut[sizeof(whole)];
	struct term a = { 0 }, b = { 0 };
	size_t n, m = 0;

	if (size > INPUT_MAX || size == 0)
		return 0;
	one_line(data, size);
	n = term_filter(&a, data, size, 1, whole);
	MUST(n <= TERM_GROWTH * size && a.held == 0);
	no_controls(whole, n, "\b\t\n\r");
	plain_stays(data, size, whole, n);
	for (size_t at = 0, step, i = size; at < size; at += step) {	/* cuts that the bytes choose */
		i = (i * 7 + data[at]) % 64;
		step = 1 + (i < 48 ? i % 5 : i);
		step = step > size - at ? size - at : step;
		m += term_filter(&b, data + at, step, at + step == size, cut + m);
	}
	MUST(n == m && !memcmp(whole, cut, n));
	return 0;
}
