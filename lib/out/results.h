/* SPDX-License-Identifier: Apache-2.0 */
/* results - what a program has shown (tables, charts, the last expression's value), from
 * the guest's frames to JSON text.
 *
 * Each value becomes text when it is whole, so that what is held is bounded by what will
 * be written: MSG_RESULTS_MAX results, MSG_RESULTS_BYTES of text. What goes beyond is
 * left out and counted; a part of both is kept for the main result, which comes last.
 * Where the lines of --format=ndjson take each result away, one is held at a time.
 *
 * Trust: the guest chose every byte. An order of parts that no honest guest has, or a
 * value of more than MSG_RESULT_MAX, is an ERR_GUEST; a value that is malformed, which
 * the program itself can bring about, costs that value.
 */
#ifndef PAI_OUT_RESULTS_H
#define PAI_OUT_RESULTS_H

#include "base/err.h"
#include "base/str.h"
#include "wire/msg.h"

#include <stdbool.h>

/* A piece of the text: a JSON string, quotes included. */
struct results_piece {
	size_t at, len;		/* len 0: there is none */
};

struct results {
	struct buf text;	/* objects, with commas between them */
	size_t n;		/* of them */
	size_t left_out;	/* beyond the bounds */
	size_t broken;		/* never whole: left out too */
	size_t malformed;	/* values that were left out */
	struct results_piece main_text, png;	/* of the main result; the first PNG */

	/* the result that is arriving */
	bool open, is_main;
	bool skips;		/* it is left out */
	unsigned key;		/* enum msg_result, of the value that is arriving */
	struct buf value;	/* its bytes, as they come */
	size_t begin;		/* of the result in the text */
	struct results_piece own_text, own_png;
};

/* A part has come. 1: the result that it ended is in the text. */
int results_take(struct results *r, const struct frame *f, struct err *e);
/* The run is over: what is not whole never will be. */
void results_end(struct results *r);
/* The text has been taken away. */
void results_forget(struct results *r);
void results_free(struct results *r);

#endif
