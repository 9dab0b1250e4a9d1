/* SPDX-License-Identifier: Apache-2.0 */
/* bytes - a fuzz target's input as a script: what is not there reads as zeros. */
#ifndef PAI_T_FUZZ_BYTES_H
#define PAI_T_FUZZ_BYTES_H

#include <stddef.h>
#include <stdint.h>

struct bytes {
	const uint8_t *at;
	size_t left;
};

/* The next byte, a number of N bytes in little endian, or up to N bytes (*N
 * becomes how many there are). */
uint8_t bytes_one(struct bytes *b);
uint64_t bytes_number(struct bytes *b, unsigned n);
const uint8_t *bytes_some(struct bytes *b, size_t *n);
/* A path: of a few names that scratch.h plants, of "..", or any bytes. */
#define BYTES_PATH 700
void bytes_path(struct bytes *b, char path[BYTES_PATH]);

/* What a promise that is broken costs: its text and abort(). */
#define MUST(cond) do { \
	if (!(cond)) \
		bytes_broken(__FILE__, __LINE__, #cond); \
} while (0)
_Noreturn void bytes_broken(const char *file, int line, const char *what);

#endif
