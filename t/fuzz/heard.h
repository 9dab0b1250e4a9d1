/* SPDX-License-Identifier: Apache-2.0 */
/* heard - what a host has heard of a guest is what an honest guest says: whole frames,
 * in order, within the bounds of the run, with one last word. */
#ifndef PAI_T_FUZZ_HEARD_H
#define PAI_T_FUZZ_HEARD_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct heard_rules {
	size_t files_max;	/* of RUN: files, and bytes of them */
	uint64_t output_max;
	bool list;		/* names and sizes only */
	bool session;		/* of the bounds the disk's alone holds, and that of its mirror */
	uint64_t fed;		/* bytes that the host sent against credit */
	bool dialled_anew;	/* what it heard first is lost */
	bool cut;		/* the host has left, and cannot hear the last word */
	bool failed;		/* that the guest's part could not be done */
};

void heard_check(const struct buf *heard, const struct heard_rules *rules);

#endif
