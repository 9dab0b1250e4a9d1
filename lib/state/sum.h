/* SPDX-License-Identifier: Apache-2.0 */
/* sum - a fast checksum of a file, to notice damage: the 64-bit XXH3 of its blocks that
 * are not all zeros, each behind its number, and of its size. A hole is zeros: how a file
 * is stored makes no difference, and what was never written costs nothing to read. */
#ifndef PAI_STATE_SUM_H
#define PAI_STATE_SUM_H

#include <stdint.h>

#define SUM_BLOCK 65536		/* bytes; the last may be short */

/* The sum of the open file FD of SIZE bytes; 0, or -1 and errno (EIO: it is shorter). */
int sum_file(int fd, uint64_t size, uint64_t *sum);

#endif
