/* SPDX-License-Identifier: Apache-2.0 */
/* conffile - see conffile.h */
#include "plan/conffile.h"

#include "plan/keys.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

#define SHOWN_MAX 200		/* bytes of a file's name in a message */

struct reader {
	yaml_parser_t parser;
	yaml_event_t event;	/* the present one */
	int depth;		/* of open maps and lists */
	const char *file, *text;
	size_t n;
	enum plan_layer layer;
	struct plan *plan;
	struct strv seen;	/* the paths of the keys so far */
	struct err *e;
};

int conffile_fault(struct err *e, const char *file, size_t line, size_t column,
		   const char *message, ...)
{
	size_t n = strlen(file);
	char text[ERR_MSG_MAX];
	va_list ap;

	va_start(ap, message);
	vsnprintf(text, sizeof(text), message, ap);
	va_end(ap);
	return err_set(e, ERR_USAGE, "%s%s:%zu:%zu: %s", n > SHOWN_MAX ? "…" : "",
		       n > SHOWN_MAX ? file + n - SHOWN_MAX : file, line, column, text);
}

/* Puts the place in front of what a setter said of a value there. */
static int at_place(struct reader *r, const yaml_mark_t *at, const char *what)
{
	struct err said = *r->e;

	if (said.kind != ERR_USAGE)
		return -1;
	return conffile_fault(r->e, r->file, at->line + 1, at->column + 1, "%s: %s", what, said.msg);
}

#define FAULT(r, mark, ...) \
	conffile_fault((r)->e, (r)->file, (mark)->line + 1, (mark)->column + 1, __VA_ARGS__)

/* libyaml's own complaint. Of a byte that is no text it tells the offset only. */
static int not_yaml(struct reader *r)
{
	const yaml_parser_t *p = &r->parser;
	size_t line = p->problem_mark.line + 1, column = p->problem_mark.column + 1;

	if (p->error == YAML_MEMORY_ERROR)
		return err_set(r->e, ERR_HOST, "memory is short");
	if (p->error == YAML_READER_ERROR) {
		line = column = 1;
		for (size_t i = 0; i < p->problem_offset && i < r->n; i++) {
			column = r->text[i] == '\n' ? 1 : column + 1;
			line += r->text[i] == '\n';
		}
	}
	return conffile_fault(r->e, r->file, line, column, "not YAML: %s",
			      p->problem ? p->problem : "it cannot be read");
}

static int check_scalar(struct reader *r)
{
	const yaml_event_t *ev = &r->event;

	if (ev->data.scalar.length > CONFFILE_TEXT_MAX)
		return FAULT(r, &ev->start_mark, "a text has more than %u bytes", CONFFILE_TEXT_MAX);
	if (strlen((const char *)ev->data.scalar.value) != ev->data.scalar.length)
		return FAULT(r, &ev->start_mark, "a text has a NUL byte");
	return 0;
}

/* Reads the next event, and refuses what no configuration needs. */
static int next(struct reader *r)
{
	yaml_event_t *ev = &r->event;
	const yaml_char_t *anchor = NULL, *tag = NULL;

	yaml_event_delete(ev);
	if (!yaml_parser_parse(&r->parser, ev))
		return not_yaml(r);
	switch (ev->type) {
	case YAML_SCALAR_EVENT:
		anchor = ev->data.scalar.anchor;
		tag = ev->data.scalar.tag;
		break;
	case YAML_SEQUENCE_START_EVENT:
	case YAML_MAPPING_START_EVENT:		/* laid out alike */
		anchor = ev->data.mapping_start.anchor;
		tag = ev->data.mapping_start.tag;
		r->depth++;
		break;
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		r->depth--;
		break;
	case YAML_ALIAS_EVENT:
		return FAULT(r, &ev->start_mark, "an alias (*%.40s) cannot stand here",
			     ev->data.alias.anchor);
	default:
		break;
	}
	if (anchor || tag)
		return FAULT(r, &ev->start_mark, "%s (%.40s) cannot stand here",
			     anchor ? "an anchor" : "a tag", anchor ? anchor : tag);
	if (r->depth > CONFFILE_DEPTH_MAX)
		return FAULT(r, &ev->start_mark, "a list or a map lies too deep");
	return ev->type == YAML_SCALAR_EVENT ? check_scalar(r) : 0;
}

