/* SPDX-License-Identifier: Apache-2.0 */
/* tap - a few macros for tests in the Test Anything Protocol. */
#ifndef PAI_T_UNIT_TAP_H
#define PAI_T_UNIT_TAP_H

#include <stdio.h>

static int tap_count, tap_failed;

#define OK(cond, what) do { \
	int tap_ok = !!(cond); \
	tap_failed += !tap_ok; \
	printf("%sok %d - %s\n", tap_ok ? "" : "not ", ++tap_count, what); \
	if (!tap_ok) \
		printf("# %s:%d: %s\n", __FILE__, __LINE__, #cond); \
} while (0)

#define TAP_DONE() (printf("1..%d\n", tap_count), tap_failed > 0)

#endif
