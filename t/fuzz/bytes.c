/* SPDX-License-Identifier: Apache-2.0 */
/* bytes - see bytes.h */
#include "bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint8_t bytes_one(struct bytes *b)
{
	return (uint8_t)bytes_number(b, 1);
}

uint64_t bytes_number(struct bytes *b, unsigned n)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < n && b->left > 0; i++, b->left--)
		v |= (uint64_t)*b->at++ << (8 * i);
	return v;
}

const uint8_t *bytes_some(struct bytes *b, size_t *n)
{
	const uint8_t *at = b->at;

	if (*n > b->left)
		*n = b->left;
	if (*n == 0)
		return (const uint8_t *)"";
	b->at += *n;
	b->left -= *n;
	return at;
}

void bytes_path(struct bytes *b, char path[BYTES_PATH])
{
	static const char *const parts[] = {
		"a", "b", "sub", "dir", "file", "fifo", "hard", "link", "..", ".", "", "victim",
		".pai-exec.0123456789abcdef", "caf\xc3\xa9", "\xff\xfe", "a\n\x1b[2J",
	};
	size_t at = 0;

	for (uint8_t more = 1, what; more && at < BYTES_PATH - 300;) {
		what = bytes_one(b);
		more = what >> 7;
		if (what & 0x40) {	/* a name of its own */
			size_t n = what & 0x20 ? bytes_one(b) : what & 7;
			const uint8_t *own = bytes_some(b, &n);

			memcpy(path + at, own, n);
			at += n;
		} else {
			at += (size_t)sprintf(path + at, "%s", parts[what & 15]);
		}
		if (more)
			path[at++] = '/';
	}
	path[at] = 0;
}

_Noreturn void bytes_broken(const char *file, int line, const char *what)
{
	fprintf(stderr, "%s:%d: broken: %s\n", file, line, what);
	abort();
}
