/* SPDX-License-Identifier: Apache-2.0 */
/* turns - see turns.h
 *
 * sizes: "pai-session FORMAT", then a line for each file: checksum (16 digits), size and
 * name. It lists what is there, no more and no less: a file that is missing, or that
 * nobody wrote, is noticed before anything is restored.
 */
#include "state/turns.h"

#include "base/fd.h"
#include "base/num.h"
#include "state/facts.h"
#include "state/sum.h"
#include "state/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#define MAGIC "pai-session "
#define SIZES "sizes"
#define SIZES_MAX (16u << 10)
#define NAME_MAX_HERE 80	/* "snapshot/" and a name */
#define SNAPSHOT "snapshot"

struct row {
	char name[NAME_MAX_HERE];
	uint64_t sum, size;
};

struct sizes {
	struct row row[TURNS_ROWS];
	size_t n;
};

int turns_owned(const struct stat *st, const char *what, struct err *e)
{
	if (st->st_uid != geteuid())
		return err_set(e, ERR_SESSION, "%.250s: belongs to another user (uid %u), not to uid %u; "
			       "chown mends that", what, st->st_uid, geteuid());
	if (st->st_mode & 022)
		return err_set(e, ERR_SESSION, "%.250s: others can write it (mode %03o); chmod go-w mends that",
			       what, st->st_mode & 0777);
	return 0;
}

static int open_regular(int at, const char *name, struct stat *st, struct err *e)
{
	AUTO_FD fd = openat(at, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0 && errno == ELOOP)
		return err_set(e, ERR_SESSION, "%.250s: a symbolic link, which is never followed", name);
	if (fd < 0 || fstat(fd, st) < 0)
		return err_sys(e, ERR_SESSION, "%.250s", name);
	if (!S_ISREG(st->st_mode))
		return err_set(e, ERR_SESSION, "%.250s: not a regular file", name);
	return fd_take(&fd);
}

/* One of the caller's. */
static int open_own(int at, const char *name, struct stat *st, struct err *e)
{
	AUTO_FD fd = open_regular(at, name, st, e);

	return fd < 0 || turns_owned(st, name, e) < 0 ? -1 : fd_take(&fd);
}

uint64_t turns_number(const char *name)
{
	struct err e;
	uint64_t n;

	/* one way to write it: no zero in front */
	return name[0] == '0' || num_count(name, 1, SESSION_TURN_MAX, &n, &e) < 0 ? 0 : n;
}

/* A folder of the caller's in AT. */
static int open_folder(int at, const char *name, struct err *e)
{
	AUTO_FD fd = tree_open(at, name);
	struct stat st;

	if (fd < 0 && (errno == ELOOP || errno == ENOTDIR))
		return err_set(e, ERR_SESSION, "%s: not a folder", name);
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(e, ERR_SESSION, "%s", name);
	return turns_owned(&st, name, e) < 0 ? -1 : fd_take(&fd);
}

int turns_open(int dir, uint64_t n, struct err *e)
{
	char name[TURNS_NAME];

	snprintf(name, sizeof(name), "%" PRIu64, n);
	return open_folder(dir, name, e);
}

/* snapshot/x, session.json, log: of plain letters, so that it may stand in a message. */
static bool is_name(const char *name)
{
	size_t n = strlen(SNAPSHOT "/");

	if (!strcmp(name, "session.json") || !strcmp(name, "log"))
		return true;
	if (strncmp(name, SNAPSHOT "/", n) || strlen(name) >= NAME_MAX_HERE || !name[n] || name[n] == '.')
		return false;
	for (const char *c = name + n; *c; c++)
		if (!(*c >= 'a' && *c <= 'z') && !(*c >= 'A' && *c <= 'Z') && !(*c >= '0' && *c <= '9') &&
		    !strchr("._-", *c))
			return false;
	return true;
}

static const struct row *row_named(const struct sizes *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->row[i].name, name))
			return &s->row[i];
	return NULL;
}

