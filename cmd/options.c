/* SPDX-License-Identifier: Apache-2.0 */
/* options - see options.h */
#include "options.h"

#include "base/str.h"
#include "base/trace.h"
#include "plan/config.h"
#include "plan/keys.h"

#include <assert.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#define LONG_BASE 256		/* getopt's value for keys[i] is LONG_BASE + i */
#define KEYS_MAX 96

/* getopt's own tables, made of ours. */
struct getopt_tables {
	struct option longs[KEYS_MAX + 1];
	char shorts[2 + 2 * KEYS_MAX + 1];
};

static void fill_tables(struct getopt_tables *t)
{
	struct option *l = t->longs;
	char *s = t->shorts;

	assert(keys_n <= KEYS_MAX);
	*t = (struct getopt_tables){ 0 };
	*s++ = '+';		/* options end at the first operand */
	*s++ = ':';		/* a missing argument is told apart */
	for (size_t i = 0; i < keys_n; i++) {
		if (!key_is_option(&keys[i]))
			continue;
		*l++ = (struct option){
			keys[i].name, !keys[i].arg ? no_argument : keys[i].flags & KEY_OPTIONAL
			? optional_argument : required_argument, NULL, LONG_BASE + (int)i };
		if (!keys[i].letter)
			continue;
		*s++ = keys[i].letter;
		if (keys[i].arg)
			*s++ = ':';
	}
}

/* The option that getopt's answer GOT means, or NULL. */
static const struct key *find_option(int got)
{
	for (size_t i = 0; i < keys_n; i++)
		if (got == LONG_BASE + (int)i || (keys[i].letter && got == keys[i].letter))
			return &keys[i];
	return NULL;
}

#define CURE "'pai-exec --help' shows all"

/* getopt knows bytes. The first one of a character is not the last of its word, so that
 * is the one that getopt is at. */
static int unknown_letter(char letter, char **argv, struct err *e)
{
	const char *at = argv[optind] ? strchr(argv[optind], letter) : NULL;
	size_t n = at ? str_utf8((const uint8_t *)at, strlen(at)) : 0;

	return n > 1 ? err_set(e, ERR_USAGE, "-%.*s: unknown option; " CURE, (int)n, at)
		     : err_set(e, ERR_USAGE, "-%c: unknown option; " CURE, letter);
}

static int refuse(int got, char **argv, struct err *e)
{
	const struct key *k = optopt ? find_option(optopt) : NULL;
	const char *word = argv[optind - 1];
	size_t like = 0, n = strcspn(word, "=");

	if (got == ':' && k)
		return err_set(e, ERR_USAGE, "--%s: needs %s behind it", k->name, k->arg);
	if (optopt && k && !k->arg)
		return err_set(e, ERR_USAGE, "--%s: takes no value", k->name);
	if (optopt && !k)
		return unknown_letter((char)optopt, argv, e);
	for (size_t i = 0; n > 2 && i < keys_n; i++)
		like += key_is_option(&keys[i]) && !strncmp(keys[i].name, word + 2, n - 2);
	if (like > 1)
		return err_set(e, ERR_USAGE, "%.*s: could be several options; " CURE, (int)n, word);
	return err_set(e, ERR_USAGE, "%.*s: unknown option; " CURE, (int)n, word);
}

/* What ARGV holds of options, in its order: the configuration, whose place an
 * option may name, comes before all of them. */
struct given {
	const struct key *key;
	const char *text;
};

/* Fills GIVEN (as many as ARGV has letters at most) and *N. */
static int read_options(int argc, char **argv, struct given *given, size_t *n, struct err *e)
{
	struct getopt_tables t;
	int got;

	fill_tables(&t);
	opterr = 0;
	optind = 0;		/* glibc's word for: forget where the last one was left */
	while ((got = getopt_long(argc, argv, t.shorts, t.longs, NULL)) != -1) {
		const struct key *k = got == '?' || got == ':' ? NULL : find_option(got);

		if (!k)
			return refuse(got, argv, e);
		given[(*n)++] = (struct given){ k, optarg };
	}
	return 0;
}

