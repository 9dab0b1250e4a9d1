/* SPDX-License-Identifier: Apache-2.0 */
/* What people write and what terminals see: numbers are wholly understood or
 * refused; the terminal's filter lets no control through and does not depend
 * on how the bytes were cut. */
#include "base/num.h"
#include "base/str.h"
#include "out/term.h"
#include "target.h"

#include <stdlib.h>
#include <string.h>


#define INPUT_MAX 4096

static void numbers(const char *text)
{
	char back[NUM_TEXT];
	struct err e;
	uint64_t v, w;

	if (num_size(text, 0, INT64_MAX, 1, &v, &e) == 0 &&
	    (num_size(num_size_text(v, back), 0, INT64_MAX, 1, &w, &e) < 0 || v != w))
		abort();
	if (num_duration(text, 0, 1ull << 50, 1, &v, &e) == 0 && v != NUM_NONE && v > 1ull << 50)
		abort();
	if (num_count(text, 5, 10, &v, &e) == 0 && (v < 5 || v > 10))
		abort();
}

static void no_controls(const uint8_t *s, size_t n)
{
	for (size_t i = 0, len; i < n; i += len) {
		len = str_utf8(s + i, n - i);
		if (len == 0 || (len == 2 && s[i] == 0xc2 && s[i + 1] < 0xa0) || s[i] == 0x7f)
			abort();
		if (s[i] < 0x20 && !strchr("\b\t\n\r\x1b", s[i]))
			abort();
		if (s[i] == 0x1b && (i + 2 >= n || s[i + 1] != '['))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t whole[TERM_GROWTH * (INPUT_MAX + TERM_HOLD)], cut[sizeof(whole)];
	struct term a = { 0 }, b = { 0 };
	char text[64];
	size_t n, m = 0, step;

	if (size > INPUT_MAX || size == 0)
		return 0;
	n = size < sizeof(text) ? size : sizeof(text) - 1;
	memcpy(text, data, n);
	text[n] = 0;
	numbers(text);
	n = term_filter(&a, data, size, 1, whole);
	no_controls(whole, n);
	step = 1 + data[0] % 7;
	for (size_t at = 0; at < size; at += step)
		m += term_filter(&b, data + at, size - at < step ? size - at : step,
				 at + step >= size, cut + m);
	if (n != m || memcmp(whole, cut, n))
		abort();
	return 0;
}