static bool is_nothing(const yaml_event_t *ev)
{
	const char *text = (const char *)ev->data.scalar.value;

	return ev->type == YAML_SCALAR_EVENT && ev->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
	       (!*text || !strcmp(text, "~") || !strcmp(text, "null"));
}

static const char *text_of(const struct reader *r)
{
	return (const char *)r->event.data.scalar.value;
}

/* The present event is a key of BLOCK ("" at the top): copies it, and refuses
 * it if it was there before. */
static int read_key(struct reader *r, const char *block, char name[CONFFILE_TEXT_MAX + 1])
{
	char path[2 * CONFFILE_TEXT_MAX];

	if (r->event.type != YAML_SCALAR_EVENT)
		return FAULT(r, &r->event.start_mark, "a key is a text, not a list or a map");
	snprintf(name, CONFFILE_TEXT_MAX + 1, "%s", text_of(r));
	snprintf(path, sizeof(path), "%s%s%s", block, *block ? "." : "", name);
	for (size_t i = 0; i < r->seen.n; i++)
		if (!strcmp(r->seen.at[i], path))
			return FAULT(r, &r->event.start_mark, "%.100s: stands here for the second time",
				     path);
	return strv_add(&r->seen, path, r->e);
}

/* Calls ONE for the present event, if it is a text, or for each text of the
 * list that it begins (not with LIST_OK false). WHAT names it. */
static int read_texts(struct reader *r, const char *what, bool list_ok,
		      int (*one)(struct reader *r, void *arg), void *arg)
{
	if (is_nothing(&r->event))
		return FAULT(r, &r->event.start_mark, "%s: has no value", what);
	if (r->event.type == YAML_SCALAR_EVENT)
		return one(r, arg);
	if (r->event.type == YAML_MAPPING_START_EVENT || !list_ok)
		return FAULT(r, &r->event.start_mark, "%s: needs a text%s, not a %s", what,
			     list_ok ? " or a list of texts" : "",
			     r->event.type == YAML_MAPPING_START_EVENT ? "map" : "list");
	for (;;) {
		if (next(r) < 0)
			return -1;
		if (r->event.type == YAML_SEQUENCE_END_EVENT)
			return 0;
		if (r->event.type != YAML_SCALAR_EVENT || is_nothing(&r->event))
			return FAULT(r, &r->event.start_mark, "%s: needs texts in its list", what);
		if (one(r, arg) < 0)
			return -1;
	}
}

static int set_one(struct reader *r, void *arg)
{
	const struct key *k = arg;
	char where[ERR_MSG_MAX], path[KEY_PATH];

	snprintf(where, sizeof(where), "%.400s:%zu", r->file, r->event.start_mark.line + 1);
	if (key_set(r->plan, k, text_of(r), r->layer, where, r->e) < 0)
		return at_place(r, &r->event.start_mark, key_path(k, path));
	return 0;
}

static int read_entry(struct reader *r, const char *block, const char *name, const yaml_mark_t *at)
{
	const struct key *k = key_find(block, name);
	char near[KEY_PATH], path[KEY_PATH];

	if (!k)
		return FAULT(r, at, "%s.%.60s: unknown key; the nearest one is %s", block, name,
			     key_nearest(block, name, near));
	key_path(k, path);
	if (k->flags & KEY_CLI)
		return FAULT(r, at, "%s: belongs on the command line only", path);
	return next(r) < 0 ? -1 : read_texts(r, path, k->flags & KEY_MANY, set_one, (void *)(uintptr_t)k);
}

static int add_module(struct reader *r, void *arg)
{
	struct buf *b = arg;
	const char *name = text_of(r);

	if (preload_check_module(name, r->e) < 0)
		return at_place(r, &r->event.start_mark, "preload");
	if ((b->len > 0 && buf_add(b, ",", 1, PRELOAD_MODULES_MAX, r->e) < 0) ||
	    buf_add(b, name, strlen(name), PRELOAD_MODULES_MAX, r->e) < 0)
		return FAULT(r, &r->event.start_mark, "preload: a list has more than %u bytes",
			     PRELOAD_MODULES_MAX);
	return 0;
}

