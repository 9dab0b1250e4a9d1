/* SPDX-License-Identifier: Apache-2.0 */
/* options - the command line of pai-exec: getopt over the table of keys (keys.h). */
#ifndef PAI_CMD_OPTIONS_H
#define PAI_CMD_OPTIONS_H

#include "plan/plan.h"

#include <stdio.h>

/* Fills *P (plan_init() was called) from the configuration and ARGV. */
int options_parse(int argc, char **argv, char **environ, struct plan *p, struct err *e);
void options_help(FILE *to);
/* One line an option: --name, argument (=FILE: may be left out, NAME...: again and again),
 * letter, help; parted by tabs, "-" for what it has not. */
void options_list(FILE *to);
/* One line a key of a file: path, argument, variable. */
void options_list_keys(FILE *to);

#endif
