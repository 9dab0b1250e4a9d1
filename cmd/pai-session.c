/* SPDX-License-Identifier: Apache-2.0 */
/* pai-session - sessions of pai-exec between their turns: what there is, branches, the
 * way back, files in and out. It starts nothing, and reads but plain files. */
#include "config.h"

#include "request.h"
#include "rows.h"
#include "say.h"

#include "base/fd.h"
#include "base/num.h"
#include "plan/config.h"
#include "plan/keys.h"
#include "state/sessions.h"
#include "state/turns.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define OLDER_MAX_MS (36500ull * 86400 * 1000)	/* a hundred years */

static int locked(const struct request *rq, const char *name, struct session *s, struct err *e)
{
	return session_enter(s, rq->folder, name, SESSION_CHANGE, rq->wait_ms, -1, e);
}

static int do_fork(const struct request *rq, struct err *e)
{
	struct session s;

	/* its name first: the other may have to be waited for */
	if (session_check_name("session", rq->names[1], e) < 0 ||
	    session_open(&s, rq->folder, rq->names[0], SESSION_CHANGE, rq->wait_ms, -1, e) < 0)
		return -1;
	int rc = sessions_fork(&s, rq->names[1], e);
	if (rc == 0 && rq->json)
		say_json(json_pack("{s:s, s:I, s:s}", "name", rq->names[1], "turn", (json_int_t)s.turn,
					"from", rq->names[0]));
	session_close(&s);
	return rc;
}

static int do_rewind(const struct request *rq, struct err *e)
{
	struct session s;
	uint64_t turn = 0;

	if (rq->names[1] && num_count(rq->names[1], 1, SESSION_TURN_MAX, &turn, e) < 0)
		return err_in(e, "TURN");
	if (locked(rq, rq->names[0], &s, e) < 0)
		return -1;
	int rc = sessions_rewind(&s, turn, e);
	if (rc == 0 && rq->json)
		say_json(json_pack("{s:s, s:I}", "name", s.name, "turn", (json_int_t)s.turn));
	else if (rc == 0)
		printf("%s: turn %" PRIu64 "\n", s.name, s.turn);
	session_close(&s);
	return rc;
}

static int remove_one(const struct request *rq, const char *name, uint64_t wait_ms, struct err *e)
{
	struct session s;

	if (session_enter(&s, rq->folder, name, SESSION_CHANGE, wait_ms, -1, e) < 0)
		return -1;
	int rc = sessions_remove(&s, e);
	session_close(&s);
	return rc;
}

/* All that can be removed are; the first that cannot is told last. */
static int do_rm(const struct request *rq, struct err *e)
{
	json_t *removed = json_array();

	for (char **name = rq->names; *name; name++) {
		struct err why = { 0 };

		if (remove_one(rq, *name, rq->wait_ms, &why) == 0) {
			json_array_append_new(removed, json_string(*name));
			continue;
		}
		if (e->kind)
			say(why.msg);
		else
			*e = why;
	}
	if (rq->json)
		say_json(json_pack("{s:O}", "removed", removed));
	json_decref(removed);
	return e->kind ? -1 : 0;
}

/* One that is in use just now is not old. */
static bool prune_one(const struct request *rq, const struct sessions_row *r, struct err *e)
{
	struct err why = { 0 };

	if (rq->dry_run || remove_one(rq, r->name, 0, &why) == 0)
		return true;
	if (why.kind == ERR_BUSY || why.kind == ERR_NOT_FOUND)
		return false;
	if (e->kind)
		say(why.msg);
	else
		*e = why;
	return false;
}

static int do_prune(const struct request *rq, struct err *e)
{
	struct sessions all = { 0 };
	int64_t before = (int64_t)time(NULL) - (int64_t)(rq->older_ms / 1000);
	json_t *removed = json_array();
	uint64_t bytes = 0;

	if (rq->there && !rq->dry_run)
		sessions_sweep(rq->folder);
	if (rq->there && sessions_list(rq->folder, &all, e) < 0) {
		json_decref(removed);
		return -1;
	}
	for (size_t i = 0; i < all.n; i++) {
		const struct sessions_row *r = &all.at[i];

		/* what could not even be looked at has no age: list tells of it */
		if (r->used_s == 0 || r->used_s > before || !prune_one(rq, r, e))
			continue;
		json_array_append_new(removed, json_string(r->name));
		bytes += r->bytes;
		if (!rq->json)
			printf("%s%s\n", r->name, rq->dry_run ? ": would be removed" : ": removed");
	}
	if (rq->json)
		say_json(json_pack("{s:O, s:I, s:b}", "removed", removed, "bytes", (json_int_t)bytes,
					"dry_run", rq->dry_run));
	json_decref(removed);
	sessions_free(&all);
	return e->kind ? -1 : 0;
}

