/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes at all: the decoder stays inside them and always moves forward, what
 * it finds does not depend on how they were cut, and a message that is accepted
 * encodes to what it was decoded from. */
#include "bytes.h"
#include "target.h"
#include "wire/msg.h"

#include <stdlib.h>
#include <string.h>

#define FRAMES_MAX 64		/* that are compared; the rest is decoded only */

static void same(const struct frame *f, const uint8_t *body, ssize_t n)
{
	MUST(n == (ssize_t)f->len && !memcmp(body, f->body, f->len));
}

/* The fields of the smaller messages are a row of numbers and strings: whatever
 * the row is, packing what was unpacked gives the same bytes. */
static void fields(const struct frame *f, uint8_t *body)
{
	struct packer p = { .at = body, .cap = FRAME_MAX };
	struct unpacker u = unpack(f);
	struct err e;

	for (unsigned i = f->kind; u.left > 0 && !u.bad; i = 5 * i + 1) {
		unsigned bytes = i >> 2 & 8 ? 8 : 1 + (i >> 2 & 3);

		if (i & 3) {
			uint64_t v = unpack_number(&u, bytes);

			if (!u.bad)
				pack_number(&p, v, bytes);
		} else {
			size_t n;
			const uint8_t *at = unpack_bytes(&u, &n);

			MUST(u.bad ? n == 0 : n <= f->len && at >= f->body && at + n <= f->body + f->len);
			if (!u.bad)
				pack_bytes(&p, at, n);
		}
	}
	if (unpack_end(&u, "any", &e) == 0)
		same(f, body, p.full ? -1 : (ssize_t)p.len);
}

static void decode(const struct frame *f)
{
	static struct msg_text t;
	static uint8_t body[FRAME_MAX];
	struct msg_ended ended;
	struct msg_file file;
	struct msg_run run;
	struct err e;

	if (msg_get_file(f, &file, &t, &e) == 0) {
		MUST(msg_path_ok(file.path, strlen(file.path)));
		same(f, body, msg_put_file(&file, body, sizeof(body), &e));
	}
	if (msg_get_run(f, &run, &t, &e) == 0)
		same(f, body, msg_put_run(&run, body, sizeof(body), &e));
	if (msg_get_ended(f, &ended, &e) == 0)
		same(f, body, msg_put_ended(&ended, body, sizeof(body), &e));
	fields(f, body);
}

struct found {
	size_t n, used;
	int end;		/* what frame_next() said last */
	struct frame frame[FRAMES_MAX];
};

/* Cuts DATA into frames, of which BODY is at the same place in the whole. */
static void cut_all(const uint8_t *data, size_t size, struct found *all)
{
	struct frame f;
	struct err e;
	ssize_t used;

	*all = (struct found){ 0 };
	while ((used = frame_next(data + all->used, size - all->used, &f, &e)) > 0) {
		MUST(f.len <= FRAME_MAX && (size_t)used == FRAME_HEAD + f.len && (size_t)used <= size - all->used);
		MUST(f.body == data + all->used + FRAME_HEAD);
		if (all->n < FRAMES_MAX)
			all->frame[all->n++] = f;
		decode(&f);
		all->used += (size_t)used;
	}
	all->end = (int)used;
}

/* The same with a buffer that grows by STEP bytes, as a socket gives them. */
static void cut_in_steps(const uint8_t *data, size_t size, size_t step, const struct found *all)
{
	uint8_t *copy = malloc(size ? size : 1);	/* so that a byte too far is seen */
	size_t have = 0, done = 0, n = 0;
	struct frame f;
	struct err e;
	ssize_t used = 0;

	MUST(copy);
	while (used >= 0 && have < size) {
		size_t more = size - have < step ? size - have : step;

		memcpy(copy + have, data + have, more);
		have += more;
		while ((used = frame_next(copy + done, have - done, &f, &e)) > 0) {
			if (n < FRAMES_MAX)
				MUST(n < all->n && f.kind == all->frame[n].kind && f.len == all->frame[n].len &&
				     f.body - copy == all->frame[n].body - data);
			n++;
			done += (size_t)used;
		}
	}
	MUST(done == all->used && (size == 0 || used == all->end));
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct found all;

	cut_all(data, size, &all);
	cut_in_steps(data, size, size > 256 ? size / 64 : 1, &all);
	cut_in_steps(data, size, size ? 1 + data[size - 1] : 1, &all);
	return 0;
}
