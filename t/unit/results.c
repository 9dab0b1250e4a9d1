/* SPDX-License-Identifier: Apache-2.0 */
#include "out/quote.h"
#include "out/results.h"
#include "out/value.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

/* What the N bytes at S are as JSON; static, or "" where they are no value. */
static const char *value(const char *s, size_t n)
{
	static struct buf b;
	struct err e = { 0 };

	b.len = 0;
	if (value_write(&b, (const uint8_t *)s, n, 64u << 20, &e) < 0)
		return e.kind == ERR_GUEST ? "" : "another error";
	return buf_add(&b, "", 1, 64u << 20, &e) < 0 ? "another error" : (const char *)b.at;
}

#define VALUE(s, json) OK(!strcmp(value(s, sizeof(s) - 1), json), *(json) ? json : "no value: " #s)

static void values(void)
{
	char deep[MSG_VALUE_DEPTH + 2];

	VALUE("n", "null");
	VALUE("i\xff\xff\xff\xff\xff\xff\xff\xff", "-1");
	VALUE("d\0\0\0\0\0\0\xf8\x3f", "1.5");
	VALUE("d\0\0\0\0\0\0\x08\x40", "3.0");
	VALUE("d\x9a\x99\x99\x99\x99\x99\xb9\x3f", "0.1");
	VALUE("d\0\0\0\0\0\0\xf8\x7f", "null");		/* NaN */
	VALUE("d\0\0\0\0\0\0\xf0\xff", "null");		/* -inf */
	VALUE("s\7\0\0\0\"\\\n\0\x7f\xff" "n", "\"\\\"\\\\\\n\\u0000\\u007f\\\\xffn\"");
	VALUE("[]", "[]");
	VALUE("[nt[f]]", "[null,true,[false]]");
	VALUE("{}", "{}");
	VALUE("{s\1\0\0\0ans\0\0\0\0{}}", "{\"a\":null,\"\":{}}");
	VALUE("", "");
	VALUE("x", "");
	VALUE("nn", "");
	VALUE("[n", "");
	VALUE("]", "");
	VALUE("[}", "");
	VALUE("{n}", "");
	VALUE("{s\1\0\0\0a}", "");
	VALUE("i\1\0\0\0", "");
	VALUE("s\2\0\0\0a", "");
	VALUE("s\xff\xff\xff\xff", "");
	memset(deep, '[', sizeof(deep));
	memset(deep + sizeof(deep) / 2, ']', sizeof(deep) / 2);
	OK(*value(deep, sizeof(deep)), "lists in lists");
	char *deeper = calloc(2, 2 * MSG_VALUE_DEPTH);
	memset(deeper, '[', 2 * MSG_VALUE_DEPTH);
	OK(!*value(deeper, 4 * MSG_VALUE_DEPTH), "too many of them");
	free(deeper);
	char *many = malloc(MSG_VALUE_COUNT + 2);
	memset(many, 'n', MSG_VALUE_COUNT + 2);
	many[0] = '[';
	many[MSG_VALUE_COUNT + 1] = ']';
	OK(!*value(many, MSG_VALUE_COUNT + 2), "too many values");
	free(many);
}

static int say_n(struct results *r, unsigned what, const void *data, size_t n)
{
	static uint8_t body[MSG_RESULT_CHUNK + 2];
	struct frame f = { MSG_RESULT, (uint32_t)n + 1, body };
	struct err e = { 0 };

	body[0] = (uint8_t)what;
	memcpy(body + 1, data, n);
	int rc = results_take(r, &f, &e);
	return rc < 0 && e.kind != ERR_GUEST ? -2 : rc;
}

static int say(struct results *r, unsigned what, const char *text)
{
	return say_n(r, what, text, strlen(text));
}

static int begin(struct results *r, bool is_main)
{
	return say_n(r, MSG_RESULT_BEGIN, is_main ? "\1" : "\0", 1);
}

static bool is(const struct results *r, const char *text)
{
	return r->text.len == strlen(text) && !memcmp(r->text.at, text, r->text.len);
}

