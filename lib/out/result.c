/* SPDX-License-Identifier: Apache-2.0 */
/* result - see result.h */
#include "out/result.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static const char *const words[RESULT_STATUSES] = {
	[RESULT_OK] = "ok", [RESULT_ERROR] = "error", [RESULT_TIMEOUT] = "timeout",
	[RESULT_FAILED] = "failed", [RESULT_SIGNAL] = "signal", [RESULT_MEMORY] = "memory",
	[RESULT_CANCELLED] = "cancelled",
};

void result_init(struct result *r, const struct plan *p, int64_t begin_us)
{
	*r = (struct result){ .begin_us = begin_us, .struck = LIMITS, .out.from = -1, .err.from = -1,
			      .lines = { .from = -1, .to = -1, .state = STREAM_CLOSED } };
	memcpy(r->limit, p->limit, sizeof(r->limit));
	outdir_init(&r->files);
}

const char *result_word(enum result_status s)
{
	return words[s];
}

const char *result_start(const struct result *r)
{
	return r->resumed ? "resumed" : r->clone ? "warm" : "cold";
}

const char *result_struck(const struct result *r, char *dst, size_t size)
{
	char value[NUM_TEXT];

	*dst = 0;
	if (r->struck < LIMITS)
		snprintf(dst, size, "%s limit of %s reached", plan_limits[r->struck].noun,
			 plan_limit_text(r->struck, r->limit[r->struck], value));
	return dst;
}

int result_exit(const struct result *r)
{
	switch (r->status) {
	case RESULT_TIMEOUT:
		return 124;
	case RESULT_FAILED:
		return err_status(r->error.kind);
	case RESULT_SIGNAL:
		return 128 + r->signal;
	case RESULT_MEMORY:
		return 128 + SIGKILL;
	case RESULT_CANCELLED:
		return 128 + r->cancel;
	default:
		return r->exit_code;
	}
}

void result_free(struct result *r)
{
	for (int i = 0; i < MSG_NOTES; i++)
		buf_free(&r->note[i]);
	stream_free(&r->out);
	stream_free(&r->err);
	results_free(&r->results);
	stream_free(&r->lines);
	outdir_close(&r->files);
	image_free(&r->image);
	strv_free(&r->warnings);
	strv_free(&r->notes);
	strv_free(&r->refusals);
}
