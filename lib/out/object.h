/* SPDX-License-Identifier: Apache-2.0 */
/* object - a result as JSON: the one object of --format=json (pai-exec-result(5)), and
 * the parts of it that the lines of ndjson share. A part is a jansson object, NULL if
 * memory is short.
 */
#ifndef PAI_OUT_OBJECT_H
#define PAI_OUT_OBJECT_H

#include "out/result.h"

#include <jansson.h>

#define OBJECT_SCHEMA "pai-exec/1"

/* Appends the object and a newline to OUT. */
int object_write(const struct plan *p, const struct result *r, struct buf *out, struct err *e);

/* The uncaught exception, or pai-exec's own failure; or null. */
json_t *object_error(const struct result *r);
json_t *object_file(const struct out_file *f);
json_t *object_usage(const struct result *r);
/* schema, backend, image, limits. */
json_t *object_place(const struct result *r);
/* schema and what became of the program. */
json_t *object_outcome(const struct result *r);
/* All that is neither that nor a stream nor a result; files in the one object only. */
json_t *object_account(const struct plan *p, const struct result *r);
/* Appends ,"NAME_bytes":…,"NAME_truncated":… of a stream. */
int object_count(struct buf *out, const char *name, uint64_t bytes, bool cut, struct err *e);

#endif
