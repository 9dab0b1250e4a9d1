/* SPDX-License-Identifier: Apache-2.0 */
/* Any text at all as a configuration: it is read, or refused with a place that
 * is in it; what was read holds its bounds, and a program's text is judged by
 * the lists of modules that stand there. */
#include "plan/conffile.h"
#include "plan/keys.h"
#include "target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int read_fn(const char *file, const char *text, size_t n, enum plan_layer layer,
		    struct plan *p, struct err *e);

static void check_place(const struct err *e, const char *text, size_t n)
{
	size_t line, column, lines = 2;		/* libyaml puts the end on a line of its own */
	int used = 0;

	for (size_t i = 0; i < n; i++)		/* YAML's: LF, CR, NEL, LS, PS */
		lines += text[i] == '\n' || text[i] == '\r' || text[i] == '\x85' ||
			 text[i] == '\xa8' || text[i] == '\xa9';
	if (sscanf(e->msg, "f:%zu:%zu: %n", &line, &column, &used) != 2 || used == 0 ||
	    line < 1 || line > lines || column < 1 || column > n + 1) {
		fprintf(stderr, "%s: %zu lines, %zu bytes: %.*s\n", e->msg, lines, n, (int)n, text);
		abort();
	}
}

static void try(read_fn *read, const char *text, size_t n)
{
	struct err e = { 0 };
	struct plan p;

	plan_init(&p);
	if (read("f", text, n, LAYER_GIVEN, &p, &e) < 0)
		check_place(&e, text, n);
	for (size_t i = 0; i < p.settings; i++)
		if (strncmp(p.setting[i].where, "f:", 2) || p.setting[i].layer != LAYER_GIVEN)
			abort();
	for (int l = 0; l < LIMITS; l++)
		if (p.limit[l] != NUM_NONE && p.limit[l] > plan_limits[l].max)
			abort();
	if (p.preloads.n > PRELOAD_LISTS)
		abort();
	const struct preload *got = preload_guess(&p.preloads, text, n);
	if (strlen(got->modules) >= PRELOAD_MODULES_MAX)
		abort();
	plan_free(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	try(conffile_yaml, (const char *)data, size);
	try(conffile_env, (const char *)data, size);
	return 0;
}
