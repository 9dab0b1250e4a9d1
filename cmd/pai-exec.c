/* SPDX-License-Identifier: Apache-2.0 */
/* pai-exec - run a program in a fresh sandbox: argv in, messages and status out. */
#include "config.h"

#include "account.h"
#include "check.h"
#include "options.h"
#include "say.h"

#include "base/clock.h"
#include "base/fd.h"
#include "base/trace.h"
#include "out/lines.h"
#include "out/object.h"
#include "run/run.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define STACK_LEAST (1u << 20)	/* folders in folders, 64 deep, take most of it */

static int write_object(const struct plan *p, struct result *r, struct err *e)
{
	struct buf text = { 0 };
	int rc = object_write(p, r, &text, e);

	if (rc == 0 && fd_write_caller(STDOUT_FILENO, text.at, text.len, -1) < 0) {
		if (errno != EPIPE)
			rc = err_sys(e, ERR_OUTPUT, "write the result to standard output");
		/* as with text and lines */
		else if (r->status != RESULT_CANCELLED)
			r->status = RESULT_CANCELLED, r->cancel = SIGPIPE;
	}
	buf_free(&text);
	return rc;
}

/* Tells the outcome as JSON; one that could not be delivered is a failure. */
static int write_json(const struct plan *p, struct result *r)
{
	struct err e = { 0 };
	int rc = p->format == FORMAT_NDJSON ? lines_finish(p, r, &e) : write_object(p, r, &e);

	/* lines that could not be written can tell nothing, this neither */
	if (rc == 0 && r->status == RESULT_FAILED && r->lines.kind == STREAM_DROP)
		say(r->error.msg);
	if (rc == 0)
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

static int finish(const struct plan *p, struct result *r, const struct account *a)
{
	int status;

	if (plan_wants_results(p)) {
		status = write_json(p, r);
	} else {
		status = result_exit(r);
		say_all(p, r);
	}
	account_status(a, r);
	if (r->status == RESULT_CANCELLED)
		die_of(r->cancel);
	return status;
}

/* The run itself failed with r->error. */
static void fail(struct result *r)
{
	r->status = RESULT_FAILED;
	if (!r->finish_us)
		r->finish_us = clock_now_us();
}

static int run_and_tell(struct plan *p, int64_t begin_us, unsigned open_fds, struct result *r)
{
	struct account a;
	int status;

	account_init(&a);
	(void)signal(SIGPIPE, SIG_IGN);		/* a reader that goes away is an error of a write */
	if (plan_wants_results(p) && !(open_fds & 2)) {
		(void)err_set(&r->error, ERR_OUTPUT, "--format=%s: standard output is closed", plan_format_word(p->format));
		say(r->error.msg);	/* nobody reads the object */
		fail(r);
	} else if (account_open(&a, p, &r->error) < 0) {
		fail(r);
	} else {
		run(p, begin_us, open_fds, say, r);
		if (r->cancel || r->struck < LIMITS)	/* on time, whoever reads */
			say_wait_ms = PLAN_END_MS;
		if (account_manifest(&a, p, r, &r->error) < 0 && r->status != RESULT_CANCELLED)
			fail(r);
		account_usage(&a, p, r);
	}
	status = finish(p, r, &a);
	account_close(&a);
	return status;
}

/* The format that the words ask for, where they cannot be understood as a whole. */
static enum plan_format look_for_format(int argc, char **argv, enum plan_format format)
{
	static const char option[] = "--format";
	const size_t n = sizeof(option) - 1;

	for (int i = 1; i < argc; i++) {
		const char *word = NULL;

		if (!strcmp(argv[i], "--json"))
			format = FORMAT_JSON;
		else if (!strcmp(argv[i], option))
			word = argv[i + 1];
		else if (!strncmp(argv[i], option, n) && argv[i][n] == '=')
			word = argv[i] + n + 1;
		for (enum plan_format f = 0; word && f < FORMATS; f++)
			if (!strcmp(word, plan_format_word(f)))
				format = f;
	}
	return format;
}

static int show(enum plan_action action)
{
	switch (action) {
	case PLAN_HELP:
		options_help(stdout);
		break;
	case PLAN_LIST:
		options_list(stdout);
		break;
	case PLAN_LIST_KEYS:
		options_list_keys(stdout);
		break;
	default:
		puts(PACKAGE_STRING);
		break;
	}
	return say_flushed(0);
}

/* Our own grows as far as the caller's limit lets it, and then we would die without a word. */
static int check_stack(struct err *e)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_STACK, &r) < 0 || r.rlim_cur >= STACK_LEAST)
		return 0;
	return err_set(e, ERR_HOST, "the caller's limit of the stack is %llu (ulimit -s): too low",
		       (unsigned long long)r.rlim_cur);
}

int main(int argc, char **argv)
{
	int64_t begin_us = clock_now_us();
	struct result r;
	struct plan p;
	struct account none;
	struct err e = { 0 };
	unsigned open;
	int status;

	account_init(&none);
	if (fd_guard_stdio(&open) < 0)
		return 125;
	trace_begin(begin_us);
	plan_init(&p);
	int rc = check_stack(&e) < 0 ? -1 : options_parse(argc, argv, environ, &p, &e);
	result_init(&r, &p, begin_us);
	if (rc < 0) {
		r.error = e;
		fail(&r);
		p.format = look_for_format(argc, argv, p.format);
		status = finish(&p, &r, &none);
	} else if (p.action == PLAN_CHECK) {
		status = check_show(&p);
	} else if (p.action != PLAN_RUN) {
		status = show(p.action);
	} else {
		status = run_and_tell(&p, begin_us, open, &r);
	}
	trace_show(stderr);
	result_free(&r);
	plan_free(&p);
	return status;
}
