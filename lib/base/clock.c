/* SPDX-License-Identifier: Apache-2.0 */
/* clock - see clock.h */
#include "base/clock.h"

#include <limits.h>
#include <time.h>

int64_t clock_now_us(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);	/* cannot fail */
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

int clock_poll_ms(int64_t at_us)
{
	if (at_us == CLOCK_NEVER)
		return -1;
	int64_t left = at_us - clock_now_us();
	if (left <= 0)
		return 0;
	left = (left + 999) / 1000;
	return left > INT_MAX ? INT_MAX : (int)left;
}
