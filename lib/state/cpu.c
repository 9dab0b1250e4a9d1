/* SPDX-License-Identifier: Apache-2.0 */
/* cpu - see cpu.h */
#include "state/cpu.h"

#include "base/fd.h"
#include "base/str.h"

#include <nettle/sha2.h>
#include <stdio.h>
#include <string.h>

#define DIGITS 16		/* of the digest */
#define CPUINFO_MAX 8192	/* where the first processor's lines are */

/* The lines that say what it is. */
static const char *const lines[] = {
	"flags\t", "Features\t", "CPU implementer\t", "CPU part\t", "CPU variant\t", "CPU revision\t",
};

void cpu_text(char text[CPU_TEXT])
{
	char all[CPUINFO_MAX], model[CPU_TEXT - 40] = "processor", hex[DIGITS + 1];
	uint8_t digest[SHA256_DIGEST_SIZE];
	struct sha256_ctx h;

	(void)fd_read_text("/proc/cpuinfo", all, sizeof(all));	/* without it all are one */
	char *end = strstr(all, "\n\n");	/* of the first one's */
	if (end)
		*end = 0;
	sha256_init(&h);
	for (char *save, *line = strtok_r(all, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		const char *value = strchr(line, ':');

		if (value && value[1] && !strncmp(line, "model name", 10))
			str_printable(model, sizeof(model), value + 2, strlen(value + 2));
		for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
			if (!strncmp(line, lines[i], strlen(lines[i])))
				sha256_update(&h, strlen(line) + 1, (const uint8_t *)line);
	}
	sha256_digest(&h, sizeof(digest), digest);
	str_hex(hex, digest, DIGITS / 2);
	snprintf(text, CPU_TEXT, "%s, features %s", model, hex);
}