enum {				/* options that only some commands have */
	TAKES_OLDER = 1, TAKES_OUTPUT = 2,
};

static const struct command {
	const char *name, *operands, *help;
	int (*run)(const struct request *rq, struct err *e);
	size_t least, most;	/* operands */
	unsigned takes;
	bool makes;		/* the folder of all sessions may be missing: it is made … */
	bool empty;		/* … or then there are none */
} commands[] = {
	{ "list", "", "all sessions, their size and last use", tell_list, 0, 0, 0, false, true },
	{ "show", "NAME", "what it is, its turns and files", tell_show, 1, 1, 0, false, false },
	{ "log", "NAME", "a line for each turn", tell_log, 1, 1, 0, false, false },
	{ "fork", "NAME NEW", "a new session that starts where NAME is", do_fork, 2, 2, 0, false, false },
	{ "rewind", "NAME [TURN]", "back to TURN (the one before the last)", do_rewind, 1, 2, 0, false, false },
	{ "rm", "NAME...", "remove sessions", do_rm, 1, SIZE_MAX, 0, false, false },
	{ "prune", "--older=TIME [--dry-run]", "remove what was not used for TIME", do_prune, 0, 0, TAKES_OLDER, false, true },
	{ "put", "NAME SRC[:NAME]...", "files for the next turn (-:NAME: stdin)", carry_put, 2, SIZE_MAX, 0, true, false },
	{ "get", "NAME PATH... [-o TO]", "files of /workspace, into the current folder", carry_get, 2, SIZE_MAX,
	  TAKES_OUTPUT, false, false },
};
#define COMMANDS (sizeof(commands) / sizeof(*commands))

static const struct row rows[] = {
	{ { "json", no_argument, NULL, 'j' }, NULL, "say it as JSON", 0 },
	{ { "session-dir", required_argument, NULL, 'd' }, "DIR", "where sessions lie (the user's state folder)", 0 },
	{ { "lock-wait", required_argument, NULL, 'w' }, "TIME", "wait for a session in use (60s)", 0 },
	{ { "output", required_argument, NULL, 'o' }, "TO", "a folder, a file, or -: standard output", TAKES_OUTPUT },
	{ { "older", required_argument, NULL, 'O' }, "TIME", "not used for so long (30d, 12h)", TAKES_OLDER },
	{ { "dry-run", no_argument, NULL, 'D' }, NULL, "only tell which", TAKES_OLDER },
	{ { "help", no_argument, NULL, 'h' }, NULL, "show this help", 0 },
	{ { "version", no_argument, NULL, 'V' }, NULL, "show the version", 0 },
};
#define ROWS (sizeof(rows) / sizeof(*rows))
#define LETTERS "o"		/* those that are short options */

