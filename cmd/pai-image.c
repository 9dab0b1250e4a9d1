/* SPDX-License-Identifier: Apache-2.0 */
/* pai-image - guest images and their templates: made, listed, whether they are in order,
 * templates made before they are needed, and what may go. */
#include "config.h"

#include "build.h"
#include "rows.h"
#include "say.h"

#include "base/fd.h"
#include "host/cgroup.h"
#include "out/quote.h"
#include "plan/config.h"
#include "plan/keys.h"
#include "run/run.h"
#include "state/known.h"
#include "state/store.h"

#include <errno.h>
#include <getopt.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MIB (1ull << 20)

struct asked {
	char **names;		/* operands, to a NULL */
	bool json;
	uint64_t cpus;
	struct build build;
};

/* A line of what goes on, for a person who waits. */
static void progress(const struct asked *rq, const char *what, const char *name)
{
	if (!rq->build.quiet && isatty(STDERR_FILENO))
		fprintf(stderr, "pai-image: %s %s …\n", what, name);
}

static int fail(const struct err *e)
{
	say(e->msg);
	return err_status(e->kind);
}

static int do_build(const struct asked *rq, struct store *s)
{
	struct err e = { 0 };

	(void)s;
	(void)build_image(&rq->build, &e);
	return fail(&e);
}

static void list_json(const struct store *s)
{
	json_t *all = json_array();

	for (size_t i = 0; i < s->images; i++) {
		const struct store_image *im = &s->image[i];

		json_array_append_new(all, json_pack("{s:o, s:o, s:b, s:b, s:s, s:I, s:I}",
			"name", quote_json(im->name, strlen(im->name)),
			"path", quote_json(im->dir, strlen(im->dir)), "good", im->good, "shadowed", im->shadowed,
			"digest", im->digest, "bytes", (json_int_t)im->bytes,
			"templates", (json_int_t)store_count(s, im->digest)));
	}
	say_json(all);
}

static int do_list(const struct asked *rq, struct store *s)
{
	int rc = 0;

	if (rq->json)
		list_json(s);
	else if (s->images > 0)
		printf("%-20s %8s %9s  %-20s %s\n", "NAME", "MIB", "TEMPLATES", "DIGEST", "PATH");
	for (size_t i = 0; i < s->images; i++) {
		const struct store_image *im = &s->image[i];

		if (!im->good)
			rc = 1;
		if (!rq->json)
			printf("%-20s %8ju %9zu  %-20.19s %s%s\n", im->name, (uintmax_t)(im->bytes / MIB),
			       store_count(s, im->digest), im->good ? im->digest : "not in order", im->dir,
			       im->shadowed ? " (another is found first)" : "");
	}
	return s->images == 0 ? 1 : rc;
}

/* 0: in order, 1: not. */
static int verify_one(const struct asked *rq, const char *name)
{
	struct image im = { 0 };
	struct err e = { 0 };

	progress(rq, "reading", name);
	if (image_find(name, &im, &e) == 0) {
		const struct {
			const char *path, *digest;
		} parts[] = { { im.rootfs, im.digest }, { im.vmlinux, im.vmlinux_digest },
			      { im.initrd, im.initrd_digest } };

		for (size_t i = 0; i < sizeof(parts) / sizeof(*parts) && !e.kind; i++) {
			char text[KNOWN_DIGEST];

			if (parts[i].path && file_digest(parts[i].path, text, &e) == 0 && strcmp(text, parts[i].digest))
				(void)err_set(&e, ERR_IMAGE, "image '%s': %s is not what image.json says",
					      name, parts[i].path);
		}
	}
	image_free(&im);
	if (e.kind)
		say(e.msg);
	else
		printf("%s: in order\n", name);
	return e.kind ? 1 : 0;
}

static int do_verify(const struct asked *rq, struct store *s)
{
	int bad = 0;

	for (char **name = rq->names; *name; name++)
		bad |= verify_one(rq, *name);
	if (*rq->names)
		return bad;
	for (size_t i = 0; i < s->images; i++)
		bad |= s->image[i].shadowed ? 0 : verify_one(rq, s->image[i].name);
	return s->images == 0 ? 1 : bad;
}

