/* SPDX-License-Identifier: Apache-2.0 */
/* fcapi - Firecracker's API: one request at a time over its Unix socket. Only
 * what its half a dozen requests need of HTTP; an answer is bounded. */
#ifndef PAI_BACKEND_FCAPI_H
#define PAI_BACKEND_FCAPI_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

#define FCAPI_ANSWER_MAX 16384u	/* bytes, head and body */

/* Connects to SOCKET_PATH, again until UNTIL_US where nobody listens yet (but not
 * when the process of PID_FD, if there is one, has ended), sends BODY by VERB to
 * PATH and waits for the answer. -1 and *e if it is no success: ERR_DIED where it
 * hung up instead of answering. */
int fcapi_call(const char *socket_path, int pid_fd, const char *verb, const char *path,
	       const char *body, int64_t until_us, struct err *e);

/* Reads the answer in TEXT[0..N): 1 and its *STATUS and *BODY (*LEN bytes in TEXT),
 * 0 if more must come, -1 if it is none. More than FCAPI_ANSWER_MAX is none. Pure. */
int fcapi_parse(const char *text, size_t n, unsigned *status, const char **body, size_t *len);

#endif