static int read_row(struct sizes *s, const char *line, struct err *e)
{
	struct row *row = &s->row[s->n];
	char digits[17] = "", number[21] = "";
	int end = 0;

	if (s->n == TURNS_ROWS)
		return err_set(e, ERR_SESSION, SIZES ": more than %d files", TURNS_ROWS);
	(void)sscanf(line, "%16[0-9a-f] %20[0-9] %n", digits, number, &end);
	if (strlen(digits) != 16 || !end || num_count(number, 0, INT64_MAX, &row->size, e) < 0 ||
	    !is_name(line + end) || row_named(s, line + end))
		return err_set(e, ERR_SESSION, SIZES ": line %zu is none", s->n + 2);
	row->sum = strtoull(digits, NULL, 16);
	snprintf(row->name, sizeof(row->name), "%s", line + end);
	s->n++;
	return 0;
}

/* TEXT[0..N): its first line before anything else, for another format may differ in all. */
static int read_rows(struct sizes *s, char *text, size_t n, struct err *e)
{
	uint64_t format;
	char *line = text, *end = memchr(text, '\n', n);

	if (end)
		*end = 0;
	if (!end || strncmp(text, MAGIC, strlen(MAGIC)) ||
	    num_count(text + strlen(MAGIC), 0, UINT32_MAX, &format, e) < 0)
		return err_set(e, ERR_SESSION, SIZES ": not the list of a session's turn");
	if (format != SESSION_FORMAT)
		return err_set(e, ERR_SESSION, "it is of format %" PRIu64 ", this pai-exec knows %d", format,
			       SESSION_FORMAT);
	while ((line = end + 1) < text + n) {
		end = memchr(line, '\n', (size_t)(text + n - line));
		if (!end)
			return err_set(e, ERR_SESSION, SIZES ": cut off");
		*end = 0;
		if (read_row(s, line, e) < 0)
			return -1;
	}
	return 0;
}

static int read_sizes(int dir, struct sizes *s, struct err *e)
{
	char text[SIZES_MAX];
	struct stat st;
	AUTO_FD fd = open_own(dir, SIZES, &st, e);

	if (fd < 0)
		return -1;
	if (st.st_size > SIZES_MAX)
		return err_set(e, ERR_SESSION, SIZES ": more than %u bytes", SIZES_MAX);
	ssize_t n = fd_read_all(fd, text, sizeof(text));
	s->n = 0;
	return n < 0 ? err_sys(e, ERR_SESSION, SIZES) : read_rows(s, text, (size_t)n, e);
}

/* The files that are in the folder DIR, which is PREFIX ("" or "snapshot/"), against S:
 * adds to *FOUND. */
static int check_names(int dir, const char *prefix, const struct sizes *s, size_t *found, struct err *e)
{
	char **names, path[NAME_MAX + 16];
	int n = tree_names(dir, TURNS_ROWS + 3, &names), rc = 0;

	if (n < 0 && errno == E2BIG)
		return err_set(e, ERR_SESSION, "%s: more files than a turn has", *prefix ? prefix : "it");
	if (n < 0)
		return err_sys(e, ERR_SESSION, "%s", *prefix ? prefix : "read it");
	for (int i = 0; i < n && rc == 0; i++) {
		snprintf(path, sizeof(path), "%s%s", prefix, names[i]);
		if (row_named(s, path))
			(*found)++;
		else if (*prefix || (strcmp(path, SNAPSHOT) && strcmp(path, "files") && strcmp(path, SIZES)))
			rc = err_set(e, ERR_SESSION, "'%.200s' should not be there", path);
	}
	tree_names_free(names, n);
	return rc;
}

static int check_size(int dir, const struct row *row, struct err *e)
{
	struct stat st;
	AUTO_FD fd = open_own(dir, row->name, &st, e);

	if (fd < 0)
		return -1;
	if ((uint64_t)st.st_size != row->size)
		return err_set(e, ERR_SESSION, "%s: %jd bytes instead of %" PRIu64, row->name,
			       (intmax_t)st.st_size, row->size);
	return 0;
}

static int check_all(int dir, const struct sizes *s, struct err *e)
{
	AUTO_FD snapshot = open_folder(dir, SNAPSHOT, e);
	AUTO_FD files = snapshot < 0 ? -1 : open_folder(dir, "files", e);
	size_t found = 0;

	if (files < 0)
		return -1;
	for (size_t i = 0; i < s->n; i++)
		if (check_size(dir, &s->row[i], e) < 0)
			return -1;
	if (check_names(dir, "", s, &found, e) < 0 || check_names(snapshot, SNAPSHOT "/", s, &found, e) < 0)
		return -1;
	return found == s->n ? 0 : err_set(e, ERR_SESSION, "files are missing");
}

