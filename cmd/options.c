/* SPDX-License-Identifier: Apache-2.0 */
/* options - see options.h */
#include "options.h"

#include <getopt.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct parse {
	struct plan *plan;
	char **environ;
	enum options_action *action;
	struct err *e;
};

struct opt;
typedef int set_fn(struct parse *ps, const struct opt *o, const char *text);

struct opt {
	char letter;		/* 0: no short form */
	const char *name, *arg;	/* arg NULL: takes none */
	set_fn *set;
	size_t field;		/* of struct plan; a limit, source or action for some */
	const char *help;
};

static set_fn set_true, set_text, set_limit, set_source, set_language, add_input, add_env,
	set_action;

#define FIELD(f) offsetof(struct plan, f)
static const struct opt opts[] = {
	{ 'c', "code", "CODE", set_source, PLAN_CODE, "run this program text" },
	{ 'm', "module", "NAME", set_source, PLAN_MODULE, "run a Python module as a program" },
	{ 'l', "language", "NAME", set_language, 0, "python or shell (by FILE's suffix or #!)" },
	{ 'p', "print-last", NULL, set_true, FIELD(print_last), "print the last expression's value" },
	{ 'n', "no-stdin", NULL, set_true, FIELD(no_stdin), "give the program no standard input" },
	{ 'b', "backend", "NAME", set_text, FIELD(backend), "auto, firecracker, gvisor or off (auto)" },
	{ 't', "timeout", "TIME", set_limit, LIMIT_TIMEOUT, "end the program after TIME (60s)" },
	{ 'k', "kill-after", "TIME", set_limit, LIMIT_KILL_AFTER, "from interrupt to kill (0.5s)" },
	{ 0, "cpus", "N", set_limit, LIMIT_CPUS, "CPUs of the sandbox (1)" },
	{ 0, "memory", "SIZE", set_limit, LIMIT_MEMORY, "memory, files included (1G)" },
	{ 0, "pids", "N", set_limit, LIMIT_PIDS, "processes and threads (256)" },
	{ 0, "disk", "SIZE", set_limit, LIMIT_DISK, "files (512M, at most half of memory)" },
	{ 'i', "input", "SRC[:NAME]", add_input, 0, "copy a file or folder into /workspace" },
	{ 'o', "output-dir", "DIR", set_text, FIELD(output_dir), "keep what the program makes" },
	{ 0, "max-files", "N", set_limit, LIMIT_MAX_FILES, "keep at most N files and folders (1000)" },
	{ 0, "max-output", "SIZE", set_limit, LIMIT_MAX_OUTPUT, "keep at most SIZE bytes of files (512M)" },
	{ 'e', "env", "NAME[=VALUE]", add_env, 0, "set a variable for the program" },
	{ 0, "json", NULL, set_true, FIELD(json), "write one JSON object with the result" },
	{ 0, "check", NULL, set_action, OPTIONS_CHECK, "tell what this host can do, and why not the rest" },
	{ 0, "image", "NAME", set_text, FIELD(image), "use another guest image" },
	{ 0, "fresh", NULL, set_true, FIELD(fresh), "start cold: use and leave no template" },
	{ 'q', "quiet", NULL, set_true, FIELD(quiet), "no notes and warnings, only errors" },
	{ 'v', "verbose", NULL, set_true, FIELD(verbose), "say what is done" },
	{ 0, "help", NULL, set_action, OPTIONS_HELP, "show this help" },
	{ 0, "version", NULL, set_action, OPTIONS_VERSION, "show the version" },
	{ 0, "list-options", NULL, set_action, OPTIONS_LIST, NULL },	/* for the completions */
};
#define OPTS (sizeof(opts) / sizeof(*opts))
#define LONG_BASE 256		/* getopt's value for opts[i] is LONG_BASE + i */

static int set_true(struct parse *ps, const struct opt *o, const char *text)
{
	(void)text;
	*(bool *)((char *)ps->plan + o->field) = true;
	return 0;
}

static int set_text(struct parse *ps, const struct opt *o, const char *text)
{
	char **field = (char **)((char *)ps->plan + o->field);

	if (!*text)
		return err_set(ps->e, ERR_USAGE, "an empty %s", o->arg);
	free(*field);
	*field = strdup(text);
	return *field ? 0 : err_sys(ps->e, ERR_HOST, "memory");
}

static int set_limit(struct parse *ps, const struct opt *o, const char *text)
{
	return plan_set_limit(ps->plan, (enum plan_limit)o->field, text, ps->e);
}

static int set_source(struct parse *ps, const struct opt *o, const char *text)
{
	struct plan *p = ps->plan;

	if (p->source != PLAN_STDIN)
		return err_set(ps->e, ERR_USAGE, "there is a program already");
	if (o->field == PLAN_MODULE && !*text)
		return err_set(ps->e, ERR_USAGE, "an empty NAME");
	p->source = (enum plan_source)o->field;
	p->program = strdup(text);
	return p->program ? 0 : err_sys(ps->e, ERR_HOST, "memory");
}

static int set_language(struct parse *ps, const struct opt *o, const char *text)
{
	(void)o;
	if (strcmp(text, "python") && strcmp(text, "shell"))
		return err_set(ps->e, ERR_USAGE, "'%s' is neither python nor shell", text);
	ps->plan->lang = *text == 'p' ? PLAN_PYTHON : PLAN_SHELL;
	return 0;
}

static int add_input(struct parse *ps, const struct opt *o, const char *text)
{
	if (!*text)
		return err_set(ps->e, ERR_USAGE, "an empty %s", o->arg);
	return strv_add(&ps->plan->inputs, text, ps->e);
}

