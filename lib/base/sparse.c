/* SPDX-License-Identifier: Apache-2.0 */
/* sparse - see sparse.h */
#include "base/sparse.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

off_t sparse_data(int fd, off_t at, off_t size, off_t *end)
{
	off_t data = lseek(fd, at, SEEK_DATA);

	*end = size;
	if (data < 0)
		return errno == ENXIO ? size : at;
	off_t hole = lseek(fd, data, SEEK_HOLE);
	if (hole >= 0 && hole < size)
		*end = hole;
	return data < size ? data : size;
}

bool sparse_is_zero(const void *bytes, size_t n)
{
	const uint8_t *at = bytes;

	return n == 0 || (at[0] == 0 && memcmp(at, at + 1, n - 1) == 0);
}