static int check_sum(int dir, const struct row *row, struct err *e)
{
	uint64_t sum;
	struct stat st;
	AUTO_FD fd = open_own(dir, row->name, &st, e);

	if (fd < 0)
		return -1;
	if (sum_file(fd, row->size, &sum) < 0)
		return err_sys(e, ERR_SESSION, "%s", row->name);
	return sum == row->sum ? 0 : err_set(e, ERR_SESSION, "%s: damaged: its bytes are not those that were "
					     "saved", row->name);
}

/* The whole of a small file that the list has. */
static int read_listed(int dir, const struct sizes *s, const char *name, size_t max, struct buf *b, struct err *e)
{
	const struct row *row = row_named(s, name);
	struct stat st;

	if (!row)
		return err_set(e, ERR_SESSION, "%s: missing", name);
	if (row->size > max)
		return err_set(e, ERR_SESSION, "%s: more than %zu bytes", name, max);
	AUTO_FD fd = check_sum(dir, row, e) < 0 ? -1 : open_own(dir, name, &st, e);
	if (fd < 0 || buf_room(b, row->size + 1, max + 1, e) < 0)
		return -1;
	ssize_t n = fd_read_all(fd, b->at, row->size);
	if (n < 0)
		return err_sys(e, ERR_SESSION, "%s", name);
	b->len = (size_t)n;
	return 0;
}

int turns_load(int dir, uint64_t n, struct session_facts *facts, struct buf *log, struct err *e)
{
	struct session_facts got;
	struct buf json = { 0 }, lines = { 0 };
	struct sizes s;
	struct stat st;

	if (fstat(dir, &st) < 0)
		return err_sys(e, ERR_SESSION, "look at it");
	int rc = turns_owned(&st, "its folder", e);
	if (rc == 0)
		rc = read_sizes(dir, &s, e) < 0 || check_all(dir, &s, e) < 0 ||
		     read_listed(dir, &s, "session.json", FACTS_MAX, &json, e) < 0 ||
		     facts_read((const char *)json.at, json.len, &got, e) < 0 ||
		     read_listed(dir, &s, "log", SESSION_LOG_MAX, &lines, e) < 0 ? -1 : 0;
	if (rc == 0 && got.turn != n)
		rc = err_set(e, ERR_SESSION, "session.json: of turn %" PRIu64, got.turn);
	buf_free(&json);
	buf_free(rc == 0 ? log : &lines);
	if (rc == 0) {
		*facts = got;
		*log = lines;
	}
	return rc;
}

int turns_verify(int dir, struct err *e)
{
	struct sizes s;

	if (read_sizes(dir, &s, e) < 0 || check_all(dir, &s, e) < 0)
		return -1;
	for (size_t i = 0; i < s.n; i++)
		if (check_sum(dir, &s.row[i], e) < 0)
			return -1;
	return 0;
}

int turns_log(struct buf *log, uint64_t turn, const char *line, struct err *e)
{
	char plain[64];
	size_t n = strlen(line);

	/* what is no line of the log is none, but the turn is worth more than its line */
	snprintf(plain, sizeof(plain), "{\"turn\":%" PRIu64 "}", turn);
	if (n > TURNS_LINE_MAX || strchr(line, '\n'))
		n = strlen(line = plain);
	while (log->len + n + 1 > SESSION_LOG_MAX) {
		uint8_t *end = memchr(log->at, '\n', log->len);

		buf_drop(log, end ? (size_t)(end - log->at) + 1 : log->len);
	}
	return buf_add(log, line, n, SESSION_LOG_MAX, e) < 0 || buf_add(log, "\n", 1, SESSION_LOG_MAX, e) < 0
		? -1 : 0;
}

int turns_failed(const char *what, struct err *e)
{
	if (errno == ENOSPC || errno == EDQUOT)
		return err_sys(e, ERR_SESSION, "the disk is full: %s", what);
	return err_sys(e, ERR_SESSION, "%s", what);
}

