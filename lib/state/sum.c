/* SPDX-License-Identifier: Apache-2.0 */
/* sum - see sum.h */
#include "state/sum.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define XXH_STATIC_LINKING_ONLY	/* its state may lie on the stack then */
#include <xxhash.h>

static bool is_zero(const uint8_t *at, size_t n)
{
	return n == 0 || (at[0] == 0 && memcmp(at, at + 1, n - 1) == 0);
}

static void add_number(XXH3_state_t *h, uint64_t number)
{
	uint8_t bytes[8];

	for (int i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(number >> 8 * i);
	(void)XXH3_64bits_update(h, bytes, sizeof(bytes));	/* fails for a NULL only */
}

static int read_block(int fd, uint8_t *block, size_t n, uint64_t at)
{
	for (size_t got = 0; got < n;) {
		ssize_t r = pread(fd, block + got, n - got, (off_t)(at + got));

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

/* The block that AT is in, or the next one behind it with bytes on the disk; *END: where
 * those bytes end. A file system that does not know its holes has none. */
static uint64_t next_data(int fd, uint64_t at, uint64_t size, uint64_t *end)
{
	off_t data = lseek(fd, (off_t)at, SEEK_DATA);
	off_t hole = data < 0 ? -1 : lseek(fd, data, SEEK_HOLE);

	if (data < 0 && errno == ENXIO)
		return size;
	*end = hole < 0 || (uint64_t)hole > size ? size : (uint64_t)hole;
	return data < 0 ? at : (uint64_t)data / SUM_BLOCK * SUM_BLOCK;
}

int sum_file(int fd, uint64_t size, uint64_t *sum)
{
	XXH3_state_t h;		/* aligned by its type */
	uint8_t block[SUM_BLOCK];
	uint64_t at = 0, end = 0;

	(void)XXH3_64bits_reset(&h);
	while (at < size) {
		if (at >= end)
			at = next_data(fd, at, size, &end);
		if (at >= size)
			break;
		size_t n = size - at < SUM_BLOCK ? (size_t)(size - at) : SUM_BLOCK;

		if (read_block(fd, block, n, at) < 0)
			return -1;
		if (!is_zero(block, n)) {
			add_number(&h, at / SUM_BLOCK);
			(void)XXH3_64bits_update(&h, block, n);
		}
		at += n;
	}
	add_number(&h, size);
	*sum = XXH3_64bits_digest(&h);
	return 0;
}