static int add_env(struct parse *ps, const struct opt *o, const char *text)
{
	(void)o;
	return plan_add_env(ps->plan, text, ps->environ, ps->e);
}

static int set_action(struct parse *ps, const struct opt *o, const char *text)
{
	(void)text;
	*ps->action = (enum options_action)o->field;
	return 0;
}

/* getopt's own tables, made of ours. */
struct getopt_tables {
	struct option longs[OPTS + 1];
	char shorts[2 + 2 * OPTS + 1];
};

static void fill_tables(struct getopt_tables *t)
{
	char *s = t->shorts;

	*t = (struct getopt_tables){ 0 };
	s = t->shorts;
	*s++ = '+';		/* options end at the first operand */
	*s++ = ':';		/* a missing argument is told apart */
	for (size_t i = 0; i < OPTS; i++) {
		t->longs[i] = (struct option){ opts[i].name, opts[i].arg ? 1 : 0, NULL,
					       LONG_BASE + (int)i };
		if (!opts[i].letter)
			continue;
		*s++ = opts[i].letter;
		if (opts[i].arg)
			*s++ = ':';
	}
}

/* The option that getopt's answer GOT means, or NULL. */
static const struct opt *find_opt(int got)
{
	for (size_t i = 0; i < OPTS; i++)
		if (got == LONG_BASE + (int)i || (opts[i].letter && got == opts[i].letter))
			return &opts[i];
	return NULL;
}

static int refuse(int got, char **argv, struct err *e)
{
	const struct opt *o = optopt ? find_opt(optopt) : NULL;
	const char *word = argv[optind - 1];
	const char *cure = "'pai-exec --help' shows all";
	size_t like = 0, n = strcspn(word, "=");

	if (got == ':' && o)
		return err_set(e, ERR_USAGE, "--%s: needs %s behind it", o->name, o->arg);
	if (optopt && o && !o->arg)
		return err_set(e, ERR_USAGE, "--%s: takes no value", o->name);
	if (optopt && !o)
		return err_set(e, ERR_USAGE, "-%c: unknown option; %s", optopt, cure);
	for (size_t i = 0; n > 2 && i < OPTS; i++)
		like += !strncmp(opts[i].name, word + 2, n - 2);
	if (like > 1)
		return err_set(e, ERR_USAGE, "%.*s: could be several options; %s", (int)n, word, cure);
	return err_set(e, ERR_USAGE, "%.*s: unknown option; %s", (int)n, word, cure);
}

/* What is left in ARGV: the program's FILE, if nothing else named it, and
 * its arguments. */
static int take_operands(char **at, struct plan *p, struct err *e)
{
	if (p->source == PLAN_STDIN && *at) {
		if (strcmp(*at, "-")) {
			p->source = PLAN_FILE;
			p->program = strdup(*at);
			if (!p->program)
				return err_sys(e, ERR_HOST, "memory");
			if (!**at)
				return err_set(e, ERR_NOT_FOUND, "'': no such file");
		}
		at++;
	}
	for (; *at; at++) {
		if (p->args.n >= PLAN_ARGS_MAX)
			return err_set(e, ERR_USAGE, "more than %u arguments", PLAN_ARGS_MAX);
		if (strv_add(&p->args, *at, e) < 0)
			return -1;
	}
	return 0;
}

int options_parse(int argc, char **argv, char **environ, struct plan *p,
		  enum options_action *action, struct err *e)
{
	struct parse ps = { .plan = p, .environ = environ, .action = action, .e = e };
	struct getopt_tables t;
	int got;

	*action = OPTIONS_RUN;
	fill_tables(&t);
	opterr = 0;
	optind = 1;
	while ((got = getopt_long(argc, argv, t.shorts, t.longs, NULL)) != -1) {
		const struct opt *o = got == '?' || got == ':' ? NULL : find_opt(got);

		if (!o)
			return refuse(got, argv, e);
		if (o->set(&ps, o, optarg) < 0)
			return err_in(e, "--%s", o->name);
		if (*action > OPTIONS_CHECK)
			return 0;
	}
	if (*action == OPTIONS_CHECK && (argv[optind] || p->source != PLAN_STDIN))
		return err_set(e, ERR_USAGE, "--check: takes no program");
	if (take_operands(argv + optind, p, e) < 0)
		return -1;
	return plan_finish(p, e);
}

void options_help(FILE *to)
{
	fputs("Usage: pai-exec [OPTION]... [FILE|-] [ARG]...\n"
	      "       pai-exec [OPTION]... -c CODE | -m MODULE [ARG]...\n"
	      "       pai-exec --check [--json]\n"
	      "Run a Python or shell program in a fresh sandbox without network.\n\n", to);
	for (size_t i = 0; i < OPTS; i++) {
		char left[40];

		if (!opts[i].help)
			continue;
		snprintf(left, sizeof(left), "%c%c%c --%s%s%s", opts[i].letter ? '-' : ' ',
			 opts[i].letter ? opts[i].letter : ' ', opts[i].letter ? ',' : ' ',
			 opts[i].name, opts[i].arg ? "=" : "", opts[i].arg ? opts[i].arg : "");
		fprintf(to, "  %-28s %s\n", left, opts[i].help);
	}
	fputs("\nThe program's own exit status is passed on; 124 is the time limit, 125 an\n"
	      "error of pai-exec, 137 the memory limit. See pai-exec(1).\n", to);
}

void options_list(FILE *to)
{
	for (size_t i = 0; i < OPTS; i++)
		if (opts[i].help)
			fprintf(to, "--%s\t%s\t%c\t%s\n", opts[i].name,
				opts[i].arg ? opts[i].arg : "-", opts[i].letter ? opts[i].letter : '-',
				opts[i].help);
}
