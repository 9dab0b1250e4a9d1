/* SPDX-License-Identifier: Apache-2.0 */
/* tell - what there is to know of sessions; see request.h. */
#include "request.h"
#include "say.h"

#include "base/fd.h"
#include "base/num.h"
#include "out/quote.h"
#include "state/sessions.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MIB (1ull << 20)
#define WHEN 24			/* bytes of a time */
#define CONTEXTS_MAX 64u	/* that are told */

static const char *when(int64_t at_s, char text[WHEN])
{
	time_t at = (time_t)at_s;
	struct tm tm;

	if (at_s <= 0 || !localtime_r(&at, &tm) || strftime(text, WHEN, "%Y-%m-%d %H:%M:%S", &tm) == 0)
		snprintf(text, WHEN, "-");
	return text;
}

static json_t *row_json(const struct sessions_row *r)
{
	return json_pack("{s:s, s:b, s:s?, s:I, s:I, s:I, s:I, s:I, s:s, s:s}", "name", r->name,
			 "usable", !r->why.kind, "reason", r->why.kind ? r->why.msg : NULL,
			 "turn", (json_int_t)r->turn, "kept", (json_int_t)r->kept,
			 "waiting", (json_int_t)r->waiting, "bytes", (json_int_t)r->bytes,
			 "used", (json_int_t)r->used_s, "backend", r->facts.backend, "image", r->facts.image);
}

static void print_rows(const struct sessions *all)
{
	char used[WHEN];

	if (all->n > 0)
		printf("%-20s %5s %8s  %-19s  %-11s %s\n", "NAME", "TURN", "MIB", "USED", "BACKEND", "IMAGE");
	for (size_t i = 0; i < all->n; i++) {
		const struct sessions_row *r = &all->at[i];

		printf("%-20s %5" PRIu64 " %8.1f  %-19s  ", r->name, r->turn, (double)r->bytes / MIB,
		       when(r->used_s, used));
		if (r->why.kind)
			printf("cannot be used: %s\n", r->why.msg);
		else
			printf("%-11s %s\n", *r->facts.backend ? r->facts.backend : "-",
			       *r->facts.image ? r->facts.image : "-");
	}
}

int tell_list(const struct request *rq, struct err *e)
{
	struct sessions all = { 0 };
	json_t *list = json_array();

	if (rq->there && sessions_list(rq->folder, &all, e) < 0) {
		json_decref(list);
		return -1;
	}
	for (size_t i = 0; i < all.n; i++)
		json_array_append_new(list, row_json(&all.at[i]));
	if (rq->json)
		say_json(json_incref(list));
	else
		print_rows(&all);
	json_decref(list);
	sessions_free(&all);
	return 0;
}

json_t *tell_file(const char *path, uint64_t size)
{
	return json_pack("{s:o, s:I}", "path", quote_json(path, strlen(path)), "size", (json_int_t)size);
}

static int add_file(void *arg, int at, const char *name, const char *path, const struct stat *st)
{
	json_t *list = arg;

	(void)at;
	(void)name;
	if (S_ISREG(st->st_mode))
		json_array_append_new(list, tell_file(path, (uint64_t)st->st_size));
	return 0;
}

/* The files that wait, or that the last turn left. */
static json_t *files_json(const struct session *s, bool waiting)
{
	json_t *list = json_array();
	struct err none;
	AUTO_FD dir = sessions_get(s, waiting, "", &none);

	if (dir >= 0)
		(void)tree_walk(dir, add_file, list);	/* what is beyond its bounds is not told */
	return list;
}

/* One after the other of the log's lines; NULL at the end. What is no object is left out. */
static json_t *next_line(const struct buf *log, size_t *at)
{
	while (*at < log->len) {
		const char *line = (const char *)log->at + *at;
		const char *end = memchr(line, '\n', log->len - *at);
		size_t n = end ? (size_t)(end - line) : log->len - *at;
		json_t *j = json_loadb(line, n, JSON_REJECT_DUPLICATES, NULL);

		*at += n + 1;
		if (json_is_object(j))
			return j;
		json_decref(j);
	}
	return NULL;
}

/* Those that the log tells of, in the order of their first turns. */
static json_t *contexts_json(const struct session *s)
{
	json_t *list = json_array(), *line;
	size_t at = 0;

	while ((line = next_line(&s->log, &at))) {
		json_t *name = json_object_get(line, "context");
		size_t i = 0;

		while (i < json_array_size(list) && !json_equal(json_array_get(list, i), name))
			i++;
		if (json_is_string(name) && i == json_array_size(list) && i < CONTEXTS_MAX)
			json_array_append(list, name);
		json_decref(line);
	}
	return list;
}

static json_t *turns_json(const struct session *s)
{
	json_t *list = json_array();
	uint64_t *turns = NULL;
	size_t n = 0;
	struct err none;

	if (sessions_turns(s, &turns, &n, &none) == 0)
		for (size_t i = 0; i < n; i++)
			json_array_append_new(list, json_integer((json_int_t)turns[i]));
	free(turns);
	return list;
}

