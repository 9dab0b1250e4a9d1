/* SPDX-License-Identifier: Apache-2.0 */
/* preload - see preload.h */
#include "plan/preload.h"

#include <string.h>

/* What these import only when it is first used, and nearly every chart or
 * workbook does. */
#define CHARTS "matplotlib.backends.backend_agg,pandas.plotting._matplotlib," \
	       "PIL.BmpImagePlugin,PIL.GifImagePlugin,PIL.JpegImagePlugin,PIL.PpmImagePlugin," \
	       "PIL.PngImagePlugin,PIL.ImageMath"
#define BOOKS "pandas.io.excel._openpyxl,pandas.io.formats.excel,pandas.io.formats.string"

/* "-" is no module: a bare interpreter that is up. */
const struct preload preloads[] = {
	{ "python", "-" },
	{ "numpy", "numpy" },
	{ "pandas", "numpy,pandas" },
	{ "plot", "numpy,pandas,matplotlib.pyplot,openpyxl," CHARTS "," BOOKS },
	{ NULL, NULL },
};

/* Each package with the least row that has it. */
static const struct {
	const char *package;
	int row;
} packages[] = {
	{ "numpy", 1 }, { "scipy", 1 }, { "pandas", 2 },
	{ "matplotlib", 3 }, { "openpyxl", 3 }, { "pylab", 3 },
};

static bool name_char(char c)
{
	return c == '_' || (c >= '0' && c <= '9') ||
	       ((c | 32) >= 'a' && (c | 32) <= 'z');
}

static int row_of(const char *name, size_t n)
{
	for (size_t i = 0; i < sizeof(packages) / sizeof(*packages); i++)
		if (strlen(packages[i].package) == n && !memcmp(packages[i].package, name, n))
			return packages[i].row;
	return 0;
}

/* The highest row that an import line [P, END) asks for, from behind its word. */
static int row_of_line(const char *p, const char *end, bool list)
{
	int row = 0;

	while (p < end) {
		const char *name;

		while (p < end && (*p == ' ' || *p == '\t'))
			p++;
		for (name = p; p < end && name_char(*p); p++)
			;
		int r = row_of(name, (size_t)(p - name));
		row = r > row ? r : row;
		if (!list)
			break;
		while (p < end && *p != ',')
			p++;
		p++;
	}
	return row;
}

const struct preload *preload_find(const char *name)
{
	for (const struct preload *p = preloads; p->name; p++)
		if (!strcmp(p->name, name))
			return p;
	return NULL;
}

const struct preload *preload_guess(const char *text, size_t n)
{
	const char *end = text + n;
	int row = 0;

	for (const char *p = text; p < end;) {
		const char *eol = memchr(p, '\n', (size_t)(end - p));
		int r = 0;

		eol = eol ? eol : end;
		while (p < eol && (*p == ' ' || *p == '\t'))
			p++;
		if (eol - p > 7 && !memcmp(p, "import ", 7))
			r = row_of_line(p + 7, eol, true);
		else if (eol - p > 5 && !memcmp(p, "from ", 5))
			r = row_of_line(p + 5, eol, false);
		row = r > row ? r : row;
		p = eol + 1;
	}
	/* pandas imports it when a workbook is written */
	if (row == 2 && memmem(text, n, "to_excel", 8))
		row = 3;
	return &preloads[row];
}

bool preload_env_ok(const char *assignment)
{
	static const char *const early[] = { "PYTHON", "LD_", "LC_", "LANG", "TZ=", "OMP_",
					     "OPENBLAS_", "MPL" };

	for (size_t i = 0; i < sizeof(early) / sizeof(*early); i++)
		if (!strncmp(assignment, early[i], strlen(early[i])))
			return false;
	return true;
}
