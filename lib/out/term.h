/* SPDX-License-Identifier: Apache-2.0 */
/* term - the program's bytes as a terminal may see them: text, tabs, newlines,
 * carriage returns, backspaces and colours pass; every other control byte, and
 * every byte that is no UTF-8, is shown as \xNN. The answer does not depend on
 * how the bytes were cut. */
#ifndef PAI_OUT_TERM_H
#define PAI_OUT_TERM_H

#include <stddef.h>
#include <stdint.h>

#define TERM_HOLD 32		/* bytes of a colour sequence at most */
#define TERM_GROWTH 4		/* bytes out for a byte in, at most */

struct term {
	uint8_t hold[TERM_HOLD];	/* the start of a character or colour */
	size_t held;
};

/* Filters IN[0..N) into OUT, which has room for TERM_GROWTH * (N + TERM_HOLD)
 * bytes; returns the length. LAST: nothing follows, what is held comes out. */
size_t term_filter(struct term *t, const uint8_t *in, size_t n, int last, uint8_t *out);

#endif