static int write_file(int dir, const char *name, const void *data, size_t n, struct err *e)
{
	AUTO_FD fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	return fd < 0 || fd_write_all(fd, data, n) < 0 || fsync(fd) < 0 ? turns_failed(name, e) : 0;
}

/* Adds the line of NAME to LIST; its bytes are on the disk then. */
static int list_file(int dir, const char *name, struct buf *list, struct err *e)
{
	char line[NAME_MAX_HERE + 64];
	struct stat st;
	uint64_t sum;
	AUTO_FD fd = open_regular(dir, name, &st, e);

	if (fd < 0)
		return -1;
	/* whatever the umask of a backend was; readable, for it may have a uid of its own
	 * when it is to be read: the session's folder is what shuts it */
	if (fchmod(fd, 0644) < 0 || fstat(fd, &st) < 0)
		return turns_failed(name, e);
	if (turns_owned(&st, name, e) < 0)
		return -1;
	if (sum_file(fd, (uint64_t)st.st_size, &sum) < 0 || fsync(fd) < 0)
		return turns_failed(name, e);
	int n = snprintf(line, sizeof(line), "%016" PRIx64 " %jd %s\n", sum, (intmax_t)st.st_size, name);
	return buf_add(list, line, (size_t)n, SIZES_MAX, e);
}

static int list_snapshot(int dir, struct buf *list, struct err *e)
{
	AUTO_FD snapshot = open_folder(dir, SNAPSHOT, e);
	char **names, path[NAME_MAX + 16];

	if (snapshot < 0)
		return -1;
	int n = tree_names(snapshot, TURNS_ROWS - 2, &names), rc = 0;
	if (n < 0)
		return err_sys(e, ERR_SESSION, SNAPSHOT);
	for (int i = 0; i < n && rc == 0; i++) {
		snprintf(path, sizeof(path), SNAPSHOT "/%s", names[i]);
		rc = is_name(path) ? list_file(dir, path, list, e)
		   : err_set(e, ERR_SESSION, "'%.200s' is no name in a snapshot", path);
	}
	tree_names_free(names, n);
	if (n == 0)
		return err_set(e, ERR_SESSION, SNAPSHOT ": the backend saved nothing");
	return rc < 0 ? -1 : fsync(snapshot) < 0 ? turns_failed(SNAPSHOT, e) : 0;
}

/* A backend may not notice that its last bytes found no room. */
static int check_room(int dir, struct err *e)
{
	struct statfs fs;

	if (fstatfs(dir, &fs) < 0 || fs.f_blocks == 0)	/* it does not say */
		return 0;
	return (geteuid() == 0 ? fs.f_bfree : fs.f_bavail) > 0 ? 0
		: err_set(e, ERR_SESSION, "the disk is full: no block of it is free");
}

static int write_sizes(int dir, struct buf *list, struct err *e)
{
	char head[32];
	int n = snprintf(head, sizeof(head), MAGIC "%d\n", SESSION_FORMAT);

	if (buf_add(list, head, (size_t)n, SIZES_MAX, e) < 0 || list_snapshot(dir, list, e) < 0 ||
	    list_file(dir, "session.json", list, e) < 0 || list_file(dir, "log", list, e) < 0)
		return -1;
	return write_file(dir, SIZES, list->at, list->len, e);
}

int turns_seal(int dir, const struct session_facts *f, const struct buf *log, struct err *e)
{
	struct buf json = { 0 }, list = { 0 };
	AUTO_FD files = check_room(dir, e) < 0 ? -1 : open_folder(dir, "files", e);

	if (files < 0)
		return -1;
	int rc = facts_write(f, &json, e) < 0 || write_file(dir, "session.json", json.at, json.len, e) < 0 ||
		 write_file(dir, "log", log->at, log->len, e) < 0 || write_sizes(dir, &list, e) < 0 ? -1 : 0;
	buf_free(&json);
	buf_free(&list);
	if (rc == 0 && (tree_sync(files) < 0 || fsync(dir) < 0))
		rc = turns_failed("files", e);
	return rc == 0 ? check_room(dir, e) : -1;
}
