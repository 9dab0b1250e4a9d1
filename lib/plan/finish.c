/* SPDX-License-Identifier: Apache-2.0 */
/* finish - settings that do not go together; see plan.h. One that was asked for by an
 * option is refused; a default from elsewhere is for what it suits, and gives way. */
#include "plan/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void drop_text(char **text)
{
	free(*text);
	*text = NULL;
}

/* --NAME cannot be used here: refuses the option and says WHY, lets a default pass. */
static int give_way(const struct plan *p, const char *name, const char *why, struct err *e)
{
	char key[64];

	snprintf(key, sizeof(key), "defaults.%s", name);
	return plan_insists(p, key) ? err_set(e, ERR_USAGE, "--%s: %s", name, why) : 0;
}

/* --image goes before what the configuration names. */
static void finish_image(struct plan *p)
{
	if (plan_layer(p, "defaults.image") > plan_layer(p, "code_interpreter.gvisor_rootfs"))
		drop_text(&p->gvisor_rootfs);
	if (plan_layer(p, "defaults.image") > plan_layer(p, "code_interpreter_vm.rootfs"))
		drop_text(&p->vm_rootfs);
}

/* The standard streams that carry a tar carry nothing else. */
static int finish_tars(struct plan *p, struct err *e)
{
	size_t asked = plan_asked(p, "defaults.input", PLAN_STDIO, 1);
	int out = (int)plan_layer(p, "defaults.output-dir"), format = (int)plan_layer(p, "defaults.format");

	if (asked > 1)
		return err_set(e, ERR_USAGE, "--input: standard input cannot be read twice");
	if (asked && p->source == PLAN_STDIN)
		return err_set(e, ERR_USAGE, "--input: '-' takes standard input, so the program must "
			       "come from FILE, --code or --module");
	for (size_t i = 0; i < p->inputs.n; i++)
		p->tar_in |= p->source != PLAN_STDIN && !strcmp(p->inputs.at[i], PLAN_STDIO);
	p->tar_out = p->output_dir && !strcmp(p->output_dir, PLAN_STDIO);
	if (!p->tar_out || !plan_wants_results(p))
		return 0;
	if (out == format)
		return err_set(e, ERR_USAGE, "--output-dir: '-' takes standard output, where %s",
			       p->format == FORMAT_JSON ? "--json puts its object"
			       : "--format=ndjson puts its lines");
	p->tar_out = out > format;
	if (p->tar_out)
		p->format = FORMAT_TEXT;
	else
		drop_text(&p->output_dir);
	return 0;
}

/* How much of each stream is passed on, or lies in memory for the JSON object. */
static int finish_streams(struct plan *p, struct err *e)
{
	char why[64];

	snprintf(why, sizeof(why), "at most %lluM with --json", PLAN_CAPTURE_MAX >> 20);
	for (int l = LIMIT_MAX_STDOUT; l <= LIMIT_MAX_STDERR; l++) {
		if (p->limit[l] == 0)
			p->limit[l] = p->format == FORMAT_JSON ? PLAN_CAPTURE : NUM_NONE;
		if (p->format != FORMAT_JSON || p->limit[l] <= PLAN_CAPTURE_MAX)
			continue;
		if (give_way(p, plan_limits[l].name, why, e) < 0)
			return -1;
		p->limit[l] = PLAN_CAPTURE_MAX;
	}
	return 0;
}

int plan_finish(struct plan *p, struct err *e)
{
	uint64_t half = p->limit[LIMIT_MEMORY] / 2;

	finish_image(p);
	if (p->limit[LIMIT_DISK] == 0)
		p->limit[LIMIT_DISK] = half < 512ull << 20 ? half : 512ull << 20;
	if ((p->action == PLAN_RUN && finish_tars(p, e) < 0) || finish_streams(p, e) < 0)
		return -1;
	if (p->action != PLAN_RUN)
		return 0;
	if (p->manifest && !p->output_dir) {
		if (give_way(p, "manifest", "needs --output-dir", e) < 0)
			return -1;
		drop_text(&p->manifest);
	}
	return p->source == PLAN_FILE ? 0 : plan_suit(p, PLAN_AUTO, e);
}

