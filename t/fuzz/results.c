/* SPDX-License-Identifier: Apache-2.0 */
/* Results of any guest, as frames: what is written is strict JSON of one line, within its
 * bounds, and the same however the values are cut into parts; what is refused is an
 * ERR_GUEST. */
#include "bytes.h"
#include "out/results.h"
#include "target.h"

#include <jansson.h>
#include <string.h>

/* A result at a time, its values whole or byte by byte. */
static int take(struct results *r, unsigned what, const uint8_t *at, size_t n, bool drip)
{
	uint8_t body[8192];
	struct err e = { 0 };
	size_t part = drip && n > 1 ? 1 : n;
	int rc = 0;

	for (size_t i = 0; rc >= 0 && (i < n || i == 0); i += part) {
		body[0] = (uint8_t)what;
		memcpy(body + 1, at + i, part);
		struct frame f = { MSG_RESULT, (uint32_t)(n ? part : 0) + 1, body };
		rc = results_take(r, &f, &e);
		MUST(rc >= 0 || (e.kind == ERR_GUEST && *e.msg));
		if (n == 0)
			break;
	}
	return rc;
}

static bool is_part(unsigned what)
{
	return what > MSG_RESULT_BEGIN && what < MSG_RESULT_END;
}

static int play(struct bytes script, struct results *r, bool drip)
{
	int rc = 0;

	while (rc >= 0 && script.left > 0) {
		unsigned what = bytes_one(&script) % (MSG_RESULT_WHATS + 1);
		size_t n = bytes_one(&script);

		n = n > 200 ? (n - 200) * 64 : n;
		const uint8_t *at = bytes_some(&script, &n);
		rc = take(r, what, at, n, drip && is_part(what));
	}
	return rc;
}

static void check_piece(const struct results *r, const struct results_piece *p)
{
	MUST(p->len == 0 || (p->len >= 2 && p->at + p->len <= r->text.len));
	MUST(p->len == 0 || (r->text.at[p->at] == '"' && r->text.at[p->at + p->len - 1] == '"'));
}

static void check_text(const struct results *r)
{
	struct buf all = { 0 };
	struct err e;

	MUST(r->n <= MSG_RESULTS_MAX && r->text.len <= MSG_RESULTS_BYTES);
	MUST(buf_add(&all, "[", 1, SIZE_MAX, &e) == 0 && buf_add(&all, r->text.at, r->text.len, SIZE_MAX, &e) == 0 &&
	     buf_add(&all, "]", 1, SIZE_MAX, &e) == 0);
	for (size_t i = 0, len; i < all.len; i += len) {
		const uint8_t *s = all.at + i;

		len = str_utf8(s, all.len - i);
		MUST(len > 0 && s[0] >= 0x20 && s[0] != 0x7f && !(s[0] == 0xc2 && s[1] < 0xa0));
	}
	/* what this reader cannot hold is no fault: a long number, a NUL in a name */
	json_error_t why;
	json_t *list = json_loadb((const char *)all.at, all.len, JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL, &why);
	MUST(list ? json_array_size(list) == r->n : json_error_code(&why) == json_error_null_byte_in_key);
	for (size_t i = 0; list && i < r->n; i++)
		MUST(json_is_boolean(json_object_get(json_array_get(list, i), "is_main_result")));
	json_decref(list);
	buf_free(&all);
	check_piece(r, &r->main_text);
	check_piece(r, &r->png);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct results whole = { 0 }, drip = { 0 };
	int rc = play((struct bytes){ data, size }, &whole, false);

	MUST((rc < 0) == (play((struct bytes){ data, size }, &drip, true) < 0));
	results_end(&whole);
	results_end(&drip);
	check_text(&whole);
	MUST(whole.n == drip.n && whole.left_out == drip.left_out && whole.malformed == drip.malformed);
	MUST(whole.text.len == drip.text.len &&
	     (whole.text.len == 0 || !memcmp(whole.text.at, drip.text.at, whole.text.len)));
	results_free(&whole);
	results_free(&drip);
	return 0;
}
