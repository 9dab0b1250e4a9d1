/* SPDX-License-Identifier: Apache-2.0 */
/* sparse - where a file has its bytes: holes, and the zeros that could be holes. */
#ifndef PAI_BASE_SPARSE_H
#define PAI_BASE_SPARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* The first byte at or behind AT of the open file FD, which has SIZE, that lies in no
 * hole, and *END, where those bytes end; SIZE if there is none. Where the holes cannot be
 * told there are none. Moves the file's offset. */
off_t sparse_data(int fd, off_t at, off_t size, off_t *end);
/* True if all N bytes are 0. */
bool sparse_is_zero(const void *bytes, size_t n);

#endif
