/* SPDX-License-Identifier: Apache-2.0 */
/* result - see result.h */
#include "out/result.h"

#include <jansson.h>
#include <nettle/base64.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const words[RESULT_STATUSES] = {
	[RESULT_OK] = "ok", [RESULT_ERROR] = "error", [RESULT_TIMEOUT] = "timeout",
	[RESULT_FAILED] = "failed", [RESULT_SIGNAL] = "signal", [RESULT_MEMORY] = "memory",
	[RESULT_CANCELLED] = "cancelled",
};

void result_init(struct result *r, int64_t begin_us)
{
	*r = (struct result){ .begin_us = begin_us, .struck = LIMITS, .out.from = -1, .err.from = -1 };
	outdir_init(&r->files);
}

const char *result_word(enum result_status s)
{
	return words[s];
}

const char *result_struck(const struct plan *p, const struct result *r, char *dst, size_t size)
{
	char value[NUM_TEXT];

	*dst = 0;
	if (r->struck < LIMITS)
		snprintf(dst, size, "%s limit of %s reached", plan_limits[r->struck].noun,
			 plan_limit_text(p, r->struck, value));
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

static bool is_utf8(const uint8_t *s, size_t n)
{
	for (size_t i = 0, len; i < n; i += len)
		if ((len = str_utf8(s + i, n - i)) == 0)
			return false;
	return true;
}

/* A string of bytes that may be anything: what is no UTF-8 becomes \xNN. */
static json_t *escaped(const char *s, size_t n)
{
	struct buf b = { 0 };
	struct err e;
	json_t *j = NULL;

	for (size_t i = 0; i < n;) {
		size_t len = str_utf8((const uint8_t *)s + i, n - i);
		char hex[5];

		if (len == 0)
			snprintf(hex, sizeof(hex), "\\x%02x", (uint8_t)s[i]);
		if (buf_add(&b, len ? s + i : hex, len ? len : 4, SIZE_MAX / 2, &e) < 0)
			goto out;
		i += len ? len : 1;
	}
	j = json_stringn(n ? (const char *)b.at : "", b.len);
out:
	buf_free(&b);
	return j;
}

static json_t *base64(const uint8_t *s, size_t n)
{
	char *text = malloc(BASE64_ENCODE_RAW_LENGTH(n) + 1);
	json_t *j = NULL;

	if (text) {
		base64_encode_raw(text, n, s);
		j = json_stringn(text, BASE64_ENCODE_RAW_LENGTH(n));
	}
	free(text);
	return j;
}

/* The keys of one captured stream, "stdout" or "stderr" in front. A cut that
 * falls inside a character takes the rest of that character away too. */
static int add_stream(json_t *o, const char *name, const struct stream *s)
{
	const uint8_t *at = s->held.len ? s->held.at : (const uint8_t *)"";
	size_t n = s->held.len;
	bool cut = s->bytes > n;
	char key[32];
	int rc = 0;

	for (size_t back = 1; cut && back < 4 && back <= n; back++)
		if (!is_utf8(at + n - back, back) && is_utf8(at, n - back)) {
			n -= back;
			break;
		}
	bool text = is_utf8(at, n);
	if (!text)
		n = s->held.len;
	rc |= json_object_set_new(o, name, text ? json_stringn((const char *)at, n) : base64(at, n));
	snprintf(key, sizeof(key), "%s_bytes", name);
	rc |= json_object_set_new(o, key, json_integer((json_int_t)s->bytes));
	snprintf(key, sizeof(key), "%s_truncated", name);
	rc |= json_object_set_new(o, key, json_boolean(cut));
	snprintf(key, sizeof(key), "%s_encoding", name);
	rc |= json_object_set_new(o, key, json_string(text ? "utf-8" : "base64"));
	return rc;
}

static json_t *error_object(const struct result *r)
{
	const struct buf *n = r->note;

	if (r->status == RESULT_FAILED)
		return json_pack("{s:s, s:o, s:s, s:s}", "name", "pai-exec", "value",
				 escaped(r->error.msg, strlen(r->error.msg)), "traceback", "",
				 "code", err_code(r->error.kind));
	if (n[MSG_NOTE_NAME].len == 0)
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:n}",
			 "name", escaped((char *)n[0].at, n[0].len),
			 "value", escaped((char *)n[1].at, n[1].len),
			 "traceback", escaped((char *)n[2].at, n[2].len), "code");
}

