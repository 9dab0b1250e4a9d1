/* SPDX-License-Identifier: Apache-2.0 */
/* say - what pai-exec tells a person: one line each, on standard error. */
#ifndef PAI_CMD_SAY_H
#define PAI_CMD_SAY_H

#include "out/result.h"
#include "plan/plan.h"

/* The name in front of each message; pai-exec unless another program says so. */
extern const char *say_program;
/* "PROGRAM: TEXT", in one write, so that it stays whole among others'. */
void say(const char *text);
/* STATUS once all of standard output is written, or 125 and a line. */
int say_flushed(int status);
/* All that is to be said of a run in text format. */
void say_all(const struct plan *p, const struct result *r);

#endif
