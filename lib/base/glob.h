/* SPDX-License-Identifier: Apache-2.0 */
/* glob - which paths a user's --include and --exclude mean.
 *
 * A GLOB is a path of components, each matched by fnmatch(3): * and ? never
 * cross a slash; a component ** stands for any number of folders, none too.
 * Without a slash inside it is matched with the last component, at any depth;
 * with one, with the whole path. What it means for a folder holds for all that
 * lies beneath.
 */
#ifndef PAI_BASE_GLOB_H
#define PAI_BASE_GLOB_H

#include "base/str.h"

#include <stdbool.h>

/* PATH is relative, without empty, "." and ".." components. */
bool glob_match(const char *glob, const char *path);

enum glob_choice {
	GLOB_OUT,		/* excluded, with all beneath it */
	GLOB_PASS,		/* not included, but what is beneath it may be */
	GLOB_IN,
};

/* What becomes of PATH; EXCLUDE goes before INCLUDE, no INCLUDE means all. */
enum glob_choice glob_choose(const struct strv *include, const struct strv *exclude,
			     const char *path);

#endif
