/* SPDX-License-Identifier: Apache-2.0 */
/* commit - the turn that is being made, until it has its name; see session.h. */
#include "state/session.h"

#include "base/fd.h"
#include "state/tree.h"
#include "state/turns.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PUT "put-"

/* First out of the way in one step, so that nobody finds half of it. */
static void take_away(int dir, const char *name)
{
	char gone[NAME_MAX + 16];

	snprintf(gone, sizeof(gone), "%.200s.gone", name);
	(void)tree_remove(dir, gone);
	/* what is left is swept by the next who has the lock */
	(void)tree_remove(dir, renameat(dir, name, dir, gone) < 0 ? name : gone);
}

/* Which turn the put files NAME wait behind; -1: it is no such folder. */
static int64_t put_number(const char *name)
{
	if (strncmp(name, PUT, strlen(PUT)))
		return -1;
	name += strlen(PUT);
	if (!strcmp(name, "0"))
		return 0;
	uint64_t n = turns_number(name);
	return n ? (int64_t)n : -1;
}

static bool is_debris(const char *name)
{
	size_t n = strlen(name);

	return (n > 5 && !strcmp(name + n - 5, ".part")) || (n > 5 && !strcmp(name + n - 5, ".gone"));
}

/* Takes away what was not finished, turns up to LAST and what waited for turns that have
 * been, or are no more. */
static void sweep(const struct session *s, uint64_t last)
{
	char **names;
	int n = tree_names(s->dir, TURNS_NAMES, &names);

	for (int i = 0; i < n; i++) {
		uint64_t turn = turns_number(names[i]);
		int64_t put = put_number(names[i]);

		if (is_debris(names[i]))
			(void)tree_remove(s->dir, names[i]);
		else if ((turn > 0 && turn <= last) || (put >= 0 && (uint64_t)put != s->turn))
			take_away(s->dir, names[i]);
	}
	if (n >= 0)
		tree_names_free(names, n);
}

void session_sweep(const struct session *s)
{
	sweep(s, 0);
}

static void part_name(const struct session *s, char name[TURNS_NAME])
{
	snprintf(name, TURNS_NAME, "%" PRIu64 ".part", s->turn + 1);
}

/* The files of the turn before, by other names. */
static int take_files(const struct session *s, int files)
{
	if (s->turn == 0)
		return 0;
	struct err e;
	AUTO_FD dir = turns_open(s->dir, s->turn, &e);
	AUTO_FD from = dir < 0 ? -1 : tree_open(dir, "files");
	return from < 0 ? -1 : tree_copy(from, files, false);
}

static int make_part(const struct session *s, struct session_turn *t)
{
	char part[TURNS_NAME];

	part_name(s, part);
	if (mkdirat(s->dir, part, 0700) < 0)
		return -1;
	t->dir = tree_open(s->dir, part);
	/* a backend may have a uid of its own; the session's folder shuts others out */
	if (t->dir < 0 || mkdirat(t->dir, "snapshot", 0755) < 0 || mkdirat(t->dir, "files", 0700) < 0)
		return -1;
	t->files = tree_open(t->dir, "files");
	snprintf(t->snapshot, sizeof(t->snapshot), "%.4000s/%s/snapshot", s->path, part);
	return t->files < 0 ? -1 : take_files(s, t->files);
}

int session_begin(struct session *s, struct session_turn *t, struct err *e)
{
	*t = SESSION_TURN_NONE;
	sweep(s, 0);
	if (s->turn == SESSION_TURN_MAX)
		return err_set(e, ERR_SESSION, "session '%s': no more turns", s->name);
	if (make_part(s, t) == 0)
		return 0;
	(void)turns_failed("make its folder", e);
	(void)err_in(e, "session '%s': turn %" PRIu64, s->name, s->turn + 1);
	session_drop(s, t);
	return -1;
}

static void turn_close(struct session_turn *t)
{
	fd_closep(&t->files);
	fd_closep(&t->dir);
}

void session_drop(struct session *s, struct session_turn *t)
{
	char part[TURNS_NAME];

	if (t->dir >= 0) {
		part_name(s, part);
		(void)tree_remove(s->dir, part);
	}
	turn_close(t);
}

/* Gives the sealed turn its name, for good. */
static int put_in_place(const struct session *s, struct err *e)
{
	char part[TURNS_NAME], name[TURNS_NAME];

	part_name(s, part);
	snprintf(name, sizeof(name), "%" PRIu64, s->turn + 1);
	if (renameat(s->dir, part, s->dir, name) < 0)
		return turns_failed("give it its name", e);
	if (fsync(s->dir) == 0)
		return 0;
	(void)turns_failed("give it its name", e);
	(void)renameat(s->dir, name, s->dir, part);	/* then it is not there */
	return -1;
}

static int seal(const struct session *s, const struct session_turn *t, const struct session_facts *facts,
		const char *line, struct buf *log, struct err *e)
{
	if ((s->log.len > 0 && buf_add(log, s->log.at, s->log.len, SESSION_LOG_MAX, e) < 0) ||
	    turns_log(log, facts->turn, line, e) < 0 || turns_seal(t->dir, facts, log, e) < 0)
		return -1;
	return put_in_place(s, e);
}

int session_commit(struct session *s, struct session_turn *t, const struct session_facts *f,
		   const char *line, uint64_t keep, struct err *e)
{
	struct session_facts facts = *f;
	struct buf log = { 0 };

	facts.turn = s->turn + 1;
	facts.saved_s = time(NULL);
	facts.created_s = s->turn ? s->facts.created_s : facts.saved_s;
	if (seal(s, t, &facts, line, &log, e) < 0) {
		buf_free(&log);
		return err_in(e, "session '%s': turn %" PRIu64 " is not saved", s->name, s->turn + 1);
	}
	turn_close(t);
	buf_free(&s->log);
	s->turn = facts.turn;
	s->facts = facts;
	s->log = log;
	keep = keep ? keep : 1;
	sweep(s, s->turn > keep ? s->turn - keep : 0);
	return 0;
}
