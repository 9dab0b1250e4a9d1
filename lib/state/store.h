/* SPDX-License-Identifier: Apache-2.0 */
/* store - all images and templates that a user's runs could find: what there
 * is, whether it is in order, and what may go. Runs never need this. */
#ifndef PAI_STATE_STORE_H
#define PAI_STATE_STORE_H

#include "state/image.h"
#include "state/template.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define STORE_UNUSED_DAYS 30	/* then a template goes */

struct store_image {
	char *name, *dir;
	bool shadowed;		/* another of that name is found first */
	bool good;		/* image_find() takes it; else why says why not */
	struct err why;
	char digest[IMAGE_DIGEST];
	uint64_t bytes;		/* of all its files */
	bool link;		/* to a folder that lies elsewhere: none of its bytes are in the store */
};

struct store_template {
	char *path;
	char digest[IMAGE_DIGEST];	/* of its image */
	char modules[200];
	uint64_t bytes;
	time_t used;
	bool debris;		/* what a killed maker left */
};

struct store {
	struct store_image *image;
	struct store_template *template;
	size_t images, templates;
};

int store_look(struct store *s, struct err *e);
/* True if the template may go: debris, no image of that digest, long unused. */
bool store_is_stale(const struct store *s, const struct store_template *t);
/* Templates of the image with that DIGEST. */
size_t store_count(const struct store *s, const char *digest);
void store_free(struct store *s);

#endif
