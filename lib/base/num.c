/* SPDX-License-Identifier: Apache-2.0 */
/* num - see num.h */
#include "base/num.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Reads digits at *TEXT and moves it behind them; -1 if there are none or
 * they pass 64 bits. */
static int digits(const char **text, uint64_t *out)
{
	const char *p = *text;
	uint64_t v = 0;

	for (; *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(v, 10u, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(*p - '0'), &v))
			return -1;
	if (p == *text)
		return -1;
	*text = p;
	*out = v;
	return 0;
}

int num_count(const char *text, uint64_t min, uint64_t max, uint64_t *out,
	      struct err *e)
{
	const char *p = text;
	uint64_t v;

	if (digits(&p, &v) < 0 || *p || v < min || v > max)
		return err_set(e, ERR_USAGE,
			       "'%s' is not a number from %" PRIu64 " to %" PRIu64,
			       text, min, max);
	*out = v;
	return 0;
}

int num_size(const char *text, uint64_t min, uint64_t max, int none_ok,
	     uint64_t *out, struct err *e)
{
	static const char units[] = "KMGT";
	char lo[NUM_TEXT], hi[NUM_TEXT];
	const char *p = text, *unit;
	uint64_t v;
	int ok = digits(&p, &v) == 0;

	if (none_ok && !strcmp(text, "none")) {
		*out = NUM_NONE;
		return 0;
	}
	if (ok && *p && (unit = strchr(units, *p))) {
		for (; ok && unit >= units; unit--)
			ok = !__builtin_mul_overflow(v, 1024u, &v);
		p++;
	}
	if (!ok || *p || v < min || v > max)
		return err_set(e, ERR_USAGE,
			       "'%s' is not a size from %s to %s%s (as in 512M or 2G)",
			       text, num_size_text(min, lo), num_size_text(max, hi),
			       none_ok ? " or 'none'" : "");
	*out = v;
	return 0;
}

static const struct unit {
	const char *name;
	uint64_t ms;
} units[] = {
	{ "", 1000 }, { "ms", 1 }, { "s", 1000 }, { "m", 60000 }, { "h", 3600000 }, { "d", 86400000 },
};

/* "1.5" and a unit of 1000 ms are 1500; -1 if a part of a millisecond would
 * be left. */
static int scaled(uint64_t whole, const char *frac, size_t n, uint64_t unit,
		  uint64_t *out)
{
	uint64_t v, part = unit;

	if (__builtin_mul_overflow(whole, unit, &v))
		return -1;
	for (size_t i = 0; i < n; i++) {
		uint64_t digit = (uint64_t)(frac[i] - '0');

		if (digit > 0 && part % 10 != 0)
			return -1;
		part /= 10;
		if (__builtin_add_overflow(v, digit * part, &v))
			return -1;
	}
	*out = v;
	return 0;
}

static int duration(const char *text, uint64_t *out)
{
	const char *p = text, *frac;
	uint64_t whole;
	size_t n = 0;

	if (digits(&p, &whole) < 0)
		return -1;
	frac = p;
	if (*p == '.') {
		frac = ++p;
		n = strspn(p, "0123456789");
		if (n == 0)
			return -1;
		p += n;
	}
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (!strcmp(p, units[i].name))
			return scaled(whole, frac, n, units[i].ms, out);
	return -1;
}

int num_duration(const char *text, uint64_t min_ms, uint64_t max_ms,
		 int none_ok, uint64_t *out_ms, struct err *e)
{
	char lo[NUM_TEXT], hi[NUM_TEXT];
	uint64_t v;

	if (none_ok && !strcmp(text, "none")) {
		*out_ms = NUM_NONE;
		return 0;
	}
	if (duration(text, &v) < 0 || v < min_ms || v > max_ms)
		return err_set(e, ERR_USAGE,
			       "'%s' is not a time from %s to %s%s (as in 10, 1.5s, 2m, 1h)",
			       text, num_duration_text(min_ms, lo),
			       num_duration_text(max_ms, hi),
			       none_ok ? " or 'none'" : "");
	*out_ms = v;
	return 0;
}

const char *num_size_text(uint64_t bytes, char *dst)
{
	static const char names[] = " KMGT";
	size_t i = 0;

	if (bytes == NUM_NONE) {
		snprintf(dst, NUM_TEXT, "none");
		return dst;
	}
	while (i < 4 && bytes > 0 && bytes % 1024 == 0) {
		bytes /= 1024;
		i++;
	}
	snprintf(dst, NUM_TEXT, i ? "%" PRIu64 "%c" : "%" PRIu64, bytes, names[i]);
	return dst;
}

const char *num_duration_text(uint64_t ms, char *dst)
{
	if (ms == NUM_NONE)
		snprintf(dst, NUM_TEXT, "none");
	else if (ms < 1000 && ms > 0)
		snprintf(dst, NUM_TEXT, "%" PRIu64 " ms", ms);
	else if (ms % 1000 == 0)
		snprintf(dst, NUM_TEXT, "%" PRIu64 " s", ms / 1000);
	else
		snprintf(dst, NUM_TEXT, "%.9g s", (double)ms / 1000);
	return dst;
}
