/* SPDX-License-Identifier: Apache-2.0 */
/* trace - see trace.h */
#include "base/trace.h"

#include "base/clock.h"

#include <stdlib.h>
#include <sys/mman.h>

#define STEPS_MAX 100

static struct table {
	int64_t begin_us;
	unsigned n;
	struct {
		int64_t us;
		const char *step;
	} at[STEPS_MAX];
} *table;

void trace_begin(int64_t begin_us)
{
	void *p;

	if (!getenv("PAI_TRACE"))
		return;
	p = mmap(NULL, sizeof(*table), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return;		/* then there is none */
	table = p;
	table->begin_us = begin_us;
}

void trace(const char *step)
{
	if (!table)
		return;
	unsigned i = __atomic_fetch_add(&table->n, 1, __ATOMIC_RELAXED);
	if (i >= STEPS_MAX)
		return;
	table->at[i].us = clock_now_us();
	table->at[i].step = step;
}

void trace_show(FILE *to)
{
	for (unsigned i = 0; table && i < table->n && i < STEPS_MAX; i++)
		fprintf(to, "pai-exec: trace: %7.1f ms  %s\n",
			(double)(table->at[i].us - table->begin_us) / 1000, table->at[i].step);
}
