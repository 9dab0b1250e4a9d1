/* SPDX-License-Identifier: Apache-2.0 */
/* conffile - the text of a configuration file, in YAML or as a .env file, into
 * the plan. Pure: the text is in memory.
 *
 * YAML:   blocks of keys (keys.h) and preload, a map of lists of modules. A
 *         value is a text, for some keys a list of them; a block may be empty.
 *         One document; no anchor, alias or tag; no key twice.
 * .env:   NAME=VALUE lines, `export` in front if wanted, '#' for a comment. The
 *         value may stand in '…' or in "…", where \" and \\ are " and \. Nothing
 *         is expanded. Variables that do not begin with PAI_ are not ours; one
 *         that is empty counts as not set.
 * Errors: "FILE:LINE:COLUMN: what: why", LINE and COLUMN from 1. What stood
 *         before the error is in the plan already.
 */
#ifndef PAI_PLAN_CONFFILE_H
#define PAI_PLAN_CONFFILE_H

#include "plan/plan.h"

#define CONFFILE_MAX 65536u	/* bytes of a file */
#define CONFFILE_TEXT_MAX 4096u	/* bytes of a key or a value */
#define CONFFILE_DEPTH_MAX 3	/* a list in a block in the document */

int conffile_yaml(const char *file, const char *text, size_t n, enum plan_layer layer,
		  struct plan *p, struct err *e);
int conffile_env(const char *file, const char *text, size_t n, enum plan_layer layer,
		 struct plan *p, struct err *e);
/* The error MESSAGE about a place of FILE (its end is what counts if it is long). */
int conffile_fault(struct err *e, const char *file, size_t line, size_t column,
		   const char *message, ...) __attribute__((format(printf, 5, 6)));

#endif
