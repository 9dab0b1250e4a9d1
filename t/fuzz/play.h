/* SPDX-License-Identifier: Apache-2.0 */
/* play - what guest.c, the host of a script, and inside.c, the world that it makes up
 * around the guest, know together. */
#ifndef PAI_T_FUZZ_PLAY_H
#define PAI_T_FUZZ_PLAY_H

#include "bytes.h"
#include "guest/guest.h"

#define PID 77			/* of the program */

extern struct play {
	struct bytes script;
	struct guest *g;
	int host;		/* the host's end of the channel */
	int go, in, out[2], tell;	/* the program's ends */
	bool ended, fails, dialled_anew, cut;	/* fails: the next step of the world does */
	int status;
	unsigned idle;
	struct buf heard;	/* what the host got */
	uint64_t fed;		/* bytes that the host sent against credit */
	int list;		/* MSG_LIST of the first RUN, or -1 */
} play;

#endif
