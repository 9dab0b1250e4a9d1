/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON result, whatever bytes the guest and the user gave: one line of strict
 * UTF-8 JSON, from which each of them can be read back. */
#include "bytes.h"
#include "out/object.h"
#include "target.h"

#include <jansson.h>
#include <nettle/base64.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX 4096

/* A text of the script: its length, then its bytes. */
static const uint8_t *take(struct bytes *b, size_t *n)
{
	*n = bytes_one(b);
	if (*n > 200)
		*n = (*n - 200) * 64;
	return bytes_some(b, n);
}

static char *take_text(struct bytes *b)
{
	size_t n;
	const uint8_t *at = take(b, &n);
	char *text = strndup((const char *)at, n);

	MUST(text);
	return text;
}

static void fill_stream(struct bytes *b, struct stream *s)
{
	size_t n, more = bytes_one(b) & 1;
	const uint8_t *at = take(b, &n);
	struct err e;

	MUST(buf_add(&s->held, at, n, TEXT_MAX, &e) == 0);
	s->bytes = n + more * bytes_number(b, 7);
}

static void fill_files(struct bytes *b, struct outdir *d)
{
	static const char *const reasons[] = { "symlink", "too_big" };

	d->files = bytes_one(b) & 3;
	d->skips = bytes_one(b) & 3;
	d->file = calloc(4, sizeof(*d->file));
	d->skip = calloc(4, sizeof(*d->skip));
	MUST(d->file && d->skip);
	for (size_t i = 0; i < d->files; i++)
		d->file[i] = (struct out_file){ .path = take_text(b), .size = bytes_number(b, 8) >> 1,
						.mode = (unsigned)bytes_number(b, 2) & 0777 };
	for (size_t i = 0; i < d->skips; i++)
		d->skip[i] = (struct out_skip){ take_text(b), reasons[i & 1], i & 1 };
}

static void fill(struct bytes *b, const struct plan *p, struct result *r)
{
	struct err e;
	size_t n;

	result_init(r, p, 1);
	r->status = bytes_one(b) % RESULT_STATUSES;
	r->ended = bytes_one(b) & 1;
	r->exit_code = bytes_one(b);
	r->signal = bytes_one(b) & 63;
	r->peak_bytes = bytes_number(b, 8) >> 1;
	r->finish_us = (int64_t)bytes_number(b, 6);
	fill_stream(b, &r->out);
	fill_stream(b, &r->err);
	fill_files(b, &r->files);
	for (int i = 0; i < MSG_NOTES; i++) {
		const uint8_t *at = take(b, &n);

		MUST(buf_add(&r->note[i], at, n, TEXT_MAX, &e) == 0);
	}
	for (int i = bytes_one(b) & 3; i > 0; i--) {
		char *text = take_text(b);

		MUST(strv_add(&r->warnings, text, &e) == 0);
		free(text);
	}
	char *text = take_text(b);
	(void)err_set(&r->error, ERR_GUEST, "%s", text);
	r->image.name = text;
	r->backend = n & 1 ? "gvisor" : NULL;
}

/* No byte that strict JSON or a line may not have. */
static void check_bytes(const char *text)
{
	size_t n = strlen(text);

	MUST(n > 1 && text[n - 1] == '\n');
	for (size_t i = 0, len; i < n - 1; i += len) {
		len = str_utf8((const uint8_t *)text + i, n - i);
		MUST(len > 0 && (uint8_t)text[i] >= 0x20);
	}
}

/* S with each byte that is no UTF-8 as \xNN: what J, a string, must be. */
static void same_escaped(const json_t *j, const void *s, size_t n)
{
	const char *got = json_string_value(j), *at = s;
	size_t left = json_string_length(j);

	MUST(got);
	for (size_t i = 0, len; i < n; i += len ? len : 1) {
		char hex[8];

		len = str_utf8((const uint8_t *)at + i, n - i);
		snprintf(hex, sizeof(hex), "\\x%02x", (uint8_t)at[i]);
		size_t want = len ? len : 4;
		MUST(left >= want && !memcmp(got, len ? at + i : hex, want));
		got += want;
		left -= want;
	}
	MUST(left == 0);
}

