/* SPDX-License-Identifier: Apache-2.0 */
#include "base/glob.h"
#include "tap.h"

int main(void)
{
	static const struct {
		const char *glob, *path;
		bool match;
	} table[] = {
		{ "*.csv", "a.csv", true }, { "*.csv", "d/e/a.csv", true }, { "*.csv", "a.csv.gz", false },
		{ "*.csv", ".csv", true }, { "/*.csv", "d/a.csv", false }, { "/*.csv", "a.csv", true },
		{ "out/*.png", "out/1.png", true }, { "out/*.png", "out/d/1.png", false },
		{ "out/*.png", "x/out/1.png", false }, { "./out/*.png", "out/1.png", true },
		{ "out/**", "out/a/b", true }, { "out/**", "out", false }, { "out/", "x/out", true },
		{ "**/x", "x", true }, { "**/x", "a/b/x", true }, { "**/x", "a/xx", false },
		{ "a/**/b", "a/b", true }, { "a/**/b", "a/1/2/b", true }, { "a/**/b", "a/1/2/c", false },
		{ "a/**/b/**/c", "a/b/1/b/2/c", true }, { "**", "any/thing", true }, { "?", "\xff", true },
		{ "[ab]", "b", true }, { "\\*", "*", true }, { "\\*", "x", false }, { "/", "a", false },
		{ "a//b", "a/b", false }, { "..", "a", false },
	};
	char csv[] = "*.csv", tmp[] = "tmp", *in[] = { csv, NULL }, *out[] = { tmp, NULL };
	struct strv none = { 0 }, include = { in, 1 }, exclude = { out, 1 };
	char deep[4096] = "";

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		char what[80];

		snprintf(what, sizeof(what), "'%s' %s '%s'", table[i].glob,
			 table[i].match ? "means" : "does not mean", table[i].path);
		OK(glob_match(table[i].glob, table[i].path) == table[i].match, what);
	}
	OK(glob_choose(&none, &none, "a/b") == GLOB_IN, "without globs all is kept");
	OK(glob_choose(&include, &none, "d") == GLOB_PASS, "a folder may hold what is included");
	OK(glob_choose(&include, &exclude, "a/tmp/x.csv") == GLOB_OUT, "what lies in an excluded folder is out");
	OK(glob_choose(&exclude, &none, "a/tmp/x") == GLOB_IN, "what lies in an included folder is in");
	/* the worst path and glob: no more than n * m steps */
	for (size_t i = 0; i + 3 < sizeof(deep); i += 2)
		snprintf(deep + i, 3, "a/");
	deep[sizeof(deep) - 3] = 0;
	OK(!glob_match("**/a/**/a/**/a/**/a/**/a/**/a/**/b", deep), "many ** end soon");
	return TAP_DONE();
}
