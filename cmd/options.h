/* SPDX-License-Identifier: Apache-2.0 */
/* options - the command line of pai-exec as one table: the parser, --help,
 * the completions and the tests are loops over it. */
#ifndef PAI_CMD_OPTIONS_H
#define PAI_CMD_OPTIONS_H

#include "plan/plan.h"

#include <stdio.h>

enum options_action { OPTIONS_RUN, OPTIONS_CHECK, OPTIONS_HELP, OPTIONS_VERSION, OPTIONS_LIST };

/* Fills *P (plan_init() was called) from ARGV; *ACTION says what is wanted. */
int options_parse(int argc, char **argv, char **environ, struct plan *p,
		  enum options_action *action, struct err *e);
void options_help(FILE *to);
/* One line an option: --name, argument, letter, help; parted by tabs, "-" for
 * what it has not. */
void options_list(FILE *to);

#endif
