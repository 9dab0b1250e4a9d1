/* SPDX-License-Identifier: Apache-2.0 */
/* preload - which modules a program's template should hold, by a look at its
 * text: the import lines, nothing is run. A wrong guess costs time only.
 *
 * There are a few lists of modules that are built in; a configuration may add
 * others, or put its own in their place.
 */
#ifndef PAI_PLAN_PRELOAD_H
#define PAI_PLAN_PRELOAD_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

#define PRELOAD_LOOK (64u << 10)	/* bytes of the text that are looked at */
#define PRELOAD_LISTS 64		/* at most, the built-in ones too */
#define PRELOAD_NAME_MAX 32u		/* bytes of a list's name */
#define PRELOAD_MODULES_MAX 4000u	/* bytes of a list: PREPARE has it in one frame */

struct preload {
	const char *name;	/* for people */
	const char *modules;	/* for the start hook, parted by commas; "-" is none */
	char *own;		/* what both lie in, or NULL: they are literals */
};

struct preloads {
	struct preload list[PRELOAD_LISTS];	/* the first: for what no list has */
	size_t n;
};

void preloads_init(struct preloads *all);
void preloads_free(struct preloads *all);
/* Adds the list NAME, or replaces that of this name. MODULES are parted by
 * commas, each was found right by preload_check_module(); "" or "-" is none. */
int preloads_set(struct preloads *all, const char *name, const char *modules, struct err *e);
/* A module's name: identifiers parted by dots. */
int preload_check_module(const char *name, struct err *e);

/* The list that has most of what the text imports; of several the one with the
 * fewest modules, of those the first. */
const struct preload *preload_guess(const struct preloads *all, const char *text, size_t n);
/* False if an assignment NAME=VALUE acts at python's start, or at an import,
 * so that an interpreter that runs already cannot take it over. */
bool preload_env_ok(const char *assignment);

#endif
