/* SPDX-License-Identifier: Apache-2.0 */
/* plan - see plan.h */
#include "plan/plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DAY_MS (24ull * 3600 * 1000)

const struct plan_limit_row plan_limits[LIMITS] = {
	[LIMIT_TIMEOUT] = { "timeout", UNIT_MS, 60000, 1, 7 * DAY_MS, true },
	[LIMIT_KILL_AFTER] = { "kill-after", UNIT_MS, 500, 0, 3600000, false },
	[LIMIT_CPUS] = { "cpus", UNIT_COUNT, 1, 1, 256, false },
	[LIMIT_MEMORY] = { "memory", UNIT_BYTES, 1ull << 30, 64ull << 20, 1ull << 40, false },
	[LIMIT_PIDS] = { "pids", UNIT_COUNT, 256, 2, 32768, false },
	[LIMIT_MAX_FILES] = { "max-files", UNIT_COUNT, 1000, 1, 200000, false },
	[LIMIT_MAX_OUTPUT] = { "max-output", UNIT_BYTES, 512ull << 20, 1, 1ull << 40, false },
	[LIMIT_DISK] = { "disk", UNIT_BYTES, 0, 1ull << 20, 1ull << 40, false },
};

void plan_init(struct plan *p)
{
	*p = (struct plan){ .source = PLAN_STDIN };
	for (int l = 0; l < LIMITS; l++)
		p->limit[l] = plan_limits[l].initial;
}

int plan_finish(struct plan *p, struct err *e)
{
	uint64_t half = p->limit[LIMIT_MEMORY] / 2;

	if (p->limit[LIMIT_DISK] == 0)
		p->limit[LIMIT_DISK] = half < 512ull << 20 ? half : 512ull << 20;
	if (p->print_last && plan_language(p) == PLAN_SHELL)
		return err_set(e, ERR_USAGE, "--print-last: a shell program has no last expression");
	if (p->print_last && p->source == PLAN_MODULE)
		return err_set(e, ERR_USAGE, "--print-last: cannot be used with --module");
	if (p->source == PLAN_MODULE && p->lang == PLAN_SHELL)
		return err_set(e, ERR_USAGE, "--module: names a Python module, not a shell program");
	return 0;
}

void plan_free(struct plan *p)
{
	free(p->program);
	free(p->backend);
	free(p->image);
	free(p->output_dir);
	strv_free(&p->args);
	strv_free(&p->inputs);
	strv_free(&p->env);
	*p = (struct plan){ 0 };
}

int plan_set_limit(struct plan *p, enum plan_limit l, const char *text, struct err *e)
{
	const struct plan_limit_row *row = &plan_limits[l];

	switch (row->unit) {
	case UNIT_MS:
		return num_duration(text, row->min, row->max, row->none_ok, &p->limit[l], e);
	case UNIT_BYTES:
		return num_size(text, row->min, row->max, &p->limit[l], e);
	default:
		return num_count(text, row->min, row->max, &p->limit[l], e);
	}
}

int plan_add_env(struct plan *p, const char *text, char **environ, struct err *e)
{
	size_t n = strcspn(text, "=");

	if (n == 0)
		return err_set(e, ERR_USAGE, "'%s' has no name before '='", text);
	if (text[n] == '=')
		return strv_add(&p->env, text, e);
	for (char **at = environ; at && *at; at++)
		if (!strncmp(*at, text, n) && (*at)[n] == '=')
			return strv_add(&p->env, *at, e);
	return 0;
}

const char *plan_limit_text(const struct plan *p, enum plan_limit l, char dst[NUM_TEXT])
{
	switch (plan_limits[l].unit) {
	case UNIT_MS:
		return num_duration_text(p->limit[l], dst);
	case UNIT_BYTES:
		return num_size_text(p->limit[l], dst);
	default:
		snprintf(dst, NUM_TEXT, "%" PRIu64, p->limit[l]);
		return dst;
	}
}

enum plan_lang plan_language(const struct plan *p)
{
	size_t n = p->program ? strlen(p->program) : 0;

	if (p->lang != PLAN_AUTO)
		return p->lang;
	if (p->source == PLAN_FILE && n > 3 && !strcmp(p->program + n - 3, ".sh"))
		return PLAN_SHELL;
	return PLAN_PYTHON;
}