static const char *mime_of(const char *path)
{
	static const char *const table[][2] = {
		{ ".csv", "text/csv" }, { ".txt", "text/plain" }, { ".md", "text/markdown" },
		{ ".html", "text/html" }, { ".json", "application/json" },
		{ ".xml", "application/xml" }, { ".py", "text/x-python" }, { ".sh", "text/x-shellscript" },
		{ ".png", "image/png" }, { ".jpg", "image/jpeg" }, { ".jpeg", "image/jpeg" },
		{ ".gif", "image/gif" }, { ".svg", "image/svg+xml" }, { ".webp", "image/webp" },
		{ ".pdf", "application/pdf" }, { ".zip", "application/zip" },
		{ ".gz", "application/gzip" }, { ".tar", "application/x-tar" },
		{ ".xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" },
		{ ".docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document" },
	};
	const char *dot = strrchr(path, '.');

	for (size_t i = 0; dot && i < sizeof(table) / sizeof(*table); i++)
		if (!strcasecmp(dot, table[i][0]))
			return table[i][1];
	return "application/octet-stream";
}

static json_t *file_list(const struct result *r, bool kept)
{
	json_t *list = json_array();

	for (size_t i = 0; kept && i < r->files.files; i++) {
		const struct out_file *f = &r->files.file[i];
		char mode[8];

		snprintf(mode, sizeof(mode), "%04o", f->mode);
		json_array_append_new(list, json_pack("{s:o, s:I, s:s, s:s, s:s}",
			"path", escaped(f->path, strlen(f->path)), "size", (json_int_t)f->size,
			"sha256", f->sha256, "mode", mode, "mime", mime_of(f->path)));
	}
	return list;
}

static json_t *skip_list(const struct result *r)
{
	json_t *list = json_array();

	for (size_t i = 0; i < r->files.skips; i++)
		json_array_append_new(list, json_pack("{s:o, s:s}",
			"path", escaped(r->files.skip[i].path, strlen(r->files.skip[i].path)),
			"reason", r->files.skip[i].reason));
	return list;
}

static json_t *limits_object(const struct plan *p)
{
	json_t *o = json_object();

	for (int l = 0; l < LIMITS; l++) {
		const struct plan_limit_row *row = &plan_limits[l];
		char key[48];
		uint64_t v = p->limit[l];

		snprintf(key, sizeof(key), "%s%s", row->name, row->unit == UNIT_MS ? "_ms"
			 : row->unit == UNIT_BYTES ? "_bytes" : "");
		for (char *c = key; *c; c++)
			if (*c == '-')
				*c = '_';
		json_object_set_new(o, key, v == NUM_NONE ? json_null() : json_integer((json_int_t)v));
	}
	return o;
}

/* Milliseconds from A to B, or null where one of them was not reached. */
static json_t *span(int64_t a, int64_t b)
{
	return a && b ? json_real((double)(b - a) / 1000) : json_null();
}

static json_t *timing_object(const struct result *r)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o}",
			 "start_ms", span(r->begin_us, r->started_us),
			 "first_output_ms", span(r->begin_us, r->first_us),
			 "run_ms", span(r->started_us, r->ended_us),
			 "teardown_ms", span(r->done_us, r->finish_us),
			 "total_ms", span(r->begin_us, r->finish_us));
}

static json_t *warnings_list(const struct plan *p, const struct result *r)
{
	json_t *list = json_array();
	char text[100];
	const struct strv *both[] = { &r->warnings, &r->notes };

	if (*result_struck(p, r, text, sizeof(text)))
		json_array_append_new(list, json_string(text));
	if (r->files.unlisted > 0) {
		snprintf(text, sizeof(text), "%zu more files left out", r->files.unlisted);
		json_array_append_new(list, json_string(text));
	}

	for (int k = 0; k < 2; k++)
		for (size_t i = 0; i < both[k]->n; i++)
			json_array_append_new(list, escaped(both[k]->at[i], strlen(both[k]->at[i])));
	return list;
}