static void sequences(void)
{
	struct results r = { 0 };

	OK(begin(&r, false) == 0 && say(&r, MSG_TEXT, "a") == 0 && say(&r, MSG_TEXT, "b\xff") == 0 &&
	   say(&r, MSG_PNG, "\x89P") == 0 && say(&r, MSG_DATA_KEY, "[t]") == 0 && say(&r, MSG_RESULT_END, "") == 1 &&
	   is(&r, "{\"text\":\"ab\\\\xff\",\"png\":\"iVA=\",\"data\":[true],\"is_main_result\":false}"), "a result in parts");
	OK(begin(&r, true) == 0 && say(&r, MSG_TEXT, "") == 0 && say(&r, MSG_RESULT_END, "") == 1 && r.n == 2,
	   "an empty text is a text");
	OK(r.png.len == 6 && !memcmp(r.text.at + r.png.at, "\"iVA=\"", 6), "the first PNG");
	OK(r.main_text.len == 2 && !memcmp(r.text.at + r.main_text.at, "\"\"", 2), "the main result's text");
	OK(begin(&r, true) == 0 && say(&r, MSG_TEXT, "b") == 0 && say(&r, MSG_RESULT_END, "") == 1 &&
	   r.main_text.len == 3 && !memcmp(r.text.at + r.main_text.at, "\"b\"", 3), "of several main results the last");
	results_forget(&r);
	OK(begin(&r, false) == 0 && say(&r, MSG_JSON, "[") == 0 && say(&r, MSG_RESULT_END, "") == 1 &&
	   is(&r, "{\"is_main_result\":false}") && r.malformed == 1, "a malformed value is left out");
	results_forget(&r);
	OK(begin(&r, false) == 0 && say(&r, MSG_TEXT, "a") == 0 && begin(&r, false) == 0 && r.broken == 1,
	   "a result that was broken off is left out");
	results_end(&r);
	OK(r.broken == 2 && r.text.len == 0, "one that is not whole at the end is left out");
	OK(say(&r, MSG_TEXT, "x") == -1, "a part without a begin");
	OK(say(&r, MSG_RESULT_END, "") == -1, "an end without a begin");
	OK(say(&r, MSG_RESULT_WHATS, "") == -1, "a key that there is not");
	OK(say(&r, MSG_RESULT_BEGIN, "") == -1 && say(&r, MSG_RESULT_BEGIN, "\2") == -1 &&
	   say(&r, MSG_RESULT_BEGIN, "\1\1") == -1, "a begin that is none");
	OK(begin(&r, false) == 0 && say(&r, MSG_HTML, "x") == 0 && say(&r, MSG_TEXT, "x") == -1, "keys in the wrong order");
	OK(say(&r, MSG_HTML, "") == -1, "an empty part");
	OK(say(&r, MSG_RESULT_END, "x") == -1, "an end with bytes");
	results_free(&r);
	struct frame f = { MSG_RESULT, 0, (const uint8_t *)"" };
	struct err e;
	OK(results_take(&r, &f, &e) == -1 && e.kind == ERR_GUEST, "an empty message");
}

static void bounds(void)
{
	static uint8_t zeros[MSG_RESULT_CHUNK + 1];
	struct results r = { 0 };
	int rc = begin(&r, false);

	OK(rc == 0 && say_n(&r, MSG_TEXT, zeros, sizeof(zeros)) == -1, "a part that is too long");
	for (unsigned i = 0; i < MSG_RESULT_MAX / MSG_RESULT_CHUNK; i++)
		rc |= say_n(&r, MSG_TEXT, zeros, MSG_RESULT_CHUNK);
	OK(rc == 0 && say_n(&r, MSG_TEXT, zeros, 1) == -1, "a value that is too long");
	/* each NUL is six bytes of JSON: more than all results may have */
	OK(say(&r, MSG_RESULT_END, "") == 0 && r.left_out == 1 && r.n == 0 && r.text.len == 0,
	   "a result that is too large is left out");
	for (unsigned i = 0; i < MSG_RESULTS_MAX + 5; i++)
		rc |= begin(&r, false) < 0 || say(&r, MSG_TEXT, "x") < 0 || say(&r, MSG_RESULT_END, "") < 0;
	OK(rc == 0 && r.n == MSG_RESULTS_MAX - 1 && r.left_out == 7 &&
	   r.text.len == r.n * (sizeof("{\"text\":\"x\",\"is_main_result\":false},") - 1) - 1, "so many results, and no more");
	OK(begin(&r, true) == 0 && say(&r, MSG_TEXT, "m") == 0 && say(&r, MSG_RESULT_END, "") == 1 &&
	   r.main_text.len == 3, "but the main one has its place");
	results_free(&r);
}

static void tails(void)
{
	static const struct {
		const char *text;
		size_t tail;
	} rows[] = { { "", 0 }, { "a", 0 }, { "\xe2\x82\xac", 0 }, { "a\xe2\x82", 2 }, { "\xe2", 1 }, { "\xf0\x9f\x98", 3 },
		     { "\xc3", 1 }, { "\xff", 0 }, { "\x82\x82\x82\x82", 0 }, { "\xc3\xa9\xc3", 1 }, { "\xc0", 0 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		OK(quote_tail((const uint8_t *)rows[i].text, strlen(rows[i].text)) == rows[i].tail, "the start of a character");
}

int main(void)
{
	values();
	sequences();
	bounds();
	tails();
	return TAP_DONE();
}
