/* SPDX-License-Identifier: Apache-2.0 */
/* plan - see plan.h */
#include "plan/plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DAY_MS (24ull * 3600 * 1000)

const struct plan_limit_row plan_limits[LIMITS] = {
	[LIMIT_TIMEOUT] = { "timeout", "time", UNIT_MS, 60000, 1, 7 * DAY_MS, true },
	[LIMIT_KILL_AFTER] = { "kill-after", NULL, UNIT_MS, 500, 0, 3600000, false },
	[LIMIT_CPU_TIME] = { "cpu-time", "CPU time", UNIT_MS, NUM_NONE, 10, 7 * DAY_MS, true },
	[LIMIT_CPUS] = { "cpus", NULL, UNIT_COUNT, 1, 1, 256, false },
	[LIMIT_MEMORY] = { "memory", "memory", UNIT_BYTES, 1ull << 30, 64ull << 20, 1ull << 40, false },
	[LIMIT_PIDS] = { "pids", NULL, UNIT_COUNT, 256, 2, 32768, false },
	[LIMIT_DISK] = { "disk", NULL, UNIT_BYTES, 0, 1ull << 20, 1ull << 40, false },
	[LIMIT_MAX_FILES] = { "max-files", NULL, UNIT_COUNT, 1000, 1, 200000, false },
	[LIMIT_MAX_OUTPUT] = { "max-output", NULL, UNIT_BYTES, 512ull << 20, 1, 1ull << 40, false },
	[LIMIT_MAX_STDOUT] = { "max-stdout", NULL, UNIT_BYTES, 0, 1, 1ull << 40, true },
	[LIMIT_MAX_STDERR] = { "max-stderr", NULL, UNIT_BYTES, 0, 1, 1ull << 40, true },
};

void plan_init(struct plan *p)
{
	*p = (struct plan){ .source = PLAN_STDIN, .enabled = true, .status_fd = PLAN_NO_FD,
			    .boot_ms = PLAN_BOOT_MS, .probe_ms = PLAN_PROBE_MS, .lock_wait_ms = PLAN_LOCK_WAIT_MS,
			    .keep_turns = PLAN_KEEP_TURNS };
	for (int l = 0; l < LIMITS; l++)
		p->limit[l] = plan_limits[l].initial;
	preloads_init(&p->preloads);
}

/* The latest note of KEY, or NULL: it is as it is built in. */
static const struct plan_setting *noted(const struct plan *p, const char *key)
{
	for (size_t i = p->settings; i-- > 0;)
		if (!strcmp(p->setting[i].key, key))
			return &p->setting[i];
	return NULL;
}

enum plan_layer plan_layer(const struct plan *p, const char *key)
{
	const struct plan_setting *s = noted(p, key);

	return s ? s->layer : LAYER_BUILTIN;
}

bool plan_insists(const struct plan *p, const char *key)
{
	return plan_layer(p, key) == LAYER_OPTION;
}

size_t plan_asked(const struct plan *p, const char *key, const char *text, size_t n)
{
	size_t times = 0;

	for (size_t i = 0; i < p->settings; i++) {
		const struct plan_setting *s = &p->setting[i];

		times += s->layer == LAYER_OPTION && !strcmp(s->key, key) && !strncmp(s->text, text, n) &&
			 (!s->text[n] || s->text[n] == '=');
	}
	return times;
}

static void free_setting(struct plan_setting *s)
{
	free(s->key);
	free(s->text);
	free(s->where);
}

void plan_free(struct plan *p)
{
	char **const texts[] = {
		&p->program, &p->backend, &p->image, &p->output_dir, &p->manifest, &p->usage,
		&p->session, &p->session_dir, &p->context, &p->config, &p->runsc_bin,
		&p->firecracker_bin, &p->gvisor_rootfs, &p->gvisor_state_dir, &p->vm_kernel,
		&p->vm_rootfs,
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		free(*texts[i]);
	strv_free(&p->args);
	strv_free(&p->inputs);
	strv_free(&p->env);
	strv_free(&p->include);
	strv_free(&p->exclude);
	preloads_free(&p->preloads);
	for (size_t i = 0; i < p->settings; i++)
		free_setting(&p->setting[i]);
	free(p->setting);
	*p = (struct plan){ 0 };
}

int plan_set_limit(struct plan *p, enum plan_limit l, const char *text, struct err *e)
{
	const struct plan_limit_row *row = &plan_limits[l];

	switch (row->unit) {
	case UNIT_MS:
		return num_duration(text, row->min, row->max, row->none_ok, &p->limit[l], e);
	case UNIT_BYTES:
		return num_size(text, row->min, row->max, row->none_ok, &p->limit[l], e);
	default:
		return num_count(text, row->min, row->max, &p->limit[l], e);
	}
}

const char *plan_environment(const struct plan *p, const char *name, size_t n)
{
	for (char **at = p->environ; at && *at; at++)
		if (!strncmp(*at, name, n) && (*at)[n] == '=')
			return *at + n + 1;
	return NULL;
}

int plan_add_env(struct plan *p, const char *text, struct err *e)
{
	size_t n = strcspn(text, "=");

	if (n == 0)
		return err_set(e, ERR_USAGE, "'%s' has no name before '='", text);
	if (text[n] == '=')
		return strv_add(&p->env, text, e);
	const char *value = plan_environment(p, text, n);
	return value ? strv_add(&p->env, value - n - 1, e) : 0;
}

int plan_note(struct plan *p, const char *key, const char *text, bool many,
	      enum plan_layer layer, const char *where, struct err *e)
{
	size_t i = many ? p->settings : 0;

	while (i < p->settings && strcmp(p->setting[i].key, key))
		i++;
	struct plan_setting *all = reallocarray(p->setting, i + 1 > p->settings ? i + 1 : p->settings,
						sizeof(*all));
	struct plan_setting new = { strdup(key), strdup(text), strdup(where), layer };
	if (all)
		p->setting = all;
	if (!all || !new.key || !new.text || !new.where) {
		free_setting(&new);
		return err_set(e, ERR_HOST, "memory is short");
	}
	if (i == p->settings)
		p->settings++;
	else
		free_setting(&all[i]);
	all[i] = new;
	return 0;
}

const char *plan_where(const struct plan *p, const char *key)
{
	const struct plan_setting *s = noted(p, key);

	return s && s->layer != LAYER_OPTION ? s->where : NULL;
}

int plan_allowed(const struct plan *p, struct err *e)
{
	const char *key = "features.code_interpreter";

	if (p->enabled && p->backend && !strcmp(p->backend, "off"))
		key = "code_interpreter.backend";
	else if (p->enabled)
		return 0;
	const struct plan_setting *s = noted(p, key);
	if (s && s->layer == LAYER_OPTION)
		return err_set(e, ERR_BACKEND, "switched off by %s=%s", s->where, s->text);
	return err_set(e, ERR_BACKEND, "switched off by %s (%s)", s ? s->where : "?", key);
}

const char *plan_limit_text(enum plan_limit l, uint64_t value, char dst[NUM_TEXT])
{
	switch (plan_limits[l].unit) {
	case UNIT_MS:
		return num_duration_text(value, dst);
	case UNIT_BYTES:
		return num_size_text(value, dst);
	default:
		snprintf(dst, NUM_TEXT, "%" PRIu64, value);
		return dst;
	}
}

const char *plan_format_word(enum plan_format f)
{
	static const char *const words[FORMATS] = { "text", "json", "ndjson" };

	return words[f];
}

bool plan_wants_results(const struct plan *p)
{
	return p->format != FORMAT_TEXT;
}