static int fill(json_t *o, const struct plan *p, const struct result *r)
{
	const json_int_t none = -1;
	json_int_t code = r->ended && !r->signal ? r->exit_code : none;
	int rc = 0;

	rc |= json_object_set_new(o, "schema", json_string("pai-exec/1"));
	rc |= json_object_set_new(o, "status", json_string(words[r->status]));
	rc |= json_object_set_new(o, "exit_code", code < 0 ? json_null() : json_integer(code));
	rc |= json_object_set_new(o, "signal", r->signal ? json_integer(r->signal) : json_null());
	rc |= json_object_set_new(o, "started", json_boolean(r->started));
	rc |= json_object_set_new(o, "error", error_object(r));
	rc |= add_stream(o, "stdout", &r->out);
	rc |= add_stream(o, "stderr", &r->err);
	rc |= json_object_set_new(o, "results", json_array());
	rc |= json_object_set_new(o, "files", file_list(r, p->output_dir));
	rc |= json_object_set_new(o, "skipped", skip_list(r));
	rc |= json_object_set_new(o, "session", json_null());
	rc |= json_object_set_new(o, "backend", !r->backend ? json_null() :
		json_pack("{s:s, s:s?, s:s, s:s}", "name", r->backend,
			  "version", *r->version ? r->version : NULL, "why", r->why,
			  "start", r->clone ? "warm" : "cold"));
	rc |= json_object_set_new(o, "image", !r->image.name ? json_null() :
		json_pack("{s:o, s:s}", "name", escaped(r->image.name, strlen(r->image.name)),
			  "digest", r->image.digest));
	rc |= json_object_set_new(o, "timing", timing_object(r));
	rc |= json_object_set_new(o, "usage", json_pack("{s:f, s:f, s:I}",
		"user_ms", (double)r->user_us / 1000, "sys_ms", (double)r->sys_us / 1000,
		"peak_memory_bytes", (json_int_t)r->peak_bytes));
	rc |= json_object_set_new(o, "limits", limits_object(p));
	rc |= json_object_set_new(o, "warnings", warnings_list(p, r));
	return rc;
}

/* The length of a control at S that a JSON writer lets through and a terminal would
 * obey: DEL, or one of U+0080 to U+009F. Else 0. */
static size_t control_at(const char *s)
{
	return *s == 0x7f ? 1 : (uint8_t)s[0] == 0xc2 && (uint8_t)s[1] < 0xa0 ? 2 : 0;
}

/* TEXT, freed, with these as escapes, and a newline. */
static char *without_controls(char *text)
{
	struct buf b = { 0 };
	struct err ignored;
	char escape[8];
	int rc = 0;

	for (const char *at = text; rc == 0 && *at;) {
		size_t plain = 0, len = 0;

		while (at[plain] && (len = control_at(at + plain)) == 0)
			plain++;
		int n = len ? snprintf(escape, sizeof(escape), "\\u%04x", (uint8_t)at[plain + len - 1]) : 0;
		rc = buf_add(&b, at, plain, SIZE_MAX / 2, &ignored);
		if (rc == 0)
			rc = buf_add(&b, escape, (size_t)n, SIZE_MAX / 2, &ignored);
		at += plain + len;
	}
	free(text);
	if (rc < 0 || buf_add(&b, "\n", 2, SIZE_MAX / 2, &ignored) < 0)	/* with its NUL */
		buf_free(&b);
	return (char *)b.at;
}

char *result_json(const struct plan *p, const struct result *r, struct err *e)
{
	json_t *o = json_object();
	char *text = NULL;

	if (o && fill(o, p, r) == 0)
		text = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(9));
	json_decref(o);
	if (text)
		text = without_controls(text);
	if (!text)
		(void)err_set(e, ERR_HOST, "not enough memory for the result");
	return text;
}

void result_free(struct result *r)
{
	for (int i = 0; i < MSG_NOTES; i++)
		buf_free(&r->note[i]);
	stream_free(&r->out);
	stream_free(&r->err);
	outdir_close(&r->files);
	image_free(&r->image);
	strv_free(&r->warnings);
	strv_free(&r->notes);
	strv_free(&r->refusals);
}
