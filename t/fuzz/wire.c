/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes at all: the decoder stays inside them and always moves forward,
 * and a message that is accepted encodes to what it was decoded from. */
#include "target.h"
#include "wire/msg.h"

#include <stdlib.h>
#include <string.h>


static void same(const struct frame *f, const uint8_t *body, ssize_t n)
{
	if (n != (ssize_t)f->len || memcmp(body, f->body, f->len))
		abort();
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
		if (!msg_path_ok(file.path, strlen(file.path)))
			abort();
		same(f, body, msg_put_file(&file, body, sizeof(body), &e));
	}
	if (msg_get_run(f, &run, &t, &e) == 0)
		same(f, body, msg_put_run(&run, body, sizeof(body), &e));
	if (msg_get_ended(f, &ended, &e) == 0)
		same(f, body, msg_put_ended(&ended, body, sizeof(body), &e));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct frame f;
	struct err e;
	ssize_t used;

	for (; (used = frame_next(data, size, &f, &e)) > 0; data += used, size -= (size_t)used) {
		if ((size_t)used > size || f.len > FRAME_MAX)
			abort();
		decode(&f);
	}
	return 0;
}
