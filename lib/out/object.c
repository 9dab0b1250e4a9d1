/* SPDX-License-Identifier: Apache-2.0 */
/* object - see object.h */
#include "out/object.h"

#include "out/quote.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ALL (SIZE_MAX / 2)	/* what is told is bounded where it was taken */

json_t *object_error(const struct result *r)
{
	const struct buf *n = r->note;

	if (r->status == RESULT_FAILED)
		return json_pack("{s:s, s:o, s:s, s:s}", "name", "pai-exec", "value",
				 quote_json(r->error.msg, strlen(r->error.msg)), "traceback", "",
				 "code", err_code(r->error.kind));
	if (n[MSG_NOTE_NAME].len == 0)
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:n}", "name", quote_json(n[0].at, n[0].len),
			 "value", quote_json(n[1].at, n[1].len),
			 "traceback", quote_json(n[2].at, n[2].len), "code");
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

json_t *object_file(const struct out_file *f)
{
	char mode[8];

	snprintf(mode, sizeof(mode), "%04o", f->mode);
	return json_pack("{s:o, s:I, s:s, s:s, s:s}", "path", quote_json(f->path, strlen(f->path)),
			 "size", (json_int_t)f->size, "sha256", f->sha256, "mode", mode,
			 "mime", mime_of(f->path));
}

static json_t *file_list(const struct result *r, bool kept)
{
	json_t *list = json_array();

	for (size_t i = 0; kept && i < r->files.files; i++)
		json_array_append_new(list, object_file(&r->files.file[i]));
	return list;
}

static json_t *skip_list(const struct result *r)
{
	json_t *list = json_array();

	for (size_t i = 0; i < r->files.skips; i++)
		json_array_append_new(list, json_pack("{s:o, s:s}",
			"path", quote_json(r->files.skip[i].path, strlen(r->files.skip[i].path)),
			"reason", r->files.skip[i].reason));
	return list;
}

