/* SPDX-License-Identifier: Apache-2.0 */
/* results - see results.h */
#include "out/results.h"

#include "out/quote.h"
#include "out/value.h"

#include <errno.h>

#define MAIN_BYTES (4u << 20)	/* of MSG_RESULTS_BYTES, kept for the main result */

enum kind { AS_TEXT, AS_BASE64, AS_VALUE };

static const struct row {
	const char *name;
	enum kind kind;
} rows[MSG_RESULT_WHATS] = {
	[MSG_TEXT] = { "text", AS_TEXT },
	[MSG_HTML] = { "html", AS_TEXT },
	[MSG_MARKDOWN] = { "markdown", AS_TEXT },
	[MSG_SVG] = { "svg", AS_TEXT },
	[MSG_PNG] = { "png", AS_BASE64 },
	[MSG_JPEG] = { "jpeg", AS_BASE64 },
	[MSG_PDF] = { "pdf", AS_BASE64 },
	[MSG_LATEX] = { "latex", AS_TEXT },
	[MSG_JSON] = { "json", AS_VALUE },
	[MSG_JAVASCRIPT] = { "javascript", AS_TEXT },
	[MSG_DATA_KEY] = { "data", AS_VALUE },
	[MSG_CHART] = { "chart", AS_VALUE },
	[MSG_EXTRA] = { "extra", AS_VALUE },
};

/* Bytes of text that this result may fill. */
static size_t text_max(const struct results *r)
{
	return MSG_RESULTS_BYTES - (r->is_main ? 0 : MAIN_BYTES);
}

static void leave_out(struct results *r)
{
	r->skips = true;
	r->text.len = r->begin;
}

/* What RC, of something that writes text, means: full is no error. */
static int settle(struct results *r, int rc, struct err *e)
{
	if (rc == 0)
		return 0;
	if (e->sys == ENOMEM)
		return -1;
	*e = (struct err){ 0 };
	leave_out(r);
	return 0;
}

static int begin(struct results *r, const uint8_t *data, size_t n, struct err *e)
{
	results_end(r);		/* who was sending one broke off in it */
	if (n != 1 || data[0] > 1)
		return err_set(e, ERR_GUEST, "a result of a kind that there is not");
	r->open = true;
	r->is_main = data[0];
	r->key = MSG_RESULT_BEGIN;
	r->begin = r->text.len;
	r->own_text.len = r->own_png.len = 0;
	r->skips = r->n >= MSG_RESULTS_MAX - !r->is_main;
	return r->skips ? 0 : settle(r, quote_raw(&r->text, r->n > 0 ? ",{" : "{", text_max(r), e), e);
}

static int write_value(struct results *r, enum kind kind, struct err *e)
{
	const struct buf *v = &r->value;

	if (kind == AS_TEXT)
		return quote_text(&r->text, v->at, v->len, text_max(r), e);
	if (kind == AS_BASE64)
		return quote_base64(&r->text, v->at, v->len, text_max(r), e);
	return value_write(&r->text, v->at, v->len, text_max(r), e);
}

/* The value that was arriving is whole. */
static int end_value(struct results *r, struct err *e)
{
	const struct row *row = &rows[r->key];
	size_t before = r->text.len, max = text_max(r);

	if (r->key == MSG_RESULT_BEGIN || r->skips)
		return 0;
	int rc = quote_raw(&r->text, "\"", max, e);
	if (rc == 0)
		rc = quote_raw(&r->text, row->name, max, e);
	if (rc == 0)
		rc = quote_raw(&r->text, "\":", max, e);
	size_t at = r->text.len;
	if (rc == 0)
		rc = write_value(r, row->kind, e);
	const struct results_piece piece = { at, r->text.len - at };
	if (rc == 0)
		rc = quote_raw(&r->text, ",", max, e);
	if (rc < 0 && e->kind == ERR_GUEST) {
		*e = (struct err){ 0 };
		r->text.len = before;
		r->malformed++;
		return 0;
	}
	if (rc == 0 && r->key == MSG_TEXT)
		r->own_text = piece;
	else if (rc == 0 && r->key == MSG_PNG)
		r->own_png = piece;
	return settle(r, rc, e);
}

static int add_part(struct results *r, unsigned key, const uint8_t *data, size_t n, struct err *e)
{
	if (key < r->key)
		return err_set(e, ERR_GUEST, "the parts of a result in the wrong order");
	if (key == r->key && n == 0)
		return err_set(e, ERR_GUEST, "an empty part of a result");
	if (key > r->key) {
		if (end_value(r, e) < 0)
			return -1;
		r->key = key;
		r->value.len = 0;
	}
	if (r->value.len + n > MSG_RESULT_MAX)
		return err_set(e, ERR_GUEST, "a value of a result of more than %u bytes", MSG_RESULT_MAX);
	return buf_add(&r->value, data, n, MSG_RESULT_MAX, e);
}

static void close_result(struct results *r)
{
	r->open = false;
	buf_free(&r->value);
}

static int end(struct results *r, size_t n, struct err *e)
{
	if (n > 0)
		return err_set(e, ERR_GUEST, "an end of a result of the wrong size");
	if (end_value(r, e) < 0)
		return -1;
	if (!r->skips && settle(r, quote_raw(&r->text, r->is_main ? "\"is_main_result\":true}"
					     : "\"is_main_result\":false}", text_max(r), e), e) < 0)
		return -1;
	close_result(r);
	if (r->skips) {
		r->left_out++;
		return 0;
	}
	r->n++;
	if (r->is_main)	/* of several the last: the value of the last expression */
		r->main_text = r->own_text;
	if (r->png.len == 0)
		r->png = r->own_png;
	return 1;
}

int results_take(struct results *r, const struct frame *f, struct err *e)
{
	unsigned what = f->len > 0 ? f->body[0] : MSG_RESULT_WHATS;
	size_t n = f->len > 0 ? f->len - 1 : 0;

	if (what >= MSG_RESULT_WHATS)
		return err_set(e, ERR_GUEST, "a part of a result of a kind that there is not");
	if (n > MSG_RESULT_CHUNK)
		return err_set(e, ERR_GUEST, "a part of a result of %zu bytes (at most %u)", n, MSG_RESULT_CHUNK);
	if (what == MSG_RESULT_BEGIN)
		return begin(r, f->body + 1, n, e);
	if (!r->open)
		return err_set(e, ERR_GUEST, "a part of a result without its begin");
	return what == MSG_RESULT_END ? end(r, n, e) : add_part(r, what, f->body + 1, n, e);
}

void results_end(struct results *r)
{
	if (!r->open)
		return;
	leave_out(r);
	r->broken++;
	close_result(r);
}

void results_forget(struct results *r)
{
	r->n = r->text.len = 0;
	r->main_text.len = r->png.len = 0;
}

void results_free(struct results *r)
{
	buf_free(&r->text);
	buf_free(&r->value);
}