/* What an option says, else what the program is, else what a default says of those that
 * do not tell, and that are not asked to be what is Python only. */
static enum plan_lang language(const struct plan *p, enum plan_lang told)
{
	bool python = plan_insists(p, "defaults.session") || plan_insists(p, "defaults.print-last") ||
		      (p->mode == PLAN_CELL && plan_insists(p, "defaults.cell"));

	if (plan_insists(p, "defaults.language"))
		return p->lang;
	if (p->source == PLAN_MODULE)
		return PLAN_PYTHON;
	if (told != PLAN_AUTO)
		return told;
	return p->lang == PLAN_SHELL && !python ? PLAN_SHELL : PLAN_PYTHON;
}

/* --NAME is for a text in Python; WHY tells it of a module and of a shell's text. */
static int python_only(const struct plan *p, const char *name, const char *const why[2], struct err *e)
{
	char file[ERR_MSG_MAX];

	if (p->source != PLAN_FILE)
		return give_way(p, name, why[p->source != PLAN_MODULE], e);
	snprintf(file, sizeof(file), "'%.400s' is a shell program", p->program);
	return give_way(p, name, file, e);
}

static int drop_pythons(struct plan *p, struct err *e)
{
	static const char *const session[2] = { "a turn is a cell of Python, and no module",
						"a turn is a cell of Python, not a shell program" };
	static const char *const cell[2] = { "a cell is Python, and no module",
					     "a cell is Python, not a shell program" };
	static const char *const last[2] = { "cannot be used with --module",
					     "a shell program has no last expression" };

	if ((p->session && python_only(p, "session", session, e) < 0) ||
	    (p->mode == PLAN_CELL && python_only(p, "cell", cell, e) < 0) ||
	    (p->print_last && python_only(p, "print-last", last, e) < 0))
		return -1;
	drop_text(&p->session);
	p->mode = PLAN_SCRIPT;
	p->print_last = false;
	return 0;
}

/* A turn of a session is a cell. */
static int finish_session(struct plan *p, struct err *e)
{
	if (p->session && p->mode == PLAN_SCRIPT && plan_insists(p, "defaults.script")) {
		if (plan_insists(p, "defaults.session"))
			return err_set(e, ERR_USAGE, "--script: a turn of a session is a cell");
		drop_text(&p->session);
	}
	if (p->session)
		p->mode = PLAN_CELL;
	return p->session ? 0 : give_way(p, "context", "names a kernel of a session: needs --session", e);
}

int plan_suit(struct plan *p, enum plan_lang told, struct err *e)
{
	p->lang = language(p, told);
	if (p->source == PLAN_MODULE && p->lang == PLAN_SHELL)
		return err_set(e, ERR_USAGE, "--module: names a Python module, not a shell program");
	if ((p->source == PLAN_MODULE || p->lang == PLAN_SHELL) && drop_pythons(p, e) < 0)
		return -1;
	if (finish_session(p, e) < 0)
		return -1;
	/* a cell is what an agent sends, a text that it has just written; a file is a program */
	p->cell = p->mode == PLAN_CELL ||
		  (p->mode == PLAN_SUITS && plan_wants_results(p) && p->source != PLAN_FILE);
	if (!p->cell)
		return 0;
	p->print_last = false;		/* it is the result anyway */
	if (plan_layer(p, "defaults.kill-after") == LAYER_BUILTIN)
		p->limit[LIMIT_KILL_AFTER] = PLAN_CELL_GRACE;
	return 0;
}

struct plan plan_trial(const struct plan *p, char *code)
{
	struct plan one = *p;

	one.source = PLAN_CODE;
	one.program = code;
	one.lang = PLAN_PYTHON;
	one.mode = PLAN_SCRIPT;
	one.cell = one.print_last = one.tar_in = one.tar_out = false;
	one.no_stdin = true;
	one.format = FORMAT_JSON;	/* what it prints is captured */
	one.limit[LIMIT_MAX_STDOUT] = one.limit[LIMIT_MAX_STDERR] = PLAN_CAPTURE;
	one.session = one.output_dir = NULL;
	one.args = one.inputs = one.env = (struct strv){ 0 };
	return one;
}
