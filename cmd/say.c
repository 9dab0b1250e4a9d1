/* SPDX-License-Identifier: Apache-2.0 */
/* say - see say.h */
#include "say.h"

#include "base/fd.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SKIPS_TOLD 10		/* left-out files that get a line each */

const char *say_program = "pai-exec";
int say_wait_ms = -1;

void say(const char *text)
{
	char line[ERR_MSG_MAX + 64];
	size_t n = (size_t)snprintf(line, sizeof(line), "%s: ", say_program);

	/* the one way of all messages: nothing that a guest or a backend has put into
	 * one moves a cursor */
	n += str_printable(line + n, sizeof(line) - 1 - n, text, strlen(text));
	line[n++] = '\n';
	if (fd_write_caller(STDERR_FILENO, line, n, say_wait_ms) < 0 && errno == ETIME)
		say_wait_ms = 0;	/* nobody reads: else there is nowhere to say it */
}

void say_json(json_t *j)
{
	char *text = json_dumps(j, JSON_COMPACT);

	puts(text ? text : "null");
	free(text);
	json_decref(j);
}

int say_flushed(int status)
{
	if (fflush(stdout) == 0)
		return status;
	say("write to standard output: it failed");
	return 125;
}

static void say_status(const struct result *r)
{
	char text[128];
	const char *name;

	switch (r->status) {
	case RESULT_TIMEOUT:
	case RESULT_MEMORY:
		(void)result_struck(r, text, sizeof(text));
		break;
	case RESULT_SIGNAL:
		name = sigabbrev_np(r->signal);	/* a real-time signal has none */
		snprintf(text, sizeof(text), "program killed by signal %d%s%s%s", r->signal,
			 name ? " (SIG" : "", name ? name : "", name ? ")" : "");
		break;
	case RESULT_FAILED:
		if (r->refusals.n < 2) {
			say(r->error.msg);
			return;
		}
		say("no sandbox backend works here: nothing was run");
		for (size_t i = 0; i < r->refusals.n; i++)
			say(r->refusals.at[i]);
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
	/* the message itself has told the first that is lost */
	bool said = r->files.losses > 0 && !strcmp(r->error.msg, r->files.lost.msg);

	for (size_t i = 0; i < r->files.skips; i++) {
		const struct out_skip *s = &r->files.skip[i];

		if (s->lost && said) {
			said = false;
			continue;
		}
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

static void say_cut(const struct stream *s, const char *option)
{
	char text[160], max[NUM_TEXT];

	if (s->bytes <= s->max)
		return;
	snprintf(text, sizeof(text), "%s cut at %s of %" PRIu64 " bytes (--%s)", s->name,
		 num_size_text(s->max, max), s->bytes, option);
	say(text);
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

void say_all(const struct plan *p, const struct result *r)
{
	say_status(r);
	if (p->quiet || r->error.kind == ERR_GUEST)	/* whose other words count for nothing */
		return;
	say_cut(&r->out, plan_limits[LIMIT_MAX_STDOUT].name);
	say_cut(&r->err, plan_limits[LIMIT_MAX_STDERR].name);
	for (size_t i = 0; i < r->warnings.n; i++)
		say(r->warnings.at[i]);
	for (size_t i = 0; p->verbose && i < r->notes.n; i++)
		say(r->notes.at[i]);
	if (p->output_dir)
		say_skips(r);
	else
		say_made(r);
}
