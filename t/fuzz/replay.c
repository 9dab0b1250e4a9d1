/* SPDX-License-Identifier: Apache-2.0 */
/* replay - feeds each file of a corpus to a fuzz target, and some mutations of
 * it made here, so that `make check` runs them with any compiler. */
#include "target.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>


#define INPUT_MAX 65536
#define MUTATIONS 100

static unsigned long state = 1;

static unsigned random_number(unsigned below)
{
	state = state * 6364136223846793005ul + 1442695040888963407ul;
	return (unsigned)(state >> 33) % below;
}

static void try_all(const uint8_t *seed, size_t n)
{
	static uint8_t work[INPUT_MAX];

	/* exactly as large as the input, so that a sanitizer sees a byte too far */
	for (int i = 0; i <= MUTATIONS; i++) {
		size_t len = i && n ? n - random_number((unsigned)n) / 4 : n;
		uint8_t *copy = malloc(len ? len : 1);

		memcpy(work, seed, n);
		for (int k = 0; i && len && k <= i % 4; k++)
			work[random_number((unsigned)len)] = (uint8_t)random_number(256);
		memcpy(copy, work, len);
		LLVMFuzzerTestOneInput(copy, len);
		free(copy);
	}
}

int main(int argc, char **argv)
{
	static uint8_t seed[INPUT_MAX];
	struct dirent **names = NULL;
	int n = argc == 2 ? scandir(argv[1], &names, NULL, alphasort) : -1, done = 0;

	for (int i = 0; i < n; i++) {
		char path[4096];
		FILE *f;

		snprintf(path, sizeof(path), "%s/%s", argv[1], names[i]->d_name);
		if (names[i]->d_name[0] != '.' && (f = fopen(path, "rb"))) {
			try_all(seed, fread(seed, 1, sizeof(seed), f));
			fclose(f);
			done++;
		}
		free(names[i]);
	}
	free(names);
	printf("%sok 1 - %d files of %s\n1..1\n", done ? "" : "not ", done, argc == 2 ? argv[1] : "?");
	return !done;
}