static void same_stream(const json_t *o, const char *name, const struct stream *s)
{
	const json_t *j = json_object_get(o, name);
	uint8_t raw[TEXT_MAX + 64];
	char key[32];
	size_t n = json_string_length(j);

	snprintf(key, sizeof(key), "%s_bytes", name);
	MUST((uint64_t)json_integer_value(json_object_get(o, key)) == s->bytes);
	snprintf(key, sizeof(key), "%s_truncated", name);
	bool cut = json_is_true(json_object_get(o, key));
	MUST(cut == (s->bytes > s->held.len));
	snprintf(key, sizeof(key), "%s_encoding", name);
	if (!strcmp(json_string_value(json_object_get(o, key)), "utf-8")) {
		/* a cut may have taken the start of a character along */
		MUST(n <= s->held.len && s->held.len - n <= (cut ? 3 : 0));
		MUST(n == 0 || !memcmp(json_string_value(j), s->held.at, n));
		return;
	}
	struct base64_decode_ctx ctx;
	size_t len = sizeof(raw);
	base64_decode_init(&ctx);
	MUST(BASE64_DECODE_LENGTH(n) <= len && base64_decode_update(&ctx, &len, raw, n, json_string_value(j)));
	MUST(base64_decode_final(&ctx) && len == s->held.len && !memcmp(raw, s->held.at, len));
}

static void same_lists(const json_t *o, const struct result *r)
{
	const json_t *files = json_object_get(o, "files"), *skips = json_object_get(o, "skipped"),
		     *warnings = json_object_get(o, "warnings");

	MUST(json_array_size(files) == r->files.files && json_array_size(skips) == r->files.skips &&
	     json_array_size(warnings) == r->warnings.n);
	for (size_t i = 0; i < r->files.files; i++) {
		const json_t *f = json_array_get(files, i);

		same_escaped(json_object_get(f, "path"), r->files.file[i].path, strlen(r->files.file[i].path));
		MUST((uint64_t)json_integer_value(json_object_get(f, "size")) == r->files.file[i].size);
	}
	for (size_t i = 0; i < r->files.skips; i++)
		same_escaped(json_object_get(json_array_get(skips, i), "path"), r->files.skip[i].path,
			     strlen(r->files.skip[i].path));
	for (size_t i = 0; i < r->warnings.n; i++)
		same_escaped(json_array_get(warnings, i), r->warnings.at[i], strlen(r->warnings.at[i]));
}

static void same_error(const json_t *o, const struct result *r)
{
	const json_t *j = json_object_get(o, "error");
	const struct buf *note = r->note;

	if (r->status == RESULT_FAILED) {
		same_escaped(json_object_get(j, "value"), r->error.msg, strlen(r->error.msg));
	} else if (note[MSG_NOTE_NAME].len == 0) {
		MUST(json_is_null(j));
	} else {
		same_escaped(json_object_get(j, "name"), note[0].at, note[0].len);
		same_escaped(json_object_get(j, "value"), note[1].at, note[1].len);
		same_escaped(json_object_get(j, "traceback"), note[2].at, note[2].len);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes script = { data, size };
	struct plan p;
	struct buf out = { 0 };
	struct result r;
	struct err e;

	plan_init(&p);
	p.format = FORMAT_JSON;
	p.output_dir = strdup("out");
	fill(&script, &p, &r);
	MUST(object_write(&p, &r, &out, &e) == 0 && buf_add(&out, "", 1, SIZE_MAX, &e) == 0);
	const char *text = (const char *)out.at;
	check_bytes(text);
	json_t *o = json_loads(text, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
	MUST(o && !strcmp(json_string_value(json_object_get(o, "status")), result_word(r.status)));
	same_stream(o, "stdout", &r.out);
	same_stream(o, "stderr", &r.err);
	same_lists(o, &r);
	same_error(o, &r);
	json_decref(o);
	buf_free(&out);
	result_free(&r);
	plan_free(&p);
	return 0;
}
