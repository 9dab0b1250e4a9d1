/* SPDX-License-Identifier: Apache-2.0 */
/* Any text at all as a configuration: it is read, or refused with a place that
 * is in it; what was read holds its bounds and, written out again, means the same,
 * and a program's text is judged by the lists of modules that stand there. */
#include "bytes.h"
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

/* The same settings once more, by their keys, give the same plan. */
static void again(const struct plan *p)
{
	struct err e;
	struct plan q;

	plan_init(&q);
	for (size_t i = 0; i < p->settings; i++) {
		const struct plan_setting *s = &p->setting[i];
		char block[KEY_PATH];
		const char *dot = strchr(s->key, '.');

		MUST(dot && (size_t)(dot - s->key) < sizeof(block));
		snprintf(block, sizeof(block), "%.*s", (int)(dot - s->key), s->key);
		const struct key *k = key_find(block, dot + 1);
		if (!k) {		/* a list of modules, under a name of its own */
			MUST(!strcmp(block, "preload"));
			continue;
		}
		MUST(!(k->flags & KEY_CLI) && key_is_block(block));
		MUST(key_set(&q, k, s->text, LAYER_GIVEN, s->where, &e) == 0);
	}
	MUST(!memcmp(p->limit, q.limit, sizeof(p->limit)) && p->boot_ms == q.boot_ms &&
	     p->probe_ms == q.probe_ms && p->enabled == q.enabled && p->format == q.format && p->fresh == q.fresh);
	MUST(p->inputs.n == q.inputs.n && p->env.n == q.env.n && !p->image == !q.image && !p->backend == !q.backend);
	MUST((!p->image || !strcmp(p->image, q.image)) && (!p->backend || !strcmp(p->backend, q.backend)));
	plan_free(&q);
}

static void try(read_fn *read, const char *text, size_t n)
{
	struct err e = { 0 };
	struct plan p;

	plan_init(&p);
	if (read("f", text, n, LAYER_GIVEN, &p, &e) < 0)
		check_place(&e, text, n);
	again(&p);
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
