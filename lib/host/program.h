/* SPDX-License-Identifier: Apache-2.0 */
/* program - the binary of a backend: where it is, and of what kind; and where our
 * own scripts are. */
#ifndef PAI_HOST_PROGRAM_H
#define PAI_HOST_PROGRAM_H

#include "base/err.h"
#include "host/root.h"

#include <stdbool.h>
#include <stddef.h>

/* PATH (SIZE bytes) is the file NAME in this program's own folder; false: there is none. */
bool program_beside(const char *name, char *path, size_t size);
/* The folder of build-image, get-runsc and their like, which messages name as a cure.
 * Found out once, by a process that is not confined yet. */
const char *program_deploy(void);
/* Absolute path of OWN, or if that is NULL of USUAL, searched on PATH unless it is
 * absolute itself; to be freed. NULL and *e: KEY is what names OWN in a configuration,
 * CURE what gets the usual one. */
char *program_find(const char *own, const char *usual, const char *key, const char *cure,
		   struct err *e);
/* 1 if the program at PATH needs a dynamic loader, 0 if not, -1 if it is no
 * ELF program. */
int program_needs_loader(const char *path);
/* What a bare root needs to have it as TO: itself, and the folders of its libraries
 * if it needs any. Fills at most PROGRAM_BINDS of B; returns how many. */
#define PROGRAM_BINDS 4
int program_binds(const char *path, const char *to, struct root_bind b[PROGRAM_BINDS]);

#endif
