/* SPDX-License-Identifier: Apache-2.0 */
/* say - what our programs tell: a person one line each, on standard error; JSON on
 * standard output. */
#ifndef PAI_CMD_SAY_H
#define PAI_CMD_SAY_H

#include "out/result.h"
#include "plan/plan.h"

#include <jansson.h>

/* The name in front of each message; pai-exec unless another program says so. */
extern const char *say_program;
/* How long a line waits for its reader; -1 is as long as he takes. */
extern int say_wait_ms;
/* "PROGRAM: TEXT", in one write, so that it stays whole among others'. */
void say(const char *text);
/* Prints J on standard output as one line, and frees it. */
void say_json(json_t *j);
/* STATUS once all of standard output is written, or 125 and a line. */
int say_flushed(int status);
/* All that is to be said of a run in text format. */
void say_all(const struct plan *p, const struct result *r);

#endif
