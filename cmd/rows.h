/* SPDX-License-Identifier: Apache-2.0 */
/* rows - the options of a program that has commands, as one table: for getopt, --help
 * and the completions. */
#ifndef PAI_CMD_ROWS_H
#define PAI_CMD_ROWS_H

#include <getopt.h>
#include <stddef.h>

#define ROWS_MAX 16

struct row {
	struct option option;	/* val is its short form too, if LETTERS has it */
	const char *arg, *help;
	unsigned takes;		/* a bit of the commands that have it; 0: all of them */
};

/* getopt's table of the N rows, with --list-options ('L'), which is for the completions. */
void rows_longs(const struct row *row, size_t n, struct option longs[ROWS_MAX + 2]);
/* The bits of the option that getopt's answer GOT means. */
unsigned rows_takes(const struct row *row, size_t n, int got);
/* A line of --help for each. */
void rows_help(const struct row *row, size_t n, const char *letters);
/* The same for the completions: name, argument, letter, help, takes; tabs in between. */
void rows_list(const struct row *row, size_t n, const char *letters);

#endif
