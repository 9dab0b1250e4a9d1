/* SPDX-License-Identifier: Apache-2.0 */
/* pai-exec - run a program in a fresh sandbox: argv in, messages and status out. */
#include "config.h"

#include "options.h"

#include "base/clock.h"
#include "base/fd.h"
#include "run/run.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define SKIPS_TOLD 10		/* left-out files that get a line each */

/* One line, in one write, so that it stays whole among others'. */
static void say(const char *text)
{
	char line[ERR_MSG_MAX + 64];
	int n = snprintf(line, sizeof(line) - 1, "pai-exec: %s", text);

	if (n < 0)
		return;
	if ((size_t)n > sizeof(line) - 2)
		n = sizeof(line) - 2;
	line[n++] = '\n';
	(void)fd_write_all(STDERR_FILENO, line, (size_t)n);	/* nowhere to say it */
}

static void say_status(const struct plan *p, const struct result *r)
{
	char text[128], value[NUM_TEXT];

	switch (r->status) {
	case RESULT_TIMEOUT:
		snprintf(text, sizeof(text), "time limit of %s reached",
			 plan_limit_text(p, LIMIT_TIMEOUT, value));
		break;
	case RESULT_MEMORY:
		snprintf(text, sizeof(text), "memory limit of %s reached",
			 plan_limit_text(p, LIMIT_MEMORY, value));
		break;
	case RESULT_SIGNAL:
		snprintf(text, sizeof(text), "program killed by signal %d (SIG%s)", r->signal,
			 sigabbrev_np(r->signal) ? sigabbrev_np(r->signal) : "?");
		break;
	case RESULT_FAILED:
		say(r->error.msg);
		return;
	default:
		return;
	}
	say(text);
}

static void say_skips(const struct result *r)
{
	char text[ERR_MSG_MAX], name[300];
	size_t told = 0, more = 0;

	for (size_t i = 0; i < r->files.skips; i++) {
		const struct out_skip *s = &r->files.skip[i];

		if (s->lost && r->status == RESULT_FAILED && told + more == 0 && r->files.losses == 1)
			continue;	/* the message itself has said it */
		if (told >= SKIPS_TOLD) {
			more++;
			continue;
		}
		str_printable(name, sizeof(name), s->path, strlen(s->path));
		snprintf(text, sizeof(text), "'%s' not kept: %s", name, s->reason);
		say(text);
		told++;
	}
	if (more > 0) {
		snprintf(text, sizeof(text), "%zu more not kept", more);
		say(text);
	}
}

/* On a terminal, without -o: what was made and is gone now. */
static void say_made(const struct result *r)
{
	char text[ERR_MSG_MAX] = "made and not kept (-o DIR keeps it):", name[100];
	size_t at = strlen(text), i = 0;

	for (; i < r->files.files && at < 300; i++) {
		str_printable(name, sizeof(name), r->files.file[i].path,
			      strlen(r->files.file[i].path));
		at += (size_t)snprintf(text + at, sizeof(text) - at, " %s", name);
	}
	if (i < r->files.files)
		snprintf(text + at, sizeof(text) - at, " and %zu more", r->files.files - i);
	if (i > 0)
		say(text);
}

static void say_all(const struct plan *p, const struct result *r)
{
	say_status(p, r);
	if (p->quiet)
		return;
	for (size_t i = 0; i < r->warnings.n; i++)
		say(r->warnings.at[i]);
	for (size_t i = 0; p->verbose && i < r->notes.n; i++)
		say(r->notes.at[i]);
	if (p->output_dir)
		say_skips(r);
	else
		say_made(r);
}

/* Writes the object; a result that could not be delivered is a failure. */
static int write_json(const struct plan *p, const struct result *r)
{
	struct err e = { 0 };
	char *text = result_json(p, r, &e);

	if (text && fd_write_all(STDOUT_FILENO, text, strlen(text)) < 0)
		(void)err_sys(&e, ERR_OUTPUT, "write the result to standard output");
	free(text);
	if (!e.kind)
		return result_exit(r);
	say(e.msg);
	return err_status(e.kind);
}

/* As if we had not caught it: the caller sees that a signal ended us. */
static void die_of(int sig)
{
	struct rlimit core = { 0, 0 };
	sigset_t set;

	(void)setrlimit(RLIMIT_CORE, &core);
	(void)signal(sig, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, sig);
	(void)raise(sig);
	(void)sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static int finish(const struct plan *p, const struct result *r)
{
	int status;

	if (p->json)
		status = write_json(p, r);
	else
		status = result_exit(r);
	if (!p->json)
		say_all(p, r);
	if (r->status == RESULT_CANCELLED)
		die_of(r->cancel);
	return status;
}

static bool wants_json(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--json"))
			return true;
	return false;
}

static int show(enum options_action action)
{
	switch (action) {
	case OPTIONS_HELP:
		options_help(stdout);
		break;
	case OPTIONS_LIST:
		options_list(stdout);
		break;
	default:
		puts(PACKAGE_STRING);
		break;
	}
	if (fflush(stdout) == 0)
		return 0;
	say("write to standard output: it failed");
	return 125;
}

int main(int argc, char **argv)
{
	int64_t begin_us = clock_now_us();
	enum options_action action;
	struct result r;
	struct plan p;
	unsigned open;
	int status;

	if (fd_guard_stdio(&open) < 0)
		return 125;
	plan_init(&p);
	result_init(&r, begin_us);
	if (options_parse(argc, argv, environ, &p, &action, &r.error) < 0) {
		r.status = RESULT_FAILED;
		r.finish_us = clock_now_us();
		p.json |= wants_json(argc, argv);
		status = finish(&p, &r);
	} else if (action != OPTIONS_RUN) {
		status = show(action);
	} else {
		run(&p, begin_us, open, say, &r);
		status = finish(&p, &r);
	}
	result_free(&r);
	plan_free(&p);
	return status;
}