static int read_preload(struct reader *r, const char *block, const char *name, const yaml_mark_t *at)
{
	char what[CONFFILE_TEXT_MAX + 16], path[KEY_PATH], where[ERR_MSG_MAX];
	struct buf modules = { 0 };

	snprintf(what, sizeof(what), "%s.%.60s", block, name);
	int rc = next(r) < 0 ? -1 : read_texts(r, what, true, add_module, &modules);
	if (rc == 0)
		rc = buf_add(&modules, "", 1, PRELOAD_MODULES_MAX + 1, r->e);
	if (rc == 0 && preloads_set(&r->plan->preloads, name, (char *)modules.at, r->e) < 0)
		rc = at_place(r, at, what);
	if (rc == 0) {
		snprintf(path, sizeof(path), "%s", what);
		snprintf(where, sizeof(where), "%.400s:%zu", r->file, at->line + 1);
		rc = plan_note(r->plan, path, (char *)modules.at, false, r->layer, where, r->e);
	}
	buf_free(&modules);
	return rc;
}

typedef int entry_fn(struct reader *r, const char *block, const char *name, const yaml_mark_t *at);

/* The keys of the mapping that has begun; BLOCK is "" at the top. */
static int read_mapping(struct reader *r, const char *block, entry_fn *entry)
{
	char name[CONFFILE_TEXT_MAX + 1];

	for (;;) {
		if (next(r) < 0)
			return -1;
		if (r->event.type == YAML_MAPPING_END_EVENT)
			return 0;
		yaml_mark_t at = r->event.start_mark;
		if (read_key(r, block, name) < 0 || entry(r, block, name, &at) < 0)
			return -1;
	}
}

/* The present event begins the value of BLOCK. */
static int read_block(struct reader *r, const char *block)
{
	if (is_nothing(&r->event))
		return 0;
	if (r->event.type != YAML_MAPPING_START_EVENT)
		return FAULT(r, &r->event.start_mark, "%s: needs keys beneath it, not a %s", block,
			     r->event.type == YAML_SCALAR_EVENT ? "text" : "list");
	return read_mapping(r, block, strcmp(block, "preload") ? read_entry : read_preload);
}

static int read_top(struct reader *r, const char *top, const char *name, const yaml_mark_t *at)
{
	char near[KEY_PATH];

	if (!key_is_block(name))
		return FAULT(r, at, "%.60s: unknown key; the nearest one is %s", name,
			     key_nearest(top, name, near));
	return next(r) < 0 ? -1 : read_block(r, name);
}

/* The present event begins the document's node. */
static int read_blocks(struct reader *r)
{
	if (is_nothing(&r->event))
		return 0;
	if (r->event.type != YAML_MAPPING_START_EVENT)
		return FAULT(r, &r->event.start_mark, "not a configuration: needs keys, not a %s",
			     r->event.type == YAML_SCALAR_EVENT ? "text" : "list");
	return read_mapping(r, "", read_top);
}

static int read_stream(struct reader *r)
{
	if (next(r) < 0 || next(r) < 0)		/* the stream begins, then a document */
		return -1;
	if (r->event.type == YAML_STREAM_END_EVENT)
		return 0;
	if (next(r) < 0 || read_blocks(r) < 0 || next(r) < 0 || next(r) < 0)
		return -1;
	if (r->event.type != YAML_STREAM_END_EVENT)
		return FAULT(r, &r->event.start_mark, "a second document cannot stand here");
	return 0;
}

int conffile_yaml(const char *file, const char *text, size_t n, enum plan_layer layer,
		  struct plan *p, struct err *e)
{
	struct reader r = { .file = file, .text = text, .n = n, .layer = layer, .plan = p, .e = e };

	if (n > CONFFILE_MAX)
		return conffile_fault(e, file, 1, 1, "more than %u bytes", CONFFILE_MAX);
	if (!yaml_parser_initialize(&r.parser))
		return err_set(e, ERR_HOST, "memory is short");
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, n);
	yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
	int rc = read_stream(&r);
	yaml_event_delete(&r.event);
	yaml_parser_delete(&r.parser);
	strv_free(&r.seen);
	return rc;
}

