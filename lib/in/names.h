/* SPDX-License-Identifier: Apache-2.0 */
/* names - what two inputs cannot both be called in /workspace. Where an entry is not
 * to be sent, its type becomes MSG_TYPES. */
#ifndef PAI_IN_NAMES_H
#define PAI_IN_NAMES_H

#include "in/inputs.h"

/* Two sources of one name, or one beneath another that is no folder: an error, unless
 * they are one and the same file, which is sent once. */
int names_check(struct inputs *in, struct err *e);
/* Of the entries from BEFORE on those that cannot be beside an earlier one are not sent. */
int names_make_way(struct inputs *in, size_t before, struct err *e);

#endif
