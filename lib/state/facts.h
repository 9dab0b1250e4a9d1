/* SPDX-License-Identifier: Apache-2.0 */
/* facts - session.json: struct session_facts as text and back. */
#ifndef PAI_STATE_FACTS_H
#define PAI_STATE_FACTS_H

#include "state/session.h"

#define FACTS_MAX 8192		/* bytes of session.json */

/* Appends the JSON object and a newline. */
int facts_write(const struct session_facts *f, struct buf *out, struct err *e);
/* Every field must be there, of its type and within its bounds, texts printable, and
 * nothing else: an ERR_SESSION. */
int facts_read(const char *text, size_t n, struct session_facts *f, struct err *e);

#endif
