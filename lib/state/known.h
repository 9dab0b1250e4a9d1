/* SPDX-License-Identifier: Apache-2.0 */
/* known - what was found out about a file once, kept in the user's cache folder
 * (pai/known), so that it need not be found out in every run. A file is the
 * same as long as its known_identity() is. A cache that cannot be used costs time,
 * never a run. */
#ifndef PAI_STATE_KNOWN_H
#define PAI_STATE_KNOWN_H

#include "base/err.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/* The folder pai/NAME of the user's cache, made if MAKE; OUT has PATH_MAX bytes.
 * False if there is none to be had. */
bool cache_folder(const char *name, bool make, char *out);

#define KNOWN_IDENTITY 128
/* Device, inode, size, mtime and ctime as one word: the file ST is the same as long as
 * it is. */
void known_identity(const struct stat *st, char word[KNOWN_IDENTITY]);

#define KNOWN_DIGEST 80		/* "sha256:", 64 digits, NUL */
/* The sha256 of all of the file PATH (0.2 s a GiB or more); known_digest() remembers it. */
int file_digest(const char *path, char text[KNOWN_DIGEST], struct err *e);
int known_digest(const char *path, char text[KNOWN_DIGEST], struct err *e);

#define KNOWN_MAX 128		/* bytes of a text, the final NUL included */

/* What is known of the file PATH under the word WHAT, as one printable line. */
bool known_get(const char *path, const char *what, char text[KNOWN_MAX]);
void known_put(const char *path, const char *what, const char *text);

#endif