static json_t *show_json(const struct session *s)
{
	const struct session_facts *f = &s->facts;
	struct sessions_row r = { 0 };

	sessions_measure(s, &r);
	json_t *o = json_pack("{s:s, s:o, s:I, s:o, s:I, s:I, s:I, s:I}", "name", s->name,
		"path", quote_json(s->path, strlen(s->path)), "turn", (json_int_t)s->turn, "kept", turns_json(s),
		"bytes", (json_int_t)r.bytes, "used", (json_int_t)r.used_s,
		"created", (json_int_t)f->created_s, "saved", (json_int_t)f->saved_s);
	json_t *facts = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:I}", "backend", f->backend,
		"version", f->version, "program", f->program, "image", f->image, "image_digest", f->image_digest,
		"kernel_digest", f->kernel_digest, "cpu", f->cpu, "cpus", (json_int_t)f->cpus,
		"memory_bytes", (json_int_t)f->memory_bytes, "disk_bytes", (json_int_t)f->disk_bytes);
	json_object_update(o, facts);
	json_decref(facts);
	json_object_set_new(o, "contexts", contexts_json(s));
	json_object_set_new(o, "files", files_json(s, false));
	json_object_set_new(o, "waiting", files_json(s, true));
	return o;
}

/* A text of a log or a name of a file as a terminal may have it. */
static const char *plain(const json_t *text, char *dst, size_t size)
{
	const char *from = json_string_value(text);

	(void)str_printable(dst, size, from ? from : "-", from ? json_string_length(text) : 1);
	return dst;
}

static void print_files(const char *what, const json_t *list)
{
	char path[SESSION_PATH];

	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *file = json_array_get(list, i);

		printf("%-9s %12" JSON_INTEGER_FORMAT "  %s\n", i ? "" : what,
		       json_integer_value(json_object_get(file, "size")),
		       plain(json_object_get(file, "path"), path, sizeof(path)));
	}
}

static void print_words(const char *what, const json_t *list)
{
	char text[SESSION_WORD];

	printf("%-9s%s", what, json_array_size(list) > 0 ? "" : " -");
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *word = json_array_get(list, i);

		if (json_is_integer(word))
			printf(" %" JSON_INTEGER_FORMAT, json_integer_value(word));
		else
			printf(" %s", plain(word, text, sizeof(text)));
	}
	putchar('\n');
}

static void print_session(const struct session *s, const json_t *o)
{
	const struct session_facts *f = &s->facts;
	char text[WHEN], memory[NUM_TEXT], disk[NUM_TEXT], path[SESSION_PATH];

	(void)str_printable(path, sizeof(path), s->path, strlen(s->path));
	printf("%-9s %s\n%-9s %s\n%-9s %" PRIu64 "\n", "name", s->name, "path", path, "turn", s->turn);
	print_words("kept", json_object_get(o, "kept"));
	printf("%-9s %.1f MiB\n", "size", (double)json_integer_value(json_object_get(o, "bytes")) / MIB);
	if (s->turn > 0) {
		printf("%-9s %s\n", "created", when(f->created_s, text));
		printf("%-9s %s\n", "saved", when(f->saved_s, text));
		printf("%-9s %s %s\n%-9s %s %s\n%-9s %s\n", "backend", f->backend, f->version, "image", f->image,
		       f->image_digest, "cpu", f->cpu);
		printf("%-9s %" PRIu64 " CPUs, memory %s, disk %s\n", "limits", f->cpus,
		       num_size_text(f->memory_bytes, memory), num_size_text(f->disk_bytes, disk));
		print_words("contexts", json_object_get(o, "contexts"));
	}
	print_files("files", json_object_get(o, "files"));
	print_files("waiting", json_object_get(o, "waiting"));
}

/* The session that is looked at. */
static int open_one(const struct request *rq, struct session *s, struct err *e)
{
	return session_open(s, rq->folder, rq->names[0], SESSION_LOOK, 0, -1, e);
}

int tell_show(const struct request *rq, struct err *e)
{
	struct session s;

	if (open_one(rq, &s, e) < 0)
		return -1;
	json_t *o = show_json(&s);
	if (rq->json)
		say_json(json_incref(o));
	else
		print_session(&s, o);
	json_decref(o);
	session_close(&s);
	return 0;
}

static void print_line(const json_t *line)
{
	const json_t *code = json_object_get(line, "code"), *files = json_object_get(line, "files");
	char at[WHEN], status[20], context[SESSION_NAME_MAX + 1], digest[20], path[300];

	printf("%5" JSON_INTEGER_FORMAT "  %-19s  %-9s %4" JSON_INTEGER_FORMAT " %9.3f  %-10s %8" JSON_INTEGER_FORMAT
	       " %-12s ", json_integer_value(json_object_get(line, "turn")),
	       when(json_integer_value(json_object_get(line, "time")), at),
	       plain(json_object_get(line, "status"), status, sizeof(status)),
	       json_integer_value(json_object_get(line, "exit_code")),
	       json_number_value(json_object_get(line, "run_ms")) / 1000,
	       plain(json_object_get(line, "context"), context, sizeof(context)),
	       json_integer_value(json_object_get(code, "bytes")),
	       plain(json_object_get(code, "sha256"), digest, 13));
	for (size_t i = 0; i < json_array_size(files); i++)
		printf(" %s", plain(json_array_get(files, i), path, sizeof(path)));
	putchar('\n');
}

int tell_log(const struct request *rq, struct err *e)
{
	struct session s;
	json_t *list, *line;
	size_t at = 0;

	if (open_one(rq, &s, e) < 0)
		return -1;
	list = json_array();
	while ((line = next_line(&s.log, &at)))
		json_array_append_new(list, line);
	if (rq->json)
		say_json(json_incref(list));
	else if (json_array_size(list) > 0)
		printf("%5s  %-19s  %-9s %4s %9s  %-10s %8s %-12s  %s\n", "TURN", "TIME", "STATUS", "EXIT", "SECONDS",
		       "CONTEXT", "BYTES", "SHA256", "FILES");
	for (size_t i = 0; !rq->json && i < json_array_size(list); i++)
		print_line(json_array_get(list, i));
	json_decref(list);
	session_close(&s);
	return 0;
}
