/* SPDX-License-Identifier: Apache-2.0 */
/* value - a value of a result (a list, an object: tokens, see wire/msg.h) as JSON text.
 *
 * Trust: the guest chose every byte. Each length is checked, lists lie MSG_VALUE_DEPTH
 * deep at most, and there are MSG_VALUE_COUNT values at most; no tree is built, so the
 * cost is the text. A number that JSON has not (NaN, infinity) is null. Names of an
 * object may repeat, if the guest repeats them.
 */
#ifndef PAI_OUT_VALUE_H
#define PAI_OUT_VALUE_H

#include "base/err.h"
#include "base/str.h"

/* Appends the one value that AT[0..N) is to OUT, which grows to MAX at most. -1 and
 * ERR_GUEST: it is none. */
int value_write(struct buf *out, const uint8_t *at, size_t n, size_t max, struct err *e);

#endif
