/* SPDX-License-Identifier: Apache-2.0 */
/* mapped - files of /workspace that the program has in its memory, to write: what it
 * writes so changes no time of theirs, for they lie on a tmpfs.
 */
#ifndef PAI_GUEST_MAPPED_H
#define PAI_GUEST_MAPPED_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define MAPPED_MAX 10000u	/* mappings; more are not looked at */

struct mapped {
	ino_t *ino;
	size_t n;
};

/* Those of all processes of the program, between guest_as_user() and guest_as_root();
 * they stand still. A process that ends meanwhile is none. */
int mapped_find(struct mapped *m, struct err *e);
bool mapped_has(const struct mapped *m, ino_t ino);
void mapped_free(struct mapped *m);
/* Goes on with SUM over DATA[0..N): equal for equal bytes, told apart from others well
 * enough; it is no defence. */
uint64_t mapped_sum(uint64_t sum, const uint8_t *data, size_t n);

#endif
