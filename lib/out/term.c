/* SPDX-License-Identifier: Apache-2.0 */
/* term - see term.h */
#include "out/term.h"

#include "base/str.h"

#include <string.h>

static size_t escape(uint8_t byte, uint8_t *out)
{
	static const char hex[] = "0123456789abcdef";

	out[0] = '\\';
	out[1] = 'x';
	out[2] = (uint8_t)hex[byte >> 4];
	out[3] = (uint8_t)hex[byte & 15];
	return 4;
}

/* What stands at S: its length if it may pass, 0 if its first byte may not,
 * -1 if more bytes must be seen. */
static int passes(const uint8_t *s, size_t n)
{
	size_t i = 2, len;

	if (s[0] == 0x1b) {	/* ESC [ digits ; m is a colour */
		if (n > 1 && s[1] != '[')
			return 0;
		while (i < n && ((s[i] >= '0' && s[i] <= '9') || s[i] == ';' || s[i] == ':'))
			i++;
		if (i < n)
			return s[i] == 'm' ? (int)i + 1 : 0;
		return n < TERM_HOLD ? -1 : 0;
	}
	if (s[0] < 0x80)
		return s[0] >= 0x20 ? s[0] != 0x7f : strchr("\b\t\n\r", s[0]) && s[0];
	len = str_utf8(s, n);
	if (len > 0)
		return s[0] == 0xc2 && s[1] < 0xa0 ? 0 : (int)len;
	/* a character that is not all here yet: each lead byte wants so many */
	size_t want = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
	if (s[0] < 0xc2 || s[0] > 0xf4 || n >= want)
		return 0;
	for (i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	return -1;
}

size_t term_filter(struct term *t, const uint8_t *in, size_t n, int last, uint8_t *out)
{
	size_t done = 0;

	for (size_t i = 0; i < n || (last && t->held > 0);) {
		int pass;

		if (i < n)
			t->hold[t->held++] = in[i++];
		pass = passes(t->hold, t->held);
		if (pass < 0 && (i < n || !last))
			continue;
		/* One step may free bytes that must be looked at again. */
		while (t->held > 0 && (pass >= 0 || (i == n && last))) {
			size_t used = pass > 0 ? (size_t)pass : 1;

			if (pass > 0) {
				memcpy(out + done, t->hold, used);
				done += used;
			} else {
				done += escape(t->hold[0], out + done);
			}
			t->held -= used;
			memmove(t->hold, t->hold + used, t->held);
			pass = t->held > 0 ? passes(t->hold, t->held) : -1;
		}
	}
	return done;
}
