/* SPDX-License-Identifier: Apache-2.0 */
/* facts - see facts.h */
#include "state/facts.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIME_MAX ((int64_t)1 << 40)

#define OF(f) offsetof(struct session_facts, f)
#define TEXT(key, f) { key, OF(f), sizeof(((struct session_facts *)0)->f), 0 }
#define NUMBER(key, f, max) { key, OF(f), 0, max }

static const struct field {
	const char *key;
	size_t at, size;	/* size: of a text; 0: it is a number */
	int64_t max;
} fields[] = {
	NUMBER("turn", turn, SESSION_TURN_MAX),
	NUMBER("created", created_s, TIME_MAX),
	NUMBER("saved", saved_s, TIME_MAX),
	TEXT("backend", backend),
	TEXT("version", version),
	TEXT("program", program),
	TEXT("image", image),
	TEXT("image_digest", image_digest),
	TEXT("kernel_digest", kernel_digest),
	TEXT("cpu", cpu),
	NUMBER("cpus", cpus, 1 << 20),
	NUMBER("memory_bytes", memory_bytes, (int64_t)1 << 53),
	NUMBER("disk_bytes", disk_bytes, (int64_t)1 << 53),
};
#define FIELDS (sizeof(fields) / sizeof(*fields))

/* All numbers are 64 bits wide and not negative. */
static int64_t *number_of(const struct session_facts *f, const struct field *field)
{
	return (int64_t *)((char *)(uintptr_t)f + field->at);
}

static char *text_of(const struct session_facts *f, const struct field *field)
{
	return (char *)(uintptr_t)f + field->at;
}

int facts_write(const struct session_facts *f, struct buf *out, struct err *e)
{
	json_t *j = json_object();
	char text[SESSION_WORD];
	int rc = 0;

	for (size_t i = 0; i < FIELDS && rc == 0; i++) {
		const char *from = text_of(f, &fields[i]);

		if (fields[i].size)
			str_printable(text, fields[i].size, from, strnlen(from, fields[i].size));
		rc = json_object_set_new(j, fields[i].key, fields[i].size ? json_string(text) :
					 json_integer(*number_of(f, &fields[i])));
	}
	char *all = rc == 0 ? json_dumps(j, JSON_COMPACT) : NULL;
	rc = !all ? err_set(e, ERR_SESSION, "session.json: memory is short")
	   : buf_add(out, all, strlen(all), FACTS_MAX, e) < 0 || buf_add(out, "\n", 1, FACTS_MAX, e) < 0 ? -1 : 0;
	free(all);
	json_decref(j);
	return rc;
}

static int read_field(const json_t *j, const struct field *field, struct session_facts *f, struct err *e)
{
	const json_t *value = json_object_get(j, field->key);
	const char *text = json_string_value(value);
	json_int_t number = json_integer_value(value);
	char clean[SESSION_WORD];

	if (!field->size) {
		if (!json_is_integer(value) || number < 0 || number > field->max)
			return err_set(e, ERR_SESSION, "session.json: '%s' is no number up to %" PRId64,
				       field->key, field->max);
		*number_of(f, field) = number;
		return 0;
	}
	size_t n = json_string_length(value);
	if (!text || n >= field->size || str_printable(clean, sizeof(clean), text, n) != n ||
	    memcmp(clean, text, n) != 0)
		return err_set(e, ERR_SESSION, "session.json: '%s' is no printable text of less than %zu bytes",
			       field->key, field->size);
	memcpy(text_of(f, field), clean, n + 1);
	return 0;
}

int facts_read(const char *text, size_t n, struct session_facts *f, struct err *e)
{
	struct session_facts got = { 0 };
	json_error_t why;
	json_t *j = json_loadb(text, n, JSON_REJECT_DUPLICATES, &why);
	int rc = 0;

	if (!j)
		return err_set(e, ERR_SESSION, "session.json: %s", why.text);
	if (!json_is_object(j) || json_object_size(j) != FIELDS)
		rc = err_set(e, ERR_SESSION, "session.json: not an object of %zu fields", FIELDS);
	for (size_t i = 0; i < FIELDS && rc == 0; i++)
		rc = read_field(j, &fields[i], &got, e);
	json_decref(j);
	if (rc == 0)
		*f = got;
	return rc;
}

/* What must be the same to go on, and what people call it. Fields by their names; NAMED:
 * the one with the name of what a digest is of. */
static const struct bond {
	const char *key, *name, *named;
} bonds[] = {
	{ "backend", "backend", NULL }, { "version", "backend version", NULL },
	{ "program", "backend program", "backend" }, { "image_digest", "image", "image" },
	{ "kernel_digest", "kernel", NULL }, { "cpu", "CPU", NULL },
};

static const struct field *field_named(const char *key)
{
	const struct field *f = fields;

	while (strcmp(f->key, key))
		f++;
	return f;
}

/* Its value, and for a digest the name that people know it by. */
static void describe(const struct session_facts *facts, const struct bond *b, char text[2 * SESSION_WORD])
{
	const char *value = text_of(facts, field_named(b->key));

	if (b->named)
		snprintf(text, 2 * SESSION_WORD, "'%.80s' (%.80s)", text_of(facts, field_named(b->named)), value);
	else
		snprintf(text, 2 * SESSION_WORD, "'%.100s'", value);
}

int session_fits(const struct session *s, const struct session_facts *here, struct err *e)
{
	char then[2 * SESSION_WORD], now[2 * SESSION_WORD];

	for (size_t i = 0; i < sizeof(bonds) / sizeof(*bonds); i++) {
		const struct field *f = field_named(bonds[i].key);

		if (!strcmp(text_of(&s->facts, f), text_of(here, f)))
			continue;
		describe(&s->facts, &bonds[i], then);
		describe(here, &bonds[i], now);
		return err_set(e, ERR_SESSION, "session '%s': it was saved with %s %s, here is %s: run it there "
			       "again, or start another session; 'pai-session get' still has its files",
			       s->name, bonds[i].name, then, now);
	}
	return 0;
}
