/* SPDX-License-Identifier: Apache-2.0 */
/* What people write: numbers are wholly understood or refused, and what we print
 * of one is read as the same; of a command line every option is known and holds
 * its bounds, and written out again it means the same. */
#include "base/glob.h"
#include "base/num.h"
#include "bytes.h"
#include "options.h"
#include "plan/config.h"
#include "plan/keys.h"
#include "target.h"
#include "wire/msg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX 64
#define TEXT_MAX 4096

/* The files of the configuration are another target's. */
int config_load(struct plan *p, struct err *e)
{
	(void)p;
	(void)e;
	return 0;
}

/* "60 s" is for people; without the blank it is for us. */
static const char *without_blank(char *text)
{
	char *blank = strchr(text, ' ');

	if (blank)
		memmove(blank, blank + 1, strlen(blank));
	return text;
}

static void numbers(const char *text)
{
	char back[NUM_TEXT];
	struct err e;
	uint64_t v, w;

	if (num_size(text, 0, INT64_MAX, 1, &v, &e) == 0)
		MUST(num_size(num_size_text(v, back), 0, INT64_MAX, 1, &w, &e) == 0 && v == w);
	for (int l = 0; l < LIMITS; l++) {
		const struct plan_limit_row *row = &plan_limits[l];

		if (row->unit == UNIT_MS && num_duration(text, row->min, row->max, row->none_ok, &v, &e) == 0) {
			MUST((v >= row->min && v <= row->max) || (row->none_ok && v == NUM_NONE));
			num_duration_text(v, back);
			MUST(num_duration(without_blank(back), row->min, row->max, row->none_ok, &w, &e) == 0 &&
			     v == w);
		}
	}
	if (num_count(text, 5, 10, &v, &e) == 0)
		MUST(v >= 5 && v <= 10);
}

static void check_limits(const struct plan *p)
{
	struct plan again;
	struct err e;

	plan_init(&again);
	for (int l = 0; l < LIMITS; l++) {
		const struct plan_limit_row *row = &plan_limits[l];
		char text[NUM_TEXT];

		MUST((p->limit[l] >= row->min && p->limit[l] <= row->max) ||
		     (row->none_ok && p->limit[l] == NUM_NONE));
		plan_limit_text((enum plan_limit)l, p->limit[l], text);
		MUST(plan_set_limit(&again, (enum plan_limit)l, without_blank(text), &e) == 0);
		MUST(again.limit[l] == p->limit[l]);
	}
	plan_free(&again);
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool same_list(const struct strv *a, const struct strv *b)
{
	for (size_t i = 0; i < a->n && a->n == b->n; i++)
		if (strcmp(a->at[i], b->at[i]))
			return false;
	return a->n == b->n;
}

static void same_plan(const struct plan *a, const struct plan *b)
{
	MUST(!memcmp(a->limit, b->limit, sizeof(a->limit)));
	MUST(a->source == b->source && a->lang == b->lang && a->print_last == b->print_last &&
	     a->no_stdin == b->no_stdin && a->format == b->format && a->quiet == b->quiet &&
	     a->verbose == b->verbose && a->fresh == b->fresh && a->action == b->action &&
	     a->no_clobber == b->no_clobber && a->raw_terminal == b->raw_terminal &&
	     a->color == b->color && a->status_fd == b->status_fd);
	MUST(same_text(a->program, b->program) && same_text(a->backend, b->backend) &&
	     same_text(a->image, b->image) && same_text(a->output_dir, b->output_dir) &&
	     same_text(a->usage, b->usage) && same_text(a->manifest, b->manifest));
	MUST(same_list(&a->include, &b->include) && same_list(&a->exclude, &b->exclude));
	MUST(same_list(&a->args, &b->args) && same_list(&a->inputs, &b->inputs) && same_list(&a->env, &b->env));
	MUST(a->settings == b->settings);
}

/* The option that a note is of; a block's name of the same thing is noted. */
static const struct key *option_of(const struct plan_setting *s)
{
	for (size_t i = 0; i < keys_n; i++)
		if (key_is_option(&keys[i]) && !(keys[i].flags & KEY_CLI) &&
		    !strcmp(keys[i].name, strrchr(s->key, '.') + 1))
			return &keys[i];
	return NULL;
}

static void add(struct strv *argv, const char *word)
{
	struct err e;

	MUST(strv_add(argv, word, &e) == 0);
}

/* The command line that means P, as it was noted: only long options. */
static void write_out(const struct plan *p, struct strv *argv)
{
	char text[TEXT_MAX + 64];

	add(argv, "pai-exec");
	for (size_t i = 0; i < p->settings; i++) {
		const struct plan_setting *s = &p->setting[i];
		const struct key *k = option_of(s);

		MUST(k && s->layer == LAYER_OPTION && !strncmp(s->where, "--", 2));
		bool bare = !k->arg || (k->flags & KEY_OPTIONAL && !strcmp(p->usage, PLAN_TO_STDERR));
		snprintf(text, sizeof(text), bare ? "--%s" : "--%s=%s", k->name, s->text);
		add(argv, text);
	}
	if (p->action == PLAN_CHECK)
		add(argv, "--check");
	if (p->source == PLAN_CODE || p->source == PLAN_MODULE) {
		add(argv, p->source == PLAN_CODE ? "--code" : "--module");
		add(argv, p->program);
	}
	add(argv, "--");
	if (p->action != PLAN_CHECK && (p->source == PLAN_STDIN || p->source == PLAN_FILE))
		add(argv, p->program ? p->program : "-");
	for (size_t i = 0; i < p->args.n; i++)
		add(argv, p->args.at[i]);
}

static void command_line(char **argv, int argc)
{
	char home[] = "HOME=/h", empty[] = "EMPTY=", *variables[] = { home, empty, NULL };
	struct plan p, again;
	struct strv words = { 0 };
	struct err e = { 0 };

	plan_init(&p);
	int rc = options_parse(argc, argv, variables, &p, &e);
	MUST(rc == 0 || (e.kind && *e.msg));
	if (rc == 0 && p.action <= PLAN_CHECK) {
		check_limits(&p);
		write_out(&p, &words);
		plan_init(&again);
		MUST(options_parse((int)words.n, words.at, variables, &again, &e) == 0);
		same_plan(&p, &again);
		plan_free(&again);
		strv_free(&words);
	}
	plan_free(&p);
}

/* A glob with nothing special in it means the path that it is. */
static void globs(const char *glob, const char *path)
{
	if (!msg_path_ok(path, strlen(path)))
		return;
	bool plain = strchr(path, '/') && !strpbrk(path, "*?[\\");

	MUST(glob_match("**", path) && (!plain || glob_match(path, path)));
	if (*glob && strlen(glob) < 64)
		(void)glob_match(glob, path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[TEXT_MAX + 1], *argv[WORDS_MAX + 2] = { (char[]){ "pai-exec" } };
	int argc = 1;

	if (size > TEXT_MAX)
		return 0;
	memcpy(text, data, size);
	text[size] = 0;
	for (char *at = text; at < text + size && argc < WORDS_MAX; at += strlen(at) + 1) {
		numbers(at);
		globs(argv[argc - 1], at);
		argv[argc++] = at;
	}
	command_line(argv, argc);
	return 0;
}
