/* SPDX-License-Identifier: Apache-2.0 */
#include "base/num.h"
#include "tap.h"

#include <string.h>

static int duration(const char *text, uint64_t *ms)
{
	struct err e;

	return num_duration(text, 1, 3600000, 1, ms, &e);
}

static int size(const char *text, uint64_t *bytes)
{
	struct err e;

	return num_size(text, 0, UINT64_MAX, 0, bytes, &e);
}

int main(void)
{
	static const struct {
		const char *text;
		uint64_t ms;
	} good[] = {
		{ "10", 10000 }, { "1.5s", 1500 }, { "250ms", 250 }, { "2m", 120000 },
		{ "1h", 3600000 }, { "0.001", 1 }, { "none", NUM_NONE }, { "0.5m", 30000 },
	};
	static const char *const bad[] = {
		"", "soon", "-1", "0", "1e9", "1.", ".5", "1.5.5", " 1", "1 ", "+1", "0x10", "1.0005",
		"99999999999999999999", "2h", "1s ", "s", "1ss", "0.0001s", "nan", "inf",
		"18446744073709551616h", "None",
	};
	uint64_t v = 77;
	char text[NUM_TEXT];
	struct err e;

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		OK(duration(good[i].text, &v) == 0 && v == good[i].ms, good[i].text);
	v = 77;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		OK(duration(bad[i], &v) < 0 && v == 77, bad[i]);
	OK(size("512M", &v) == 0 && v == 512ull << 20, "512M");
	OK(size("2G", &v) == 0 && v == 2ull << 30, "2G");
	OK(size("16777216T", &v) < 0, "a size that overflows is refused");
	OK(size("18446744073709551615", &v) == 0 && v == UINT64_MAX, "the largest size");
	OK(size("18446744073709551616", &v) < 0, "one more than the largest size");
	OK(size("1.5G", &v) < 0 && size("G", &v) < 0 && size("1GB", &v) < 0 && size("-1", &v) < 0,
	   "sizes that are not wholly understood");
	OK(num_count("12", 1, 12, &v, &e) == 0 && v == 12, "a count at its limit");
	OK(num_count("13", 1, 12, &v, &e) < 0 &&
	   !strcmp(e.msg, "'13' is not a number from 1 to 12"), "a count above it, in words");
	OK(!strcmp(num_size_text(1ull << 30, text), "1G"), "1G as text");
	OK(!strcmp(num_size_text(1500, text), "1500"), "1500 as text");
	OK(!strcmp(num_duration_text(1500, text), "1.5 s"), "1.5 s as text");
	OK(!strcmp(num_duration_text(60000, text), "60 s"), "60 s as text");
	return TAP_DONE();
}
