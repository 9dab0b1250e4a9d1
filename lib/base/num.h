/* SPDX-License-Identifier: Apache-2.0 */
/* num - numbers that people write: wholly understood, or refused.
 *
 * No sign, no blanks, no rounding in silence. Each function names the text
 * and what would be right; the caller puts the option in front.
 */
#ifndef PAI_BASE_NUM_H
#define PAI_BASE_NUM_H

#include "base/err.h"

#include <stdint.h>

#define NUM_NONE UINT64_MAX	/* "none": no limit */

/* A plain decimal number, MIN to MAX. */
int num_count(const char *text, uint64_t min, uint64_t max, uint64_t *out,
	      struct err *e);
/* A size in bytes: digits, then K, M, G or T (powers of 1024) if wanted; "none"
 * (where NONE_OK) gives NUM_NONE. */
int num_size(const char *text, uint64_t min, uint64_t max, int none_ok,
	     uint64_t *out, struct err *e);
/* A time in milliseconds: "10", "1.5s", "250ms", "2m", "1h", "1d", to the
 * millisecond; "none" (where NONE_OK) gives NUM_NONE. */
int num_duration(const char *text, uint64_t min_ms, uint64_t max_ms,
		 int none_ok, uint64_t *out_ms, struct err *e);

/* For people: "1G", "512M", "10 s", "250 ms". DST has NUM_TEXT bytes. */
#define NUM_TEXT 32
const char *num_size_text(uint64_t bytes, char *dst);
const char *num_duration_text(uint64_t ms, char *dst);

#endif
