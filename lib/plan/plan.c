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
	*p = (struct plan){ .source = PLAN_STDIN, .enabled = true, .status_fd = PLAN_NO_FD, .boot_ms = PLAN_BOOT_MS,
			    .probe_ms = PLAN_PROBE_MS, .lock_wait_ms = PLAN_LOCK_WAIT_MS,
			    .keep_turns = PLAN_KEEP_TURNS };
	for (int l = 0; l < LIMITS; l++)
		p->limit[l] = plan_limits[l].initial;
	preloads_init(&p->preloads);
}

static enum plan_layer layer_of(const struct plan *p, const char *key)
{
	const struct plan_setting *s = plan_noted(p, key);

	return s ? s->layer : LAYER_BUILTIN;
}

bool plan_insists(const struct plan *p, const char *key)
{
	return layer_of(p, key) == LAYER_OPTION;
}

static void drop_text(char **text)
{
	free(*text);
	*text = NULL;
}

/* A default is for the programs that it suits; only an option insists. */
static void drop_unsuited(struct plan *p)
{
	if (p->source == PLAN_MODULE && layer_of(p, "defaults.language") < LAYER_OPTION)
		p->lang = PLAN_AUTO;
	if ((p->source == PLAN_MODULE || plan_language(p) == PLAN_SHELL) &&
	    layer_of(p, "defaults.print-last") < LAYER_OPTION)
		p->print_last = false;
	if (!p->output_dir && layer_of(p, "defaults.manifest") < LAYER_OPTION)
		drop_text(&p->manifest);
	/* --image goes before what the configuration names */
	if (layer_of(p, "defaults.image") > layer_of(p, "code_interpreter.gvisor_rootfs"))
		drop_text(&p->gvisor_rootfs);
	if (layer_of(p, "defaults.image") > layer_of(p, "code_interpreter_vm.rootfs"))
		drop_text(&p->vm_rootfs);
}

/* How much of each stream is passed on, or lies in memory for the JSON object. */
static int finish_streams(struct plan *p, struct err *e)
{
	for (int l = LIMIT_MAX_STDOUT; l <= LIMIT_MAX_STDERR; l++) {
		if (p->limit[l] == 0)
			p->limit[l] = p->format == FORMAT_JSON ? PLAN_CAPTURE : NUM_NONE;
		if (p->format == FORMAT_JSON && p->limit[l] > PLAN_CAPTURE_MAX)
			return err_set(e, ERR_USAGE, "--%s: at most %lluM with --json",
				       plan_limits[l].name, PLAN_CAPTURE_MAX >> 20);
	}
	return 0;
}

/* The standard streams that carry a tar carry nothing else. */
static int finish_tars(struct plan *p, struct err *e)
{
	p->tar_in = false;
	for (size_t i = 0; i < p->inputs.n; i++) {
		if (strcmp(p->inputs.at[i], PLAN_STDIO))
			continue;
		if (p->tar_in)
			return err_set(e, ERR_USAGE, "--input: standard input cannot be read twice");
		p->tar_in = true;
	}
	p->tar_out = p->output_dir && !strcmp(p->output_dir, PLAN_STDIO);
	if (p->tar_in && p->source == PLAN_STDIN)
		return err_set(e, ERR_USAGE, "--input: '-' takes standard input, so the program must "
			       "come from FILE, --code or --module");
	if (p->tar_out && layer_of(p, "defaults.format") < layer_of(p, "defaults.output-dir"))
		p->format = FORMAT_TEXT;
	if (p->tar_out && plan_wants_results(p))
		return err_set(e, ERR_USAGE, "--output-dir: '-' takes standard output, where %s",
			       p->format == FORMAT_JSON ? "--json puts its object"
			       : "--format=ndjson puts its lines");
	return 0;
}

/* A turn of a session is a cell. */
static int finish_session(struct plan *p, bool python, struct err *e)
{
	if (!p->session)
		return !plan_insists(p, "defaults.context") ? 0 : err_set(
			e, ERR_USAGE, "--context: names a kernel of a session: needs --session");
	if (p->mode == PLAN_SCRIPT && plan_insists(p, "defaults.script"))
		return err_set(e, ERR_USAGE, "--script: a turn of a session is a cell");
	if (!python)
		return err_set(e, ERR_USAGE, "--session: a turn is a cell of Python, %s",
			       p->source == PLAN_MODULE ? "and no module" : "not a shell program");
	p->mode = PLAN_CELL;
	return 0;
}

/* A cell or a script? A cell is what an agent sends, a text that it has just written;
 * a file is a program. */
static int finish_mode(struct plan *p, struct err *e)
{
	bool python = plan_language(p) == PLAN_PYTHON && p->source != PLAN_MODULE;
	bool text = p->source == PLAN_CODE || p->source == PLAN_STDIN;

	if (finish_session(p, python, e) < 0)
		return -1;
	if (p->mode == PLAN_CELL && !python && layer_of(p, "defaults.cell") == LAYER_OPTION)
		return err_set(e, ERR_USAGE, "--cell: a cell is Python, and no module");
	p->cell = python && (p->mode == PLAN_CELL || (p->mode == PLAN_SUITS && plan_wants_results(p) && text));
	if (!p->cell)
		return 0;
	p->print_last = false;		/* it is the result anyway */
	if (layer_of(p, "defaults.kill-after") == LAYER_BUILTIN)
		p->limit[LIMIT_KILL_AFTER] = PLAN_CELL_GRACE;
	return 0;
}

int plan_finish(struct plan *p, struct err *e)
{
	uint64_t half = p->limit[LIMIT_MEMORY] / 2;

	drop_unsuited(p);
	if (p->limit[LIMIT_DISK] == 0)
		p->limit[LIMIT_DISK] = half < 512ull << 20 ? half : 512ull << 20;
	if (finish_tars(p, e) < 0 || finish_streams(p, e) < 0)
		return -1;
	if (finish_mode(p, e) < 0)
		return -1;
	if (p->manifest && !p->output_dir)
		return err_set(e, ERR_USAGE, "--manifest: needs --output-dir");
	if (p->print_last && plan_language(p) == PLAN_SHELL)
		return err_set(e, ERR_USAGE, "--print-last: a shell program has no last expression");
	if (p->print_last && p->source == PLAN_MODULE)
		return err_set(e, ERR_USAGE, "--print-last: cannot be used with --module");
	if (p->source == PLAN_MODULE && p->lang == PLAN_SHELL)
		return err_set(e, ERR_USAGE, "--module: names a Python module, not a shell program");
	return 0;
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
		&p->session, &p->session_dir, &p->context, &p->program, &p->backend, &p->image, &p->output_dir, &p->manifest, &p->usage, &p->config, &p->runsc_bin,
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

const struct plan_setting *plan_noted(const struct plan *p, const char *key)
{
	for (size_t i = p->settings; i-- > 0;)
		if (!strcmp(p->setting[i].key, key))
			return &p->setting[i];
	return NULL;
}

int plan_allowed(const struct plan *p, struct err *e)
{
	const char *key = "features.code_interpreter";

	if (p->enabled && p->backend && !strcmp(p->backend, "off"))
		key = "code_interpreter.backend";
	else if (p->enabled)
		return 0;
	const struct plan_setting *s = plan_noted(p, key);
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

enum plan_lang plan_language(const struct plan *p)
{
	size_t n = p->program ? strlen(p->program) : 0;

	if (p->lang != PLAN_AUTO)
		return p->lang;
	if (p->source == PLAN_FILE && n > 3 && !strcmp(p->program + n - 3, ".sh"))
		return PLAN_SHELL;
	return PLAN_PYTHON;
}