static int set_option(struct plan *p, const struct given *g, struct err *e)
{
	char where[KEY_PATH];

	snprintf(where, sizeof(where), "--%s", g->key->name);
	if (key_set(p, g->key, g->text, LAYER_OPTION, where, e) < 0)
		return err_in(e, "%s", where);
	return 0;
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

/* The options GIVEN, with the configuration beneath them. */
static int set_all(struct plan *p, const struct given *given, size_t n, struct err *e)
{
	for (size_t i = 0; i < n && p->action == PLAN_RUN; i++)
		if (given[i].key->flags & KEY_EARLY && set_option(p, &given[i], e) < 0)
			return -1;
	if (p->action != PLAN_RUN)
		return 0;
	if (config_load(p, e) < 0)
		return -1;
	trace("configuration read");
	for (size_t i = 0; i < n; i++)
		if (set_option(p, &given[i], e) < 0)
			return -1;
	return 0;
}

int options_parse(int argc, char **argv, char **environ, struct plan *p, struct err *e)
{
	size_t most = 0, n = 0;

	for (int i = 1; i < argc; i++)		/* -abc may be three */
		most += strlen(argv[i]);
	struct given *given = calloc(most + 1, sizeof(*given));
	if (!given)
		return err_sys(e, ERR_HOST, "memory");
	p->environ = environ;
	int rc = read_options(argc, argv, given, &n, e);
	if (rc == 0)
		rc = set_all(p, given, n, e);
	free(given);
	if (rc < 0 || p->action > PLAN_CHECK)
		return rc;
	if (p->action == PLAN_CHECK && (argv[optind] || p->source != PLAN_STDIN))
		return err_set(e, ERR_USAGE, "--check: takes no program");
	if (take_operands(argv + optind, p, e) < 0)
		return -1;
	return plan_finish(p, e);
}

/* Rows of keys[] that share a line of --help, so that all fits a screen of 80 x 40: two
 * by two: the first one's name, what they do. */
static const struct joint {
	const char *first;
	const char *help;
} joints[] = {
	{ "code", "run this text, or this module" },
	{ "cell", "as a notebook's cell, or as python3" },
	{ "cpus", "CPUs (1), memory with files (1G)" },
	{ "pids", "processes (256), files (512M)" },
	{ "include", "keep only, keep nothing of these" },
	{ "no-clobber", "replace no file; list what is kept" },
	{ "max-files", "keep so many (1000), so much (512M)" },
	{ "session-dir", "where sessions lie; kernel (main)" },
	{ "lock-wait", "when in use (60s); for rewind (2)" },
	{ "json", "the outcome as json, ndjson (text)" },
	{ "max-stdout", "cut it there (none; json 10M)" },
	{ "raw-terminal", "control sequences pass; colours" },
	{ "status-fd", "a line of status; of time, memory" },
	{ "config", "more configuration; another image" },
	{ "quiet", "only errors; say what is done" },
	{ "help", "show this help; the version" },
};

static const struct joint *joint_of(const struct key *k)
{
	for (size_t i = 0; i < sizeof(joints) / sizeof(*joints); i++)
		if (!strcmp(joints[i].first, k->name))
			return &joints[i];
	return NULL;
}

/* "-t, --timeout=TIME", without the blanks that stand for a letter if it is not FIRST. */
static size_t put_option(char *to, size_t size, const struct key *k, bool first)
{
	char letter[8] = "    ";

	if (k->letter)
		snprintf(letter, sizeof(letter), "-%c, ", k->letter);
	return (size_t)snprintf(to, size, "%s%s--%s%s%s%s", first ? "" : ", ", first || k->letter ? letter : "",
				k->name, !k->arg ? "" : k->flags & KEY_OPTIONAL ? "[=" : "=", k->arg ? k->arg : "",
				k->flags & KEY_OPTIONAL ? "]" : "");
}

void options_help(FILE *to)
{
	fputs("Usage: pai-exec [OPTION]... [FILE|-] [ARG]...\n"
	      "       pai-exec [OPTION]... -c CODE | -m MODULE [ARG]...\n"
	      "       pai-exec --session=NAME [OPTION]... [FILE|-] [ARG]...\n"
	      "       pai-exec --check [--json]\n"
	      "Run a Python or shell program in a fresh sandbox without network.\n\n", to);
	for (size_t i = 0; i < keys_n; i++) {
		const struct joint *j = joint_of(&keys[i]);
		const char *help = j ? j->help : keys[i].help;
		char left[80];
		size_t n = 0;

		if (!keys[i].help)
			continue;
		for (size_t k = 0; k < (j ? 2 : 1); k++)
			n += put_option(left + n, sizeof(left) - n, &keys[i + k], k == 0);
		i += j != NULL;
		fprintf(to, "  %-*s %s\n", j ? 42 : 27, left, help);
	}
	fputs("\nThe program's own exit status is passed on; 124 is the time limit, 125 an\n"
	      "error of pai-exec, 137 the memory limit. See pai-exec(1).\n", to);
}

void options_list(FILE *to)
{
	for (size_t i = 0; i < keys_n; i++)
		if (keys[i].help)
			fprintf(to, "--%s\t%s%s%s\t%c\t%s\n", keys[i].name, keys[i].flags & KEY_OPTIONAL ? "=" : "",
				keys[i].arg ? keys[i].arg : "-", keys[i].flags & KEY_MANY ? "..." : "",
				keys[i].letter ? keys[i].letter : '-', keys[i].help);
}

void options_list_keys(FILE *to)
{
	char path[KEY_PATH], variable[KEY_PATH];

	for (size_t i = 0; i < keys_n; i++)
		if (!(keys[i].flags & KEY_CLI))
			fprintf(to, "%s\t%s\t%s\n", key_path(&keys[i], path),
				keys[i].arg ? keys[i].arg : "true", key_variable(&keys[i], variable));
}
