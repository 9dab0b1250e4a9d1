/* SPDX-License-Identifier: Apache-2.0 */
/* preload - see preload.h */
#include "plan/preload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IMPORTS_MAX 64		/* different names that a program is seen to import */
#define IMPORT_MAX 96u		/* bytes of one */

/* What these import only when it is first used, and nearly every chart or
 * workbook does. */
#define CHARTS "_pai.figures,_pai.charts,matplotlib.backends.backend_agg,pandas.plotting._matplotlib," \
	       "PIL.BmpImagePlugin,PIL.GifImagePlugin,PIL.JpegImagePlugin,PIL.PpmImagePlugin," \
	       "PIL.PngImagePlugin,PIL.ImageMath"
#define BOOKS "pandas.io.excel._openpyxl,pandas.io.formats.excel,pandas.io.formats.string"

static const struct preload builtin[] = {
	{ "python", "-", NULL },
	{ "numpy", "numpy", NULL },
	{ "pandas", "numpy,pandas", NULL },
	{ "plot", "numpy,pandas,matplotlib.pyplot,openpyxl," CHARTS "," BOOKS, NULL },
};

/* A package that imports another, which a list may have where it has not the
 * package itself. */
static const struct {
	const char *package, *needs;
} needs[] = {
	{ "scipy", "numpy" }, { "pylab", "matplotlib" },
};

void preloads_init(struct preloads *all)
{
	*all = (struct preloads){ .n = sizeof(builtin) / sizeof(*builtin) };
	memcpy(all->list, builtin, sizeof(builtin));
}

void preloads_free(struct preloads *all)
{
	for (size_t i = 0; i < all->n; i++)
		free(all->list[i].own);
	all->n = 0;
}