/* Fills *P by the configuration, as for --image=IMAGE; NULL: as for no such option. */
static int warm_plan(const struct asked *rq, const char *image, struct plan *p, struct err *e)
{
	p->environ = environ;
	if (config_load(p, e) < 0 ||
	    (image && key_set(p, key_find("defaults", "image"), image, LAYER_OPTION, "warm", e) < 0))
		return -1;
	p->action = PLAN_CHECK;		/* no program of a user's */
	p->fresh = false;
	p->for_all = geteuid() == 0;
	p->limit[LIMIT_CPUS] = rq->cpus;
	return plan_finish(p, e);
}

/* The template of LIST, for scripts or for cells: 0, or a status. */
static int warm_one(const struct asked *rq, const struct plan *p, const char *image, const struct preload *list,
		    bool cell)
{
	struct run_summary s = { .status = RESULT_FAILED };
	char code[] = "pass";
	struct plan one = plan_trial(p, code);

	one.cell = cell;
	one.preload = list;
	progress(rq, "template", list->name);
	(void)run_apart(&one, &s, &s.error);
	if (s.status != RESULT_OK) {
		say(s.status == RESULT_FAILED ? s.error.msg : "interrupted");
		return 125;
	}
	if (!s.clone && !s.left_template) {
		say(s.note);
		return 125;
	}
	printf("%s: template %s%s %s\n", image, list->name, cell ? " for cells" : "",
	       s.clone ? "was there" : "made");
	return 0;
}

static int warm_all(const struct asked *rq, const char *image)
{
	struct image im = { 0 };
	struct err e = { 0 };
	struct plan p;
	int status = 0;

	plan_init(&p);
	if (warm_plan(rq, image, &p, &e) < 0 || run_image(&p, &im, &e) < 0)
		status = fail(&e);
	for (size_t i = 0; status == 0 && i < 2 * p.preloads.n; i++)
		status = warm_one(rq, &p, im.name, &p.preloads.list[i / 2], i % 2);
	image_free(&im);
	plan_free(&p);
	return status;
}

static int do_warm(const struct asked *rq, struct store *s)
{
	char **name = rq->names;
	int status;

	(void)s;
	do
		status = warm_all(rq, *name);
	while (status == 0 && *name && *++name);
	return status;
}

static int do_gc(const struct asked *rq, struct store *s)
{
	size_t n = 0, left = 0;
	uint64_t bytes = 0;
	struct cgroup cg;

	(void)rq;
	for (size_t i = 0; i < s->templates; i++) {
		const struct store_template *t = &s->template[i];

		AUTO_FD held = store_is_stale(s, t) ? template_hold(t->path) : -1;
		if (!store_is_stale(s, t) || (held < 0 && errno == EWOULDBLOCK))
			continue;	/* in use, or just being made */
		template_remove(t->path);
		if (access(t->path, F_OK) == 0) {
			left++;		/* the system's, for a plain user */
			continue;
		}
		n++;
		bytes += t->bytes;
	}
	/* to make one is to take away what killed runs left */
	cgroup_make(&cg, &(struct cgroup_limits){ PLAN_MEMORY_SLACK, 1, 1000 });
	cgroup_drop(&cg);
	printf("%zu templates removed, %ju MiB\n", n, (uintmax_t)(bytes / MIB));
	size_t builds = build_sweep();
	if (builds > 0)
		printf("%zu builds that were killed removed\n", builds);
	if (left > 0)
		printf("%zu belong to root\n", left);
	return 0;
}

