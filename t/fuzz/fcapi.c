/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as the answer of Firecracker's API: nothing is read beyond them, what
 * is given out lies in them, and no part of a stream is read in another way than
 * all of it: a whole answer stays the same, and what is none becomes none. */
#include "backend/fcapi.h"
#include "target.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define CUTS 64

struct answer {
	int rc;
	unsigned status;
	size_t at, len;
};

static struct answer parse(const uint8_t *data, size_t n)
{
	/* as large as it is, so that a sanitizer sees a byte too far */
	char *copy = malloc(n ? n : 1);
	const char *body = NULL;
	struct answer a = { 0 };

	if (!copy)
		abort();
	if (n)
		memcpy(copy, data, n);
	a.rc = fcapi_parse(copy, n, &a.status, &body, &a.len);
	if (a.rc < -1 || a.rc > 1 || (a.rc < 1 && (a.status || body || a.len)))
		abort();
	if (a.rc == 1) {
		if (body < copy || body > copy + n || a.len > n - (size_t)(body - copy) || a.status > 999 ||
		    (size_t)(body - copy) + a.len > FCAPI_ANSWER_MAX)
			abort();
		a.at = (size_t)(body - copy);
	}
	free(copy);
	return a;
}

static bool same(const struct answer *a, const struct answer *b)
{
	return a->rc == b->rc && a->status == b->status && a->at == b->at && a->len == b->len;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t step = size < CUTS ? 1 : size / CUTS;
	struct answer all = parse(data, size);

	for (size_t n = 0; n < size; n += step) {
		struct answer part = parse(data, n);

		if (part.rc && !same(&part, &all))
			abort();
		if (part.rc == 0 && all.rc == 1 && n >= all.at + all.len)
			abort();
	}
	return 0;
}
