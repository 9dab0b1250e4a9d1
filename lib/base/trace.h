/* SPDX-License-Identifier: Apache-2.0 */
/* trace - when our own steps were done: with PAI_TRACE in the environment one
 * line each on standard error, at the end. The keeper's are in it too, for the
 * table lies in memory that a fork shares. */
#ifndef PAI_BASE_TRACE_H
#define PAI_BASE_TRACE_H

#include <stdint.h>
#include <stdio.h>

/* Before the first fork; BEGIN_US is what times are counted from. */
void trace_begin(int64_t begin_us);
/* STEP is done; one test of a pointer if nobody asked. STEP is a literal. */
void trace(const char *step);
void trace_show(FILE *to);

#endif
