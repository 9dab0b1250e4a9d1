/* SPDX-License-Identifier: Apache-2.0 */
/* build - pai-image build: deploy/build-image as it is installed does the work. */
#ifndef PAI_CMD_BUILD_H
#define PAI_CMD_BUILD_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

struct build {
	const char *name;	/* NULL: "default", which has no extras then */
	struct strv include;	/* lists of Debian packages, as they were given */
	const char *requirements, *wheels;
	bool quiet;
};

/* Becomes the script, which says what fails and exits with 0 or 125; returns -1 only if
 * it cannot. */
int build_image(const struct build *b, struct err *e);
/* Removes what builds have left that were killed; how many. */
size_t build_sweep(void);

#endif
