/* SPDX-License-Identifier: Apache-2.0 */
/* value - see value.h */
#include "out/value.h"

#include "out/quote.h"
#include "wire/msg.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
	const uint8_t *at;
	size_t left;
	unsigned depth, count;
	struct buf *out;
	size_t max;
};

static int malformed(struct err *e, const char *why)
{
	(void)err_set(e, ERR_GUEST, "a value %s", why);
	return -1;
}

static int take_number(struct reader *r, unsigned bytes, uint64_t *v, struct err *e)
{
	if (r->left < bytes)
		return malformed(e, "that is cut short");
	*v = 0;
	for (unsigned i = 0; i < bytes; i++)
		*v |= (uint64_t)r->at[i] << (8 * i);
	r->at += bytes;
	r->left -= bytes;
	return 0;
}

static int write_integer(struct reader *r, struct err *e)
{
	char text[32];
	uint64_t v;

	if (take_number(r, 8, &v, e) < 0)
		return -1;
	snprintf(text, sizeof(text), "%" PRId64, (int64_t)v);
	return quote_raw(r->out, text, r->max, e);
}

/* The shortest text that is read back as the same, and as no whole number. */
static int write_double(struct reader *r, struct err *e)
{
	char text[40];
	uint64_t bits;
	double v;

	if (take_number(r, 8, &bits, e) < 0)
		return -1;
	memcpy(&v, &bits, sizeof(v));
	if (!isfinite(v))
		return quote_raw(r->out, "null", r->max, e);
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, v);
		if (strtod(text, NULL) == v)
			break;
	}
	if (!strpbrk(text, ".e"))
		strcat(text, ".0");
	return quote_raw(r->out, text, r->max, e);
}

static int write_string(struct reader *r, struct err *e)
{
	uint64_t n;

	if (take_number(r, 4, &n, e) < 0)
		return -1;
	if (n > r->left)
		return malformed(e, "that is cut short");
	if (quote_text(r->out, r->at, (size_t)n, r->max, e) < 0)
		return -1;
	r->at += n;
	r->left -= (size_t)n;
	return 0;
}

static int write_any(struct reader *r, struct err *e);

/* What stands between '[' or '{' and END; both are a row of values, but in an object
 * each other one is a string, its name. */
static int write_row(struct reader *r, uint8_t end, struct err *e)
{
	const char open[] = { end == ']' ? '[' : '{', 0 }, close[] = { (char)end, 0 };
	bool name = end == '}';

	if (++r->depth > MSG_VALUE_DEPTH)
		return malformed(e, "with too many lists in lists");
	if (quote_raw(r->out, open, r->max, e) < 0)
		return -1;
	for (size_t i = 0; r->left > 0 && *r->at != end; i++) {
		bool is_name = name && i % 2 == 0;

		if (is_name && *r->at != 's')
			return malformed(e, "with a name that is no text");
		if (i > 0 && quote_raw(r->out, name && !is_name ? ":" : ",", r->max, e) < 0)
			return -1;
		if (write_any(r, e) < 0)
			return -1;
		if (is_name && r->left > 0 && *r->at == end)
			return malformed(e, "with a name that has none");
	}
	if (r->left == 0)
		return malformed(e, "that is cut short");
	r->at++;
	r->left--;
	r->depth--;
	return quote_raw(r->out, close, r->max, e);
}

static int write_any(struct reader *r, struct err *e)
{
	if (r->left == 0)
		return malformed(e, "that is cut short");
	if (++r->count > MSG_VALUE_COUNT)
		return malformed(e, "of too many parts");
	uint8_t token = *r->at++;
	r->left--;
	switch (token) {
	case 'n':
		return quote_raw(r->out, "null", r->max, e);
	case 't':
		return quote_raw(r->out, "true", r->max, e);
	case 'f':
		return quote_raw(r->out, "false", r->max, e);
	case 'i':
		return write_integer(r, e);
	case 'd':
		return write_double(r, e);
	case 's':
		return write_string(r, e);
	case '[':
		return write_row(r, ']', e);
	case '{':
		return write_row(r, '}', e);
	default:
		return malformed(e, "of a kind that there is not");
	}
}

int value_write(struct buf *out, const uint8_t *at, size_t n, size_t max, struct err *e)
{
	struct reader r = { .at = at, .left = n, .out = out, .max = max };

	if (write_any(&r, e) < 0)
		return -1;
	return r.left > 0 ? malformed(e, "with more behind it") : 0;
}
