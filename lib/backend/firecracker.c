/* SPDX-License-Identifier: Apache-2.0 */
/* firecracker - a microVM; see backend.h */
#include "backend/backend.h"

static int probe(const struct plan *p, char **program, struct err *e)
{
	(void)p;
	*program = NULL;
	return err_set(e, ERR_BACKEND, "not built yet");
}

const struct backend backend_firecracker = { .name = "firecracker", .probe = probe };
