/* SPDX-License-Identifier: Apache-2.0 */
/* outtar - kept files as a tar on standard output; the sink of outdir.h for it. */
#ifndef PAI_OUT_OUTTAR_H
#define PAI_OUT_OUTTAR_H

#include "out/outdir.h"

/* Makes the tar the sink of D, if standard output can take one. */
int outtar_open(struct outdir *d, struct err *e);

#endif