static bool first_char(char c)
{
	return c == '_' || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

static bool name_char(char c)
{
	return first_char(c) || (c >= '0' && c <= '9');
}

int preload_check_module(const char *name, struct err *e)
{
	const char *p = name;

	while (first_char(*p)) {
		while (name_char(*p))
			p++;
		if (!*p)
			return 0;
		if (*p == '.')
			p++;
	}
	return err_set(e, ERR_USAGE, "'%.80s' is not the name of a module", name);
}

int preloads_set(struct preloads *all, const char *name, const char *modules, struct err *e)
{
	size_t n = strlen(name), i = 0;

	if (n == 0 || n > PRELOAD_NAME_MAX || strspn(name, "abcdefghijklmnopqrstuvwxyz"
			"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != n)
		return err_set(e, ERR_USAGE, "the name of a list is at most %u letters, digits, '_' "
			       "and '-'", PRELOAD_NAME_MAX);
	if (strlen(modules) >= PRELOAD_MODULES_MAX)
		return err_set(e, ERR_USAGE, "its modules have more than %u bytes", PRELOAD_MODULES_MAX);
	while (i < all->n && strcmp(all->list[i].name, name))
		i++;
	if (i == PRELOAD_LISTS)
		return err_set(e, ERR_USAGE, "more than %d lists", PRELOAD_LISTS);
	char *own = NULL;
	if (asprintf(&own, "%s%c%s", name, 0, *modules ? modules : "-") < 0)
		return err_sys(e, ERR_HOST, "memory");
	if (i == all->n)
		all->n++;
	free(all->list[i].own);
	all->list[i] = (struct preload){ own, own + n + 1, own };
	return 0;
}

/* What a program imports, as far as its import lines show. */
struct imports {
	char name[IMPORTS_MAX][IMPORT_MAX];
	bool maybe[IMPORTS_MAX];	/* a module, or something else out of one */
	size_t n;
};

static void add_import(struct imports *im, const char *name, size_t n, bool maybe)
{
	size_t i = 0;

	if (n == 0 || n >= IMPORT_MAX)
		return;
	while (i < im->n && (strncmp(im->name[i], name, n) || im->name[i][n]))
		i++;
	if (i == IMPORTS_MAX)
		return;
	im->maybe[i] = maybe && (i == im->n || im->maybe[i]);
	if (i < im->n)
		return;
	memcpy(im->name[i], name, n);
	im->name[im->n++][n] = 0;
}

/* Moves *P behind the dotted name there, and blanks before it; its length. */
static size_t take_name(const char **p, const char *end, const char **name)
{
	while (*p < end && (**p == ' ' || **p == '\t' || **p == '('))
		(*p)++;
	*name = *p;
	while (*p < end && (name_char(**p) || **p == '.'))
		(*p)++;
	return (size_t)(*p - *name);
}

/* The names of "a.b as c, d" at [P, END); with PARENT those of "from PARENT import". */
static void take_list(struct imports *im, const char *p, const char *end, const char *parent,
		      size_t parent_n)
{
	while (p < end) {
		const char *name;
		size_t n = take_name(&p, end, &name);

		if (parent && n > 0) {
			char both[2 * IMPORT_MAX];
			int len = snprintf(both, sizeof(both), "%.*s.%.*s", (int)parent_n, parent,
					   (int)n, name);

			add_import(im, both, (size_t)len, true);
		} else {
			add_import(im, name, n, false);
		}
		while (p < end && *p != ',')
			p++;
		p++;
	}
}

static void take_line(struct imports *im, const char *p, const char *end)
{
	const char *name, *word;

	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	if (end - p > 7 && !memcmp(p, "import ", 7)) {
		take_list(im, p + 7, end, NULL, 0);
	} else if (end - p > 5 && !memcmp(p, "from ", 5)) {
		p += 5;
		size_t n = take_name(&p, end, &name);

		if (n == 0 || *name == '.')
			return;		/* of the program's own folder */
		add_import(im, name, n, false);
		if (n < IMPORT_MAX && take_name(&p, end, &word) == 6 && !memcmp(word, "import", 6))
			take_list(im, p, end, name, n);
	}
}

/* A whole package, to its first dot. */
static size_t top(const char *name)
{
	return strcspn(name, ".,");
}

/* 2 if MODULES have NAME or something beneath it (which imports it), 1 if they
 * have something else of its package, 0 if nothing. */
static unsigned coverage(const char *modules, const char *name)
{
	size_t n = strlen(name);
	unsigned best = 0;

	for (const char *m = modules; *m; m += strcspn(m, ","), m += *m == ',') {
		if (!strncmp(m, name, n) && (m[n] == '.' || m[n] == ',' || !m[n]))
			return 2;
		if (top(m) == top(name) && !strncmp(m, name, top(name)))
			best = 1;
	}
	return best;
}

static unsigned score(const char *modules, const struct imports *im)
{
	unsigned sum = 0;

	for (size_t i = 0; i < im->n; i++) {
		unsigned c = coverage(modules, im->name[i]);

		sum += im->maybe[i] && c < 2 ? 0 : c;
	}
	return sum;
}

static size_t count(const char *modules)
{
	size_t n = strcmp(modules, "-") != 0;

	for (; *modules; modules++)
		n += *modules == ',';
	return n;
}

/* What is imported without an import line. */
static void add_implied(struct imports *im, const char *text, size_t n)
{
	size_t seen = im->n;

	for (size_t i = 0; i < seen; i++) {
		for (size_t k = 0; k < sizeof(needs) / sizeof(*needs); k++)
			if (top(im->name[i]) == strlen(needs[k].package) &&
			    !strncmp(im->name[i], needs[k].package, top(im->name[i])))
				add_import(im, needs[k].needs, strlen(needs[k].needs), false);
		/* pandas imports it when a workbook is written */
		if (!strcmp(im->name[i], "pandas") && memmem(text, n, "to_excel", 8))
			add_import(im, "openpyxl", 8, false);
	}
}

const struct preload *preload_guess(const struct preloads *all, const char *text, size_t n)
{
	const char *end = text + n;
	const struct preload *best = &all->list[0];
	struct imports im = { .n = 0 };
	unsigned most = 0;

	for (const char *p = text; p < end;) {
		const char *eol = memchr(p, '\n', (size_t)(end - p));

		eol = eol ? eol : end;
		take_line(&im, p, eol);
		p = eol + 1;
	}
	add_implied(&im, text, n);
	for (size_t i = 0; i < all->n; i++) {
		const struct preload *l = &all->list[i];
		unsigned s = score(l->modules, &im);

		if (s > most || (s > 0 && s == most && count(l->modules) < count(best->modules))) {
			most = s;
			best = l;
		}
	}
	return best;
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
