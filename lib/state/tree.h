/* SPDX-License-Identifier: Apache-2.0 */
/* tree - folders of regular files, by descriptors: nothing is done through a link,
 * and what is deeper or more than the bounds is an error. All but tree_copy_file()
 * works in a confined process. On -1 errno says why (ELOOP: something that is neither
 * file nor folder; E2BIG: beyond the bounds).
 */
#ifndef PAI_STATE_TREE_H
#define PAI_STATE_TREE_H

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#define TREE_DEPTH_MAX 64
#define TREE_FILES_MAX 100000u

/* The folder NAME in AT, open to read. */
int tree_open(int at, const char *name);
/* Its names, one after the other without "." and ".."; the stream has a descriptor of
 * its own. */
DIR *tree_list(int dir);
struct dirent *tree_next(DIR *d);
/* The names, in order, at most MAX; free each and the list. -1 and errno. */
int tree_names(int dir, size_t max, char ***names);
void tree_names_free(char **names, int n);

/* Removes NAME in AT, whatever it is. Nothing there is no error. */
int tree_remove(int at, const char *name);

/* Gives the files in FROM names in the empty folder TO too: hard links, or (CLONE) files
 * of their own that share the bytes, where the file system has that. Where it can do
 * neither they are copied. */
int tree_copy(int from, int to, bool clone);
/* One file: a new NAME in TO with the bytes of the open file FROM, which is ST. */
int tree_copy_file(int from, const struct stat *st, int to, const char *name, bool clone);
/* All folders and all files that have but this name are on the disk then. */
int tree_sync(int dir);

#endif