static int help(void)
{
	puts("Usage: pai-session COMMAND [OPTION]... [NAME]...\n"
	     "Sessions of pai-exec (pai-exec --session=NAME) between their turns.\n");
	for (size_t i = 0; i < COMMANDS; i++)
		printf("  %-6s %-24s %s\n", commands[i].name, commands[i].operands, commands[i].help);
	putchar('\n');
	rows_help(rows, ROWS, LETTERS);
	puts("\nExit status: 0, 1 (no such session, turn or file), 125 (an error). See pai-session(1).");
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

/* An option that pai-exec has as well, if it was given: the configuration is in *P. */
static int set_key(struct plan *p, const char *name, const char *text, struct err *e)
{
	const struct key *k = key_find("defaults", name);
	char where[KEY_PATH];

	if (!text)
		return 0;
	snprintf(where, sizeof(where), "--%s", name);
	return key_set(p, k, text, LAYER_OPTION, where, e) < 0 ? err_in(e, "%s", where) : 0;
}

static int set_older(struct request *rq, const char *text, struct err *e)
{
	return num_duration(text, 0, OLDER_MAX_MS, false, &rq->older_ms, e) == 0 ? 0
		: err_set(e, ERR_USAGE, "--older: '%s' is not a time up to 36500d (as in 30d, 12h, 90m)", text);
}

struct given {			/* what counts after the configuration, and what for */
	const char *dir, *wait;
	unsigned taken;		/* options that not all commands have */
};

/* One option; 0, -1, or 'h', 'V', 'L'. */
static int take_option(int got, struct request *rq, struct given *given, struct err *e)
{
	given->taken |= rows_takes(rows, ROWS, got);
	switch (got) {
	case 'j':
		rq->json = true;
		return 0;
	case 'D':
		rq->dry_run = true;
		return 0;
	case 'o':
		rq->output = optarg;
		return *optarg ? 0 : err_set(e, ERR_USAGE, "--output: an empty name");
	case 'O':
		return set_older(rq, optarg, e);
	case 'd':
		given->dir = optarg;
		return 0;
	case 'w':
		given->wait = optarg;
		return 0;
	default:
		return got;
	}
}

/* Operands go to WORDS, in their order: options may stand between them, and "-:NAME" is
 * none. */
static int parse(int argc, char **argv, char **words, struct request *rq, struct given *given, struct err *e)
{
	struct option longs[ROWS_MAX + 2];
	int got = 0;

	rows_longs(rows, ROWS, longs);
	opterr = 0;
	while (got == 0) {
		int at = optind;

		if (at < argc && !strncmp(argv[at], "-:", 2)) {
			*words++ = argv[optind++];
			continue;
		}
		got = getopt_long(argc, argv, "-:" LETTERS ":", longs, NULL);
		if (got == ':')
			return err_set(e, ERR_USAGE, "%s: needs a value behind it", argv[at]);
		if (got == '?')
			return err_set(e, ERR_USAGE, "%s: unknown option, or it takes no value; "
				       "'pai-session --help' shows all", argv[at]);
		if (got == 1)
			*words++ = optarg;
		if (got != -1)
			got = got == 1 ? 0 : take_option(got, rq, given, e);
	}
	while (got == -1 && !e->kind && optind < argc)
		*words++ = argv[optind++];
	return e->kind ? -1 : got == -1 ? 0 : got;
}

static int check(const struct command *c, const struct request *rq, unsigned taken, struct err *e)
{
	if (taken & ~c->takes)
		return err_set(e, ERR_USAGE, "%s: --%s", c->name, taken & ~c->takes & TAKES_OUTPUT
			       ? "output is an option of get" : "older and --dry-run are options of prune");
	if (rq->n < c->least || rq->n > c->most)
		return err_set(e, ERR_USAGE, "%s: %s operands; usage: pai-session %s%s%s", c->name,
			       rq->n < c->least ? "too few" : "too many", c->name, *c->operands ? " " : "",
			       c->operands);
	if (c->takes & TAKES_OLDER && rq->older_ms == NUM_NONE)
		return err_set(e, ERR_USAGE, "%s: needs --older=TIME", c->name);
	/* a name that can be none is an error of its own, whether or not anything is there */
	for (size_t i = 0; i < rq->n && (i < 1 || c->run == do_rm); i++)
		if (session_check_name("session", rq->names[i], e) < 0)
			return -1;
	return 0;
}

static int obey(struct request *rq, struct plan *p, char **words, const struct given *given, struct err *e)
{
	const struct command *c = commands;

	while (c < commands + COMMANDS && (!*words || strcmp(c->name, *words)))
		c++;
	if (c == commands + COMMANDS)
		return err_set(e, ERR_USAGE, "%s%s; 'pai-session --help' shows all", *words ? *words : "no command",
			       *words ? ": unknown command" : "");
	rq->names = words + 1;
	while (rq->names[rq->n])
		rq->n++;
	if (check(c, rq, given->taken, e) < 0 || config_load(p, e) < 0 ||
	    set_key(p, "session-dir", given->dir, e) < 0 || set_key(p, "lock-wait", given->wait, e) < 0)
		return -1;
	rq->wait_ms = p->lock_wait_ms;
	rq->there = session_folder(p->session_dir, c->makes, rq->folder, e) == 0;
	if (!rq->there && !(e->kind == ERR_NOT_FOUND && c->empty))
		return -1;
	*e = (struct err){ 0 };
	return c->run(rq, e);
}

int main(int argc, char **argv)
{
	struct request rq = { .older_ms = NUM_NONE };
	struct err e = { 0 };
	struct given given = { 0 };
	struct plan p;
	unsigned open;

	say_program = "pai-session";
	if (fd_guard_stdio(&open) < 0)
		return 125;
	char **words = calloc((size_t)argc + 1, sizeof(*words));
	int got = words ? parse(argc, argv, words, &rq, &given, &e) : err_sys(&e, ERR_HOST, "memory");
	if (got > 0) {
		free(words);
		return got == 'h' ? help() : got == 'L' ? list_words()
		     : say_flushed(puts("pai-session " PACKAGE_VERSION) < 0);
	}
	plan_init(&p);
	p.environ = environ;
	if (got < 0 || obey(&rq, &p, words, &given, &e) < 0) {
		say(e.msg);
		got = e.kind == ERR_NOT_FOUND ? 1 : 125;
	}
	plan_free(&p);
	free(words);
	return say_flushed(got);
}
