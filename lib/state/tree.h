/* SPDX-License-Identifier: Apache-2.0 */
/* tree - folders of regular files, by descriptors: nothing is done through a link,
 * and what is deeper or more than the bounds is an error. All but a clone in tree_copy()
 * works in a confined process. On -1 errno says why (ELOOP: something that is neither
 * file nor folder; E2BIG: beyond the bounds).
 */
#ifndef PAI_STATE_TREE_H
#define PAI_STATE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#define TREE_DEPTH_MAX 66	/* those of /workspace, with what they lie in here */
#define TREE_FILES_MAX 100100u	/* the same, with a snapshot's */
#define TREE_PATH 4097		/* bytes of a path, NUL included */

/* The folder NAME in AT, open to read. */
int tree_open(int at, const char *name);
/* Its names, in order, at most MAX; free each and the list. -1 and errno. */
int tree_names(int dir, size_t max, char ***names);
void tree_names_free(char **names, int n);

/* Removes NAME in AT, whatever it is. Nothing there is no error. */
int tree_remove(int at, const char *name);

/* Gives the files in FROM names in the empty folder TO too: hard links, or (CLONE) files
 * of their own that share the bytes, where the file system has that. Where it can do
 * neither they are copied. */
int tree_copy(int from, int to, bool clone);
/* What lies beneath DIR, folders before what is in them, in the order of the names: PATH
 * is from DIR on, NAME its last component, in AT. Stops at the first that is not 0. */
typedef int tree_visit(void *arg, int at, const char *name, const char *path, const struct stat *st);
int tree_walk(int dir, tree_visit *visit, void *arg);
/* All folders and all files that have but this name are on the disk then. */
int tree_sync(int dir);

#endif
