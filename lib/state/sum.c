/* SPDX-License-Identifier: Apache-2.0 */
/* sum - see sum.h */
#include "state/sum.h"

#include "base/sparse.h"

#include <errno.h>
#include <sys/types.h>
#include <unistd.h>

#define XXH_STATIC_LINKING_ONLY	/* its state may lie on the stack then */
#include <xxhash.h>

static void add_number(XXH3_state_t *h, uint64_t number)
{
	uint8_t bytes[8];

	for (int i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(number >> 8 * i);
	(void)XXH3_64bits_update(h, bytes, sizeof(bytes));	/* fails for a NULL only */
}

static int read_block(int fd, uint8_t *block, size_t n, off_t at)
{
	for (size_t got = 0; got < n;) {
		ssize_t r = pread(fd, block + got, n - got, at + (off_t)got);

		if (r < 0 && errno == EINTR)
			continue;
		if (r == 0)
			errno = EIO;
		if (r <= 0)
			return -1;
		got += (size_t)r;
	}
	return 0;
}

int sum_file(int fd, uint64_t size, uint64_t *sum)
{
	XXH3_state_t h;		/* aligned by its type */
	uint8_t block[SUM_BLOCK];
	off_t at = 0, end = 0;

	(void)XXH3_64bits_reset(&h);
	while (at < (off_t)size) {
		if (at >= end)
			at = sparse_data(fd, at, (off_t)size, &end);
		if (at >= (off_t)size)
			break;
		at -= at % SUM_BLOCK;
		size_t n = (off_t)size - at < SUM_BLOCK ? (size_t)((off_t)size - at) : SUM_BLOCK;

		if (read_block(fd, block, n, at) < 0)
			return -1;
		if (!sparse_is_zero(block, n)) {
			add_number(&h, (uint64_t)at / SUM_BLOCK);
			(void)XXH3_64bits_update(&h, block, n);
		}
		at += (off_t)n;
	}
	add_number(&h, size);
	*sum = XXH3_64bits_digest(&h);
	return 0;
}
