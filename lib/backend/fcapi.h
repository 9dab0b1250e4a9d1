/* SPDX-License-Identifier: Apache-2.0 */
/* fcapi - Firecracker's API: one request at a time over its Unix socket. Only
 * what its half a dozen requests need of HTTP; an answer is bounded. */
#ifndef PAI_BACKEND_FCAPI_H
#define PAI_BACKEND_FCAPI_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

#define FCAPI_ANSWER_MAX 16384u	/* bytes, head and body */

/* Connects to SOCKET, again until UNTIL_US where nobody listens yet, sends BODY
 * by VERB to PATH and waits for the answer. -1 and *e if it is no success. */
int fcapi_call(const char *socket_path, const char *verb, const char *path, const char *body,
	       int64_t until_us, struct err *e);

/* Reads the answer in TEXT[0..N): 1 and its *STATUS and *BODY (to the end of the
 * answer: *LEN bytes in TEXT), 0 if more must come, -1 if it is none. Pure. */
int fcapi_parse(const char *text, size_t n, unsigned *status, const char **body, size_t *len);

#endif
