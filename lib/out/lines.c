/* SPDX-License-Identifier: Apache-2.0 */
/* lines - see lines.h */
#include "out/lines.h"

#include "out/object.h"
#include "out/quote.h"

#include <signal.h>
#include <unistd.h>

#define QUEUE_MAX (4ull * MSG_RESULTS_BYTES)	/* never reached: a bound for our own mistakes */

void lines_open(struct result *r)
{
	stream_init(&r->lines, "standard output", STDOUT_FILENO, STREAM_WRITE, NUM_NONE);
}

static size_t waiting(const struct result *r)
{
	return r->lines.state == STREAM_BLOCKED ? r->lines.held.len - r->lines.at : 0;
}

bool lines_wait(const struct result *r)
{
	return waiting(r) > 0;
}

bool lines_are_full(const struct result *r)
{
	return waiting(r) > LINES_FULL;
}

/* LINE, which is freed, if it could be made (RC 0). */
static int push(struct result *r, struct buf *line, int rc, struct err *e)
{
	if (rc == 0)
		rc = stream_push(&r->lines, line->at, line->len, QUEUE_MAX, e);
	buf_free(line);
	return rc;
}

/* A line of TYPE with the members of O. */
static int push_object(struct result *r, const char *type, json_t *o, struct err *e)
{
	struct buf line = { 0 };
	int rc = quote_raw(&line, "{\"type\":\"", QUEUE_MAX, e);

	if (rc == 0)
		rc = quote_raw(&line, type, QUEUE_MAX, e);
	if (rc == 0)
		rc = quote_raw(&line, "\",", QUEUE_MAX, e);
	if (rc == 0)
		rc = quote_members(&line, o, e);
	else
		json_decref(o);
	if (rc == 0)
		rc = quote_raw(&line, "}\n", QUEUE_MAX, e);
	return push(r, &line, rc, e);
}

int lines_start(struct result *r, struct err *e)
{
	return push_object(r, "start", object_place(r), e);
}

/* A line with the first N bytes that S holds. */
static int push_bytes(struct result *r, struct stream *s, size_t n, struct err *e)
{
	bool text = quote_is_utf8(s->held.at, n);
	struct buf line = { 0 };
	int rc = quote_raw(&line, s == &r->out ? "{\"type\":\"stdout\"," : "{\"type\":\"stderr\",", QUEUE_MAX, e);

	if (rc == 0)
		rc = quote_raw(&line, text ? "\"text\":" : "\"encoding\":\"base64\",\"data\":", QUEUE_MAX, e);
	if (rc == 0)
		rc = text ? quote_text(&line, s->held.at, n, QUEUE_MAX, e)
			  : quote_base64(&line, s->held.at, n, QUEUE_MAX, e);
	if (rc == 0)
		rc = quote_raw(&line, "}\n", QUEUE_MAX, e);
	buf_drop(&s->held, n);
	return push(r, &line, rc, e);
}

int lines_stream(struct result *r, struct stream *s, struct err *e)
{
	size_t n = s->held.len ? s->held.len - quote_tail(s->held.at, s->held.len) : 0;

	return n > 0 ? push_bytes(r, s, n, e) : 0;
}

int lines_result(struct result *r, struct err *e)
{
	const struct buf *text = &r->results.text;
	int rc = 0;

	/* nobody waits for the reader any more, and what he can be given has its end */
	if (waiting(r) > MSG_RESULTS_BYTES)
		r->results.left_out++;
	else if (stream_push(&r->lines, "{\"type\":\"result\",", 17, QUEUE_MAX, e) < 0 ||
		 stream_push(&r->lines, text->at + 1, text->len - 1, QUEUE_MAX, e) < 0 ||
		 stream_push(&r->lines, "\n", 1, QUEUE_MAX, e) < 0)
		rc = -1;
	results_forget(&r->results);
	return rc;
}

/* Writes what is queued. Nothing of the run is left to be ended, so a signal may end us
 * while we wait; the mask is the run's. */
static int write_out(struct result *r, struct err *e)
{
	const struct timespec soon = { 0, PLAN_END_MS * 1000000l };
	struct stream *s = &r->lines;
	sigset_t none;

	sigemptyset(&none);
	while (stream_step(s, e) == STREAM_BLOCKED) {
		struct pollfd p = stream_poll(s);

		if (ppoll(&p, 1, r->cancel ? &soon : NULL, &none) == 0)
			stream_drop(s);
	}
	if (s->state == STREAM_FAILED)
		return -1;
	if (s->state == STREAM_GONE) {
		stream_drop(s);
		r->status = RESULT_CANCELLED;
		r->cancel = r->cancel ? r->cancel : SIGPIPE;
	}
	return 0;
}

/* What is no character will be none now; where the stream is cut, one is left out. */
static int end_stream(struct result *r, struct stream *s, struct err *e)
{
	if (lines_stream(r, s, e) < 0)
		return -1;
	return s->held.len > 0 && s->bytes <= s->max ? push_bytes(r, s, s->held.len, e) : 0;
}

static int push_end(const struct plan *p, struct result *r, struct err *e)
{
	struct buf line = { 0 };
	int rc = quote_raw(&line, "{\"type\":\"end\",", QUEUE_MAX, e);

	if (rc == 0)
		rc = quote_members(&line, object_outcome(r), e);
	if (rc == 0)
		rc = object_count(&line, "stdout", r->out.bytes, r->out.bytes > r->out.max, e);
	if (rc == 0)
		rc = object_count(&line, "stderr", r->err.bytes, r->err.bytes > r->err.max, e);
	if (rc == 0)
		rc = quote_raw(&line, ",", QUEUE_MAX, e);
	if (rc == 0)
		rc = quote_members(&line, object_account(p, r), e);
	if (rc == 0)
		rc = quote_raw(&line, "}\n", QUEUE_MAX, e);
	return push(r, &line, rc, e);
}

/* What came of a program that has started. */
static int finish_program(const struct plan *p, struct result *r, struct err *e)
{
	if (end_stream(r, &r->out, e) < 0 || end_stream(r, &r->err, e) < 0)
		return -1;
	if ((r->status == RESULT_FAILED || r->note[MSG_NOTE_NAME].len > 0) &&
	    push_object(r, "error", object_error(r), e) < 0)
		return -1;
	for (size_t i = 0; p->output_dir && i < r->files.files; i++)
		if (push_object(r, "file", object_file(&r->files.file[i]), e) < 0 || write_out(r, e) < 0)
			return -1;
	return push_object(r, "usage", object_usage(r), e);
}

int lines_finish(const struct plan *p, struct result *r, struct err *e)
{
	if (r->lines.to < 0)
		lines_open(r);
	if (r->started && finish_program(p, r, e) < 0)
		return -1;
	return push_end(p, r, e) < 0 ? -1 : write_out(r, e);
}