static int do_df(const struct asked *rq, struct store *s)
{
	uint64_t images = 0, templates = 0, stale = 0;

	for (size_t i = 0; i < s->images; i++)
		images += s->image[i].link ? 0 : s->image[i].bytes;
	for (size_t i = 0; i < s->templates; i++) {
		templates += s->template[i].bytes;
		stale += store_is_stale(s, &s->template[i]) ? s->template[i].bytes : 0;
	}
	if (rq->json)
		printf("{\"images\":{\"count\":%zu,\"bytes\":%ju},\"templates\":{\"count\":%zu,"
		       "\"bytes\":%ju,\"removable_bytes\":%ju}}\n", s->images, (uintmax_t)images,
		       s->templates, (uintmax_t)templates, (uintmax_t)stale);
	else
		printf("%-10s %6zu %8ju MiB\n%-10s %6zu %8ju MiB, %ju of them may go (pai-image gc)\n",
		       "images", s->images, (uintmax_t)(images / MIB), "templates", s->templates,
		       (uintmax_t)(templates / MIB), (uintmax_t)(stale / MIB));
	return 0;
}

enum { TAKES_JSON = 1, TAKES_CPUS = 2, TAKES_BUILD = 4 };

static const struct command {
	const char *name, *operands, *help;
	int (*run)(const struct asked *rq, struct store *s);
	bool many;		/* takes names */
	unsigned takes;
} commands[] = {
	{ "build", "[--name=NAME] ...", "make an image, with more packages", do_build, false, TAKES_BUILD },
	{ "list", "[--json]", "all images, their size and templates", do_list, false, TAKES_JSON },
	{ "verify", "[NAME]...", "read and hash them (all): 1 if not in order", do_verify, true, 0 },
	{ "warm", "[--cpus=N] [NAME]...", "make templates (root: for all users)", do_warm, true, TAKES_CPUS },
	{ "gc", "", "remove templates that nothing uses", do_gc, false, 0 },
	{ "df", "[--json]", "what images and templates take", do_df, false, TAKES_JSON },
};
#define COMMANDS (sizeof(commands) / sizeof(*commands))

static const struct row rows[] = {
	{ { "name", required_argument, NULL, 'n' }, "NAME", "of the new image (default)", TAKES_BUILD },
	{ { "include", required_argument, NULL, 'i' }, "PKG,...", "Debian packages to add (repeatable)", TAKES_BUILD },
	{ { "requirements", required_argument, NULL, 'r' }, "FILE", "Python packages to add, for pip", TAKES_BUILD },
	{ { "wheels", required_argument, NULL, 'w' }, "DIR", "add them from this folder only", TAKES_BUILD },
	{ { "cpus", required_argument, NULL, 'c' }, "N", "templates for runs with so many CPUs (1)", TAKES_CPUS },
	{ { "json", no_argument, NULL, 'j' }, NULL, "say it as JSON", TAKES_JSON },
	{ { "quiet", no_argument, NULL, 'q' }, NULL, "no progress", 0 },
	{ { "help", no_argument, NULL, 'h' }, NULL, "show this help", 0 },
	{ { "version", no_argument, NULL, 'V' }, NULL, "show the version", 0 },
};
#define ROWS (sizeof(rows) / sizeof(*rows))
#define LETTERS "q"		/* those that are short options */

static int help(void)
{
	puts("Usage: pai-image COMMAND [OPTION]... [NAME]...\n"
	     "Guest images of pai-exec and the templates made of them.\n");
	for (size_t i = 0; i < COMMANDS; i++)
		printf("  %-7s %-21s %s\n", commands[i].name, commands[i].operands, commands[i].help);
	putchar('\n');
	rows_help(rows, ROWS, LETTERS);
	puts("\nExit status: 0, 1 (not in order), 125 (an error). See pai-image(1).");
	return say_flushed(0);
}

/* For the completions: the commands, then the options; see rows_list(). */
static int list_words(void)
{
	for (size_t i = 0; i < COMMANDS; i++)
		printf("%s\t%s\t-\t%s\t%u\n", commands[i].name, *commands[i].operands ? commands[i].operands : "-",
		       commands[i].help, commands[i].takes);
	rows_list(rows, ROWS, LETTERS);
	return say_flushed(0);
}

