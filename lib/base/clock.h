/* SPDX-License-Identifier: Apache-2.0 */
/* clock - durations by CLOCK_MONOTONIC: a jump of the date matters to none. */
#ifndef PAI_BASE_CLOCK_H
#define PAI_BASE_CLOCK_H

#include <stdint.h>

#define CLOCK_NEVER INT64_MAX	/* a deadline that never comes */

int64_t clock_now_us(void);
/* What poll() wants: milliseconds until AT_US, rounded up; -1 for never. */
int clock_poll_ms(int64_t at_us);

#endif
