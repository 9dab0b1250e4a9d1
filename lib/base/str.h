/* SPDX-License-Identifier: Apache-2.0 */
/* str - vectors of strings, growing buffers with a ceiling, printable text.
 *
 * Ownership: strv owns its strings, buf owns its bytes; *_free take empty
 * and half-made ones and may be called twice.
 */
#ifndef PAI_BASE_STR_H
#define PAI_BASE_STR_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

struct strv {
	char **at;		/* n strings and a NULL; NULL while empty */
	size_t n;
};

/* Appends a copy of TEXT. */
int strv_add(struct strv *v, const char *text, struct err *e);
void strv_free(struct strv *v);

struct buf {
	uint8_t *at;
	size_t len, cap;
};

/* Makes room for MORE bytes behind len; the whole may not pass MAX. */
int buf_room(struct buf *b, size_t more, size_t max, struct err *e);
int buf_add(struct buf *b, const void *data, size_t n, size_t max, struct err *e);
/* Drops the first N bytes. */
void buf_drop(struct buf *b, size_t n);
void buf_free(struct buf *b);

/* Writes SRC[0..N) into DST as one printable line: control bytes, DEL and
 * bytes that are no UTF-8 become \xNN; what does not fit is cut (never inside
 * a character). Returns the length, at most SIZE - 1; DST ends with NUL. */
size_t str_printable(char *dst, size_t size, const char *src, size_t n);

/* How many bytes must be changed, put in or taken out to make B of A; of each
 * the first STR_DISTANCE_MAX bytes count. */
#define STR_DISTANCE_MAX 64
size_t str_distance(const char *a, const char *b);

/* Writes N bytes as 2 * N lower-case digits and a NUL. */
void str_hex(char *dst, const uint8_t *src, size_t n);

/* Bytes (1 to 4) of the valid UTF-8 character at S, or 0 if there is none. */
size_t str_utf8(const uint8_t *s, size_t n);

#endif