/* One option; 0, -1, or 'h', 'V', 'L'. */
static int take_option(int got, struct asked *rq, struct err *e)
{
	const struct plan_limit_row *cpus = &plan_limits[LIMIT_CPUS];
	struct build *b = &rq->build;

	switch (got) {
	case 'j':
		rq->json = true;
		return 0;
	case 'q':
		b->quiet = true;
		return 0;
	case 'c':
		return num_count(optarg, cpus->min, cpus->max, &rq->cpus, e) < 0 ? err_in(e, "--cpus") : 0;
	case 'n':
		b->name = optarg;
		return 0;
	case 'i':
		return strv_add(&b->include, optarg, e);
	case 'r':
		b->requirements = optarg;
		return 0;
	case 'w':
		b->wheels = optarg;
		return 0;
	default:
		return got;
	}
}

/* *TAKEN is what the options are for that not all commands have. */
static int parse(int argc, char **argv, struct asked *rq, unsigned *taken, struct err *e)
{
	struct option longs[ROWS_MAX + 2];
	int got = 0;

	rows_longs(rows, ROWS, longs);
	opterr = 0;
	while (got == 0) {
		int at = optind;

		got = getopt_long(argc, argv, ":" LETTERS, longs, NULL);
		/* the word that it is about, which may have more letters to come */
		while ((got == '?' || got == ':') && (*argv[at] != '-' || !argv[at][1]))
			at++;
		if (got == ':')
			return err_set(e, ERR_USAGE, "%s: its value is missing", argv[at]);
		if (got == '?')
			return err_set(e, ERR_USAGE, "%s: unknown option, or it takes no value; "
				       "'pai-image --help' shows all", argv[at]);
		*taken |= rows_takes(rows, ROWS, got);
		if (got != -1)
			got = take_option(got, rq, e);
		else
			break;
		if (got < 0)
			return -1;
	}
	return got < 0 ? 0 : got;
}

/* An option that COMMAND has not, of those that were given. */
static int check_options(const struct command *c, unsigned taken, struct err *e)
{
	for (size_t i = 0; i < ROWS; i++)
		if (rows[i].takes & taken & ~c->takes)
			return err_set(e, ERR_USAGE, "%s: has no option --%s; 'pai-image --help' shows all",
				       c->name, rows[i].option.name);
	return 0;
}

static int obey(char **words, struct asked *rq, unsigned taken)
{
	const struct command *c = commands;
	struct store s = { 0 };
	struct err e = { 0 };

	while (c < commands + COMMANDS && (!*words || strcmp(c->name, *words)))
		c++;
	if (c == commands + COMMANDS)
		(void)err_set(&e, ERR_USAGE, "%s%s; 'pai-image --help' shows all", *words ? *words : "no command",
			      *words ? ": unknown command" : "");
	else if (!c->many && words[1])
		(void)err_set(&e, ERR_USAGE, "%s: takes no name%s", c->name,
			      c->takes & TAKES_BUILD ? "; --name=NAME says it" : "");
	else
		(void)check_options(c, taken, &e);
	if (e.kind)
		return fail(&e);
	rq->names = words + 1;
	int status = store_look(&s, &e) < 0 ? fail(&e) : c->run(rq, &s);
	store_free(&s);
	return say_flushed(status);
}

int main(int argc, char **argv)
{
	struct asked rq = { .cpus = plan_limits[LIMIT_CPUS].initial };
	struct err e = { 0 };
	unsigned open, taken = 0;

	say_program = "pai-image";
	if (fd_guard_stdio(&open) < 0)
		return 125;
	int got = parse(argc, argv, &rq, &taken, &e);
	if (got < 0)
		got = fail(&e);
	else if (got == 'h')
		got = help();
	else if (got == 'L')
		got = list_words();
	else if (got == 'V')
		got = say_flushed(puts("pai-image " PACKAGE_VERSION) < 0);
	else
		got = obey(argv + optind, &rq, taken);
	strv_free(&rq.build.include);
	return got;
}
