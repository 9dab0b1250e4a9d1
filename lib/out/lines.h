/* SPDX-License-Identifier: Apache-2.0 */
/* lines - a result while it comes about: --format=ndjson, one JSON object a line on
 * standard output (pai-exec-result(5)).
 *
 * All lines go through one queue, result.lines, that the loop serves as it does any
 * stream. While the reader makes it wait the program's streams are not read (but for what
 * they have before a result), and from LINES_FULL bytes on no results either: he stops the
 * program, not the memory.
 */
#ifndef PAI_OUT_LINES_H
#define PAI_OUT_LINES_H

#include "out/result.h"

#define LINES_FULL (16u << 20)	/* bytes that wait: no results are taken */

void lines_open(struct result *r);
/* True if the reader makes us wait; if he does and there is much to be read. */
bool lines_wait(const struct result *r);
bool lines_are_full(const struct result *r);

/* The program has started. */
int lines_start(struct result *r, struct err *e);
/* What S, of STREAM_LINES, holds, but for the start of a character whose rest may come. */
int lines_stream(struct result *r, struct stream *s, struct err *e);
/* The result that has become whole. */
int lines_result(struct result *r, struct err *e);
/* All that is known at the end, its last line too: waits for the reader as long as he
 * takes, or until a signal ends us; half a second where one has come already. A reader
 * who has gone away makes it a RESULT_CANCELLED by SIGPIPE. */
int lines_finish(const struct plan *p, struct result *r, struct err *e);

#endif
