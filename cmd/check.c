/* SPDX-License-Identifier: Apache-2.0 */
/* check - see check.h */
#include "check.h"

#include "run/check.h"
#include "say.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#define CHECK_VALUE 512		/* bytes of a value that are shown */

static const char *const states[] = { [CHECK_OK] = "ok", [CHECK_BAD] = "bad", [CHECK_INFO] = "info" };

/* The value as --check shows it: of a variable only the name, for the value may
 * be a secret. */
static void shown(const struct plan_setting *s, char *out, size_t size)
{
	static const char left_out[] = "=…";
	size_t n = strcmp(s->key, "defaults.env") ? strlen(s->text) : strcspn(s->text, "=");
	size_t at = str_printable(out, size - sizeof(left_out) + 1, s->text, n);

	snprintf(out + at, size - at, "%s", s->text[n] ? left_out : "");
}

static void show_settings(const struct plan *p)
{
	char value[CHECK_VALUE], where[CHECK_VALUE];

	for (size_t i = 0; i < p->settings; i++) {
		const struct plan_setting *s = &p->setting[i];

		shown(s, value, sizeof(value));
		str_printable(where, sizeof(where), s->where, strlen(s->where));
		printf("%-12s %s = %s, by %s\n", i ? "" : "config", s->key, value, where);
	}
}

static json_t *settings_array(const struct plan *p)
{
	json_t *all = json_array();
	char value[CHECK_VALUE], where[CHECK_VALUE];

	for (size_t i = 0; i < p->settings; i++) {
		const struct plan_setting *s = &p->setting[i];

		shown(s, value, sizeof(value));
		str_printable(where, sizeof(where), s->where, strlen(s->where));
		json_array_append_new(all, json_pack("{s:s, s:s, s:s}", "key", s->key, "value", value,
						     "from", where));
	}
	return all;
}

/* The last line, which some read alone. */
static const char *verdict(const struct check *c)
{
	if (c->works)
		return "a program can be run here";
	for (int i = 0; i < c->rows; i++)
		if (!strcmp(c->row[i].group, "image") && c->row[i].state == CHECK_BAD)
			return "no program can be run here: there is no image for it";
	return "no sandbox backend works here";
}

static void show_text(const struct plan *p, const struct check *c)
{
	for (int i = 0; i < c->rows; i++) {
		const struct check_row *r = &c->row[i];
		bool again = i > 0 && !strcmp(c->row[i - 1].group, r->group);

		printf("%-12s %-11s %-4s %s\n", again ? "" : r->group, r->name,
		       r->state == CHECK_INFO ? "" : states[r->state], r->text);
	}
	show_settings(p);
	puts(verdict(c));
}

static void show_json(const struct plan *p, const struct check *c)
{
	json_t *rows = json_array();

	for (int i = 0; i < c->rows; i++)
		json_array_append_new(rows, json_pack("{s:s, s:s, s:s, s:s}", "group", c->row[i].group,
			"name", c->row[i].name, "state", states[c->row[i].state], "text", c->row[i].text));
	say_json(json_pack("{s:s, s:b, s:o, s:o}", "schema", "pai-exec-check/1", "works", c->works,
			   "checks", rows, "config", settings_array(p)));
}

int check_show(const struct plan *p)
{
	struct check c;

	check_all(p, &c);
	if (plan_wants_results(p))
		show_json(p, &c);
	else
		show_text(p, &c);
	return say_flushed(c.works ? 0 : 1);
}
