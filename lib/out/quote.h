/* SPDX-License-Identifier: Apache-2.0 */
/* quote - bytes that may be anything as strict JSON: UTF-8, one line, and nothing in
 * it that a terminal would obey (DEL, U+0080 to U+009F and all below U+0020 are
 * escapes). Each function appends to OUT, which grows to MAX at most; where one
 * fails, what OUT held before is as it was, but for what was appended in part.
 */
#ifndef PAI_OUT_QUOTE_H
#define PAI_OUT_QUOTE_H

#include "base/err.h"
#include "base/str.h"

#include <jansson.h>
#include <stdbool.h>

/* How many bytes at the end of S[0..N) are the start of a character of which the rest
 * has not come: 0 to 3. */
size_t quote_tail(const uint8_t *s, size_t n);
bool quote_is_utf8(const uint8_t *s, size_t n);

int quote_raw(struct buf *out, const char *text, size_t max, struct err *e);
/* A string; a byte that is no UTF-8 is \xNN in it. */
int quote_text(struct buf *out, const void *s, size_t n, size_t max, struct err *e);
/* A string of base64. */
int quote_base64(struct buf *out, const uint8_t *s, size_t n, size_t max, struct err *e);
/* The members of the object O, which is taken over, without its braces. */
int quote_members(struct buf *out, json_t *o, struct err *e);
/* A jansson string of such bytes. */
json_t *quote_json(const void *s, size_t n);

#endif
