/* SPDX-License-Identifier: Apache-2.0 */
/* rows - see rows.h */
#include "rows.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

void rows_longs(const struct row *row, size_t n, struct option longs[ROWS_MAX + 2])
{
	assert(n <= ROWS_MAX);
	for (size_t i = 0; i < n; i++)
		longs[i] = row[i].option;
	longs[n] = (struct option){ "list-options", no_argument, NULL, 'L' };
	longs[n + 1] = (struct option){ 0 };
}

unsigned rows_takes(const struct row *row, size_t n, int got)
{
	for (size_t i = 0; i < n; i++)
		if (row[i].option.val == got)
			return row[i].takes;
	return 0;
}

void rows_help(const struct row *row, size_t n, const char *letters)
{
	for (size_t i = 0; i < n; i++) {
		char letter[] = "    ";

		if (strchr(letters, row[i].option.val))
			snprintf(letter, sizeof(letter), "-%c,", row[i].option.val);
		printf("  %-4s--%s%s%-*s %s\n", letter, row[i].option.name, row[i].arg ? "=" : " ",
		       (int)(22 - strlen(row[i].option.name)), row[i].arg ? row[i].arg : "", row[i].help);
	}
}

void rows_list(const struct row *row, size_t n, const char *letters)
{
	for (size_t i = 0; i < n; i++)
		printf("--%s\t%s\t%c\t%s\t%u\n", row[i].option.name, row[i].arg ? row[i].arg : "-",
		       strchr(letters, row[i].option.val) ? row[i].option.val : '-', row[i].help, row[i].takes);
}