/* The value at P up to END into OUT; -1 and WHY, with *P at what is wrong. */
static int env_value(const char **p, const char *end, char *out, const char **why)
{
	char quote = *p < end && (**p == '"' || **p == '\'') ? *(*p)++ : 0;
	size_t n = 0;

	for (; *p < end && (quote ? **p != quote : **p != '#' || n == 0 ||
			    ((*p)[-1] != ' ' && (*p)[-1] != '\t')); (*p)++) {
		if (quote == '"' && **p == '\\' && end - *p > 1 && ((*p)[1] == '"' || (*p)[1] == '\\'))
			(*p)++;
		if (n == CONFFILE_TEXT_MAX)
			return *why = "a value is too long", -1;
		out[n++] = **p;
	}
	if (quote && *p == end)
		return *why = "a quote has no end on its line", -1;
	if (quote)
		for ((*p)++; *p < end && (**p == ' ' || **p == '\t'); (*p)++)
			;
	while (!quote && n > 0 && (out[n - 1] == ' ' || out[n - 1] == '\t'))
		n--;
	out[n] = 0;
	return *p == end || **p == '#' ? 0 : (*why = "a text behind the quotes", -1);
}

struct line {
	const char *file, *at;	/* where it begins */
	size_t number;
	enum plan_layer layer;
};

static int env_assign(const struct line *l, const char *name_at, const char *value_at,
		      const char *name, const char *value, struct plan *p, struct err *e)
{
	char near[KEY_PATH], where[ERR_MSG_MAX];
	const struct key *k = key_find_variable(name);

	if (strncmp(name, "PAI_", 4))
		return 0;
	if (!k)
		return conffile_fault(e, l->file, l->number, (size_t)(name_at - l->at) + 1,
				      "%s: unknown variable; the nearest one is %s", name,
				      key_nearest_variable(name, near));
	snprintf(where, sizeof(where), "%.400s:%zu", l->file, l->number);
	if (!*value || key_set(p, k, value, l->layer, where, e) == 0)
		return 0;
	struct err said = *e;
	return said.kind != ERR_USAGE ? -1 :
	       conffile_fault(e, l->file, l->number, (size_t)(value_at - l->at) + 1, "%s: %s", name,
			      said.msg);
}

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	return at;
}

static int env_line(const struct line *l, const char *end, struct plan *p, struct err *e)
{
	char name[KEY_PATH], value[CONFFILE_TEXT_MAX + 1];
	const char *at = skip_blanks(l->at, end), *why = NULL;

	if (at == end || *at == '#')
		return 0;
	if (end - at > 7 && !memcmp(at, "export", 6) && (at[6] == ' ' || at[6] == '\t'))
		at = skip_blanks(at + 6, end);
	const char *name_at = at;
	while (at < end && (*at == '_' || ((*at | 32) >= 'a' && (*at | 32) <= 'z') ||
			    (at > name_at && *at >= '0' && *at <= '9')))
		at++;
	if (at == name_at || at == end || *at != '=')
		return conffile_fault(e, l->file, l->number, (size_t)(name_at - l->at) + 1,
				      "not NAME=VALUE");
	snprintf(name, sizeof(name), "%.*s", (int)(at - name_at), name_at);
	const char *value_at = ++at;
	if (env_value(&at, end, value, &why) < 0)
		return conffile_fault(e, l->file, l->number, (size_t)(at - l->at) + 1, "%s: %s", name, why);
	return env_assign(l, name_at, value_at, name, value, p, e);
}

int conffile_env(const char *file, const char *text, size_t n, enum plan_layer layer,
		 struct plan *p, struct err *e)
{
	struct line l = { .file = file, .at = text, .layer = layer };
	const char *stop = text + n, *nul = memchr(text, 0, n);

	if (n > CONFFILE_MAX)
		return conffile_fault(e, file, 1, 1, "more than %u bytes", CONFFILE_MAX);
	if (n >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		l.at += 3;		/* an editor's mark of UTF-8, which YAML may have too */
	while (l.at < stop) {
		const char *eol = memchr(l.at, '\n', (size_t)(stop - l.at));
		const char *end = eol ? eol : stop;

		l.number++;
		if (nul && nul < end)
			return conffile_fault(e, file, l.number, (size_t)(nul - l.at) + 1, "a NUL byte");
		if (end > l.at && end[-1] == '\r')
			end--;
		if (env_line(&l, end, p, e) < 0)
			return -1;
		l.at = eol ? eol + 1 : stop;
	}
	return 0;
}
