/* SPDX-License-Identifier: Apache-2.0 */
/* preload - which modules a program's template should hold, by a look at its
 * text: the import lines, nothing is run. A wrong guess costs time only. */
#ifndef PAI_PLAN_PRELOAD_H
#define PAI_PLAN_PRELOAD_H

#include <stdbool.h>
#include <stddef.h>

#define PRELOAD_LOOK (64u << 10)	/* bytes of the text that are looked at */

struct preload {
	const char *name;	/* for people */
	const char *modules;	/* for the start hook, parted by commas */
};

/* From the least to the most; the last has no name. */
extern const struct preload preloads[];

/* The one of that name, or NULL. */
const struct preload *preload_find(const char *name);
/* The least of them that has what the text imports. */
const struct preload *preload_guess(const char *text, size_t n);
/* False if an assignment NAME=VALUE acts at python's start, or at an import,
 * so that an interpreter that runs already cannot take it over. */
bool preload_env_ok(const char *assignment);

#endif
