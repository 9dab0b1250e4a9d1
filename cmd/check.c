/* SPDX-License-Identifier: Apache-2.0 */
/* check - see check.h */
#include "check.h"

#include "run/check.h"
#include "say.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const states[] = { [CHECK_OK] = "ok", [CHECK_BAD] = "bad", [CHECK_INFO] = "info" };

static void show_text(const struct check *c)
{
	for (int i = 0; i < c->rows; i++) {
		const struct check_row *r = &c->row[i];
		bool again = i > 0 && !strcmp(c->row[i - 1].group, r->group);

		printf("%-12s %-11s %-4s %s\n", again ? "" : r->group, r->name,
		       r->state == CHECK_INFO ? "" : states[r->state], r->text);
	}
	puts(c->works ? "a program can be run here" : "no sandbox backend works here");
}

static void show_json(const struct check *c)
{
	json_t *rows = json_array();

	for (int i = 0; i < c->rows; i++)
		json_array_append_new(rows, json_pack("{s:s, s:s, s:s, s:s}", "group", c->row[i].group,
			"name", c->row[i].name, "state", states[c->row[i].state], "text", c->row[i].text));
	json_t *o = json_pack("{s:s, s:b, s:o}", "schema", "pai-exec-check/1", "works", c->works,
			      "checks", rows);
	char *text = o ? json_dumps(o, JSON_COMPACT) : NULL;
	puts(text ? text : "{}");
	free(text);
	json_decref(o);
}

int check_show(const struct plan *p)
{
	struct check c;

	check_all(p, &c);
	if (p->json)
		show_json(&c);
	else
		show_text(&c);
	if (fflush(stdout) == 0)
		return c.works ? 0 : 1;
	say("write to standard output: it failed");
	return 125;
}