static json_t *limits_object(const struct result *r)
{
	json_t *o = json_object();

	for (int l = 0; l < LIMITS; l++) {
		const struct plan_limit_row *row = &plan_limits[l];
		char key[48];
		uint64_t v = r->limit[l];

		snprintf(key, sizeof(key), "%s%s", row->name, row->unit == UNIT_MS ? "_ms"
			 : row->unit == UNIT_BYTES ? "_bytes" : "");
		for (char *c = key; *c; c++)
			if (*c == '-')
				*c = '_';
		/* below the least is what bad options have left unsettled */
		json_object_set_new(o, key, v == NUM_NONE || v < row->min ? json_null()
				    : json_integer((json_int_t)v));
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

json_t *object_usage(const struct result *r)
{
	return json_pack("{s:f, s:f, s:I}", "user_ms", (double)r->user_us / 1000,
			 "sys_ms", (double)r->sys_us / 1000,
			 "peak_memory_bytes", (json_int_t)r->peak_bytes);
}

static void add_warning(json_t *list, const char *text)
{
	json_array_append_new(list, quote_json(text, strlen(text)));
}

static void add_results_warnings(json_t *list, const struct results *r)
{
	char text[100];

	if (r->left_out > 0) {
		snprintf(text, sizeof(text), "%zu results left out (at most %u, of %uM)", r->left_out,
			 MSG_RESULTS_MAX, MSG_RESULTS_BYTES >> 20);
		add_warning(list, text);
	}
	if (r->broken > 0) {
		snprintf(text, sizeof(text), "%zu results left out: broken off", r->broken);
		add_warning(list, text);
	}
	if (r->malformed > 0) {
		snprintf(text, sizeof(text), "%zu malformed values of results left out", r->malformed);
		add_warning(list, text);
	}
}

static json_t *warnings_list(const struct result *r)
{
	json_t *list = json_array();
	char text[100];
	const struct strv *both[] = { &r->warnings, &r->notes };

	if (*result_struck(r, text, sizeof(text)))
		add_warning(list, text);
	if (r->files.unlisted > 0) {
		snprintf(text, sizeof(text), "%zu more files left out", r->files.unlisted);
		add_warning(list, text);
	}
	add_results_warnings(list, &r->results);
	for (int k = 0; k < 2; k++)
		for (size_t i = 0; i < both[k]->n; i++)
			add_warning(list, both[k]->at[i]);
	return list;
}

/* Which sandbox it was and what it may take: known when the program starts. */
static int add_place(json_t *o, const struct result *r)
{
	int rc = 0;

	rc |= json_object_set_new(o, "backend", !r->backend ? json_null() :
		json_pack("{s:s, s:s?, s:s, s:s}", "name", r->backend,
			  "version", *r->version ? r->version : NULL, "why", r->why,
			  "start", result_start(r)));
	rc |= json_object_set_new(o, "image", !r->image.name ? json_null() :
		json_pack("{s:o, s:s}", "name", quote_json(r->image.name, strlen(r->image.name)),
			  "digest", r->image.digest));
	rc |= json_object_set_new(o, "limits", limits_object(r));
	return rc;
}

/* O, or NULL where it could not be filled. */
static json_t *filled(json_t *o, int rc)
{
	if (rc == 0)
		return o;
	json_decref(o);
	return NULL;
}

json_t *object_place(const struct result *r)
{
	json_t *o = json_object();

	return filled(o, json_object_set_new(o, "schema", json_string(OBJECT_SCHEMA)) | add_place(o, r));
}

json_t *object_outcome(const struct result *r)
{
	const json_int_t none = -1;
	json_int_t code = r->ended && !r->signal ? r->exit_code : none;
	json_t *o = json_object();
	int rc = 0;

	rc |= json_object_set_new(o, "schema", json_string(OBJECT_SCHEMA));
	rc |= json_object_set_new(o, "status", json_string(result_word(r->status)));
	rc |= json_object_set_new(o, "exit_code", code < 0 ? json_null() : json_integer(code));
	rc |= json_object_set_new(o, "signal", r->signal ? json_integer(r->signal) : json_null());
	rc |= json_object_set_new(o, "started", json_boolean(r->started));
	rc |= json_object_set_new(o, "error", object_error(r));
	return filled(o, rc);
}

static json_t *session_object(const struct result *r)
{
	static const char *const words[SESSION_STATES] = { "", "kept", "rewound", "lost" };

	if (r->session.state == SESSION_NONE_ASKED)
		return json_null();
	return json_pack("{s:s, s:I, s:s}", "name", r->session.name, "turn", (json_int_t)r->session.turn,
			 "state", words[r->session.state]);
}

json_t *object_account(const struct plan *p, const struct result *r)
{
	json_t *o = json_object();
	int rc = 0;

	rc |= json_object_set_new(o, "execution_count", r->count ? json_integer(r->count)
				  : p->cell && !p->session && r->started ? json_integer(1) : json_null());
	if (p->format == FORMAT_JSON)
		rc |= json_object_set_new(o, "files", file_list(r, p->output_dir));
	rc |= json_object_set_new(o, "skipped", skip_list(r));
	rc |= json_object_set_new(o, "session", session_object(r));
	rc |= add_place(o, r);
	rc |= json_object_set_new(o, "timing", timing_object(r));
	rc |= json_object_set_new(o, "usage", object_usage(r));
	rc |= json_object_set_new(o, "warnings", warnings_list(r));
	return filled(o, rc);
}

int object_count(struct buf *out, const char *name, uint64_t bytes, bool cut, struct err *e)
{
	char text[128];

	snprintf(text, sizeof(text), ",\"%s_bytes\":%" PRIu64 ",\"%s_truncated\":%s", name, bytes, name,
		 cut ? "true" : "false");
	return quote_raw(out, text, ALL, e);
}

/* The keys of one captured stream. A cut that falls inside a character takes the rest
 * of that character away too. */
static int add_stream(struct buf *out, const char *name, const struct stream *s, struct err *e)
{
	const uint8_t *at = s->held.len ? s->held.at : (const uint8_t *)"";
	bool cut = s->bytes > s->held.len;
	size_t n = s->held.len - (cut ? quote_tail(at, s->held.len) : 0);
	bool text = quote_is_utf8(at, n);
	char key[64];

	snprintf(key, sizeof(key), ",\"%s\":", name);
	if (quote_raw(out, key, ALL, e) < 0)
		return -1;
	if (text ? quote_text(out, at, n, ALL, e) < 0 : quote_base64(out, at, s->held.len, ALL, e) < 0)
		return -1;
	if (object_count(out, name, s->bytes, cut, e) < 0)
		return -1;
	snprintf(key, sizeof(key), ",\"%s_encoding\":\"%s\"", name, text ? "utf-8" : "base64");
	return quote_raw(out, key, ALL, e);
}

static int add_piece(struct buf *out, const char *name, const struct results *r,
		     const struct results_piece *p, struct err *e)
{
	if (quote_raw(out, name, ALL, e) < 0)
		return -1;
	return p->len ? buf_add(out, r->text.at + p->at, p->len, ALL, e) : quote_raw(out, "null", ALL, e);
}

static int add_results(struct buf *out, const struct results *r, struct err *e)
{
	if (quote_raw(out, ",\"results\":[", ALL, e) < 0 ||
	    buf_add(out, r->text.at, r->text.len, ALL, e) < 0 || quote_raw(out, "]", ALL, e) < 0)
		return -1;
	return add_piece(out, ",\"text\":", r, &r->main_text, e) < 0 ||
	       add_piece(out, ",\"png\":", r, &r->png, e) < 0 ? -1 : 0;
}

int object_write(const struct plan *p, const struct result *r, struct buf *out, struct err *e)
{
	if (quote_raw(out, "{", ALL, e) < 0 || quote_members(out, object_outcome(r), e) < 0 ||
	    add_stream(out, "stdout", &r->out, e) < 0 || add_stream(out, "stderr", &r->err, e) < 0 ||
	    add_results(out, &r->results, e) < 0 || quote_raw(out, ",", ALL, e) < 0 ||
	    quote_members(out, object_account(p, r), e) < 0)
		return -1;
	return quote_raw(out, "}\n", ALL, e);
}
