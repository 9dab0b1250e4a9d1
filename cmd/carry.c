/* SPDX-License-Identifier: Apache-2.0 */
/* carry - files of the user's into a session, and back; see request.h. */
#include "request.h"
#include "say.h"

#include "base/fd.h"
#include "in/inputs.h"
#include "out/object.h"
#include "out/outdir.h"
#include "state/sessions.h"
#include "state/turns.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define STDIN_AS "-:"		/* and a NAME */

/* {"name":…,"turn":…,"files":FILES} */
static void print_files(const struct session *s, json_t *files)
{
	say_json(json_pack("{s:s, s:I, s:o}", "name", s->name, "turn", (json_int_t)s->turn, "files", files));
}

/* What is to go in, looked at before anything is made. */
struct sources {
	struct inputs in;
	const char *stdin_as;	/* NULL: standard input is not asked for */
};

static int check_sources(struct sources *from, struct err *e)
{
	const char *name = from->stdin_as;

	if (name && !msg_path_ok(name, strlen(name)))
		return err_set(e, ERR_USAGE, "'%s%s': '%s' cannot be a name in /workspace", STDIN_AS, name, name);
	for (size_t i = 0; i < from->in.n; i++) {
		const struct input *one = &from->in.at[i];

		if (one->type == MSG_LINK)
			return err_set(e, ERR_USAGE, "'%s/%s' is a symbolic link: files and folders can be put",
				       one->source, one->beneath);
		if (name && !strcmp(one->path, name))
			return err_set(e, ERR_USAGE, "'%s' and standard input would both be '%s' in /workspace",
				       one->source, name);
	}
	return 0;
}

static int open_sources(char *const *names, struct sources *from, struct err *e)
{
	struct strv plain = { 0 };
	int rc = 0;

	*from = (struct sources){ 0 };
	for (; *names && rc == 0; names++) {
		bool in = !strncmp(*names, STDIN_AS, strlen(STDIN_AS));

		if (!strcmp(*names, "-"))
			rc = err_set(e, ERR_USAGE, "'-' has no name of its own; -:NAME gives it one");
		else if (in && from->stdin_as)
			rc = err_set(e, ERR_USAGE, "'%s': standard input can be put once", *names);
		else if (in)
			from->stdin_as = *names + strlen(STDIN_AS);
		else
			rc = strv_add(&plain, *names, e);
	}
	if (rc == 0)
		rc = inputs_sources(&plain, &from->in, e);
	strv_free(&plain);
	return rc < 0 ? -1 : check_sources(from, e);
}

static int put_one(struct session *s, const struct inputs *in, size_t i, json_t *told, struct err *e)
{
	const struct input *one = &in->at[i];
	uint64_t size;

	if (one->type == MSG_TYPES)	/* the same file once more */
		return 0;
	AUTO_FD fd = one->type == MSG_FOLDER ? -1 : inputs_read(in, i, e);
	if ((one->type != MSG_FOLDER && fd < 0) || sessions_put(s, one->path, fd, one->mode, &size, e) < 0)
		return -1;
	if (fd >= 0)
		json_array_append_new(told, tell_file(one->path, size));
	return 0;
}

static int put_all(struct session *s, const struct sources *from, json_t *told, struct err *e)
{
	uint64_t size;

	for (size_t i = 0; i < from->in.n; i++)
		if (put_one(s, &from->in, i, told, e) < 0)
			return -1;
	if (!from->stdin_as)
		return 0;
	if (sessions_put(s, from->stdin_as, STDIN_FILENO, 0644, &size, e) < 0)
		return -1;
	json_array_append_new(told, tell_file(from->stdin_as, size));
	return 0;
}

int carry_put(const struct request *rq, struct err *e)
{
	struct sources from;
	struct session s;
	int rc = open_sources(rq->names + 1, &from, e);

	if (rc == 0)
		rc = session_open(&s, rq->folder, rq->names[0], SESSION_TURN, rq->wait_ms, -1, e);
	if (rc == 0) {
		json_t *told = json_array();

		rc = put_all(&s, &from, told, e);
		if (rc == 0 && rq->json)
			print_files(&s, json_incref(told));
		json_decref(told);
		session_close(&s);
	}
	inputs_close(&from.in);
	return rc;
}

/* A path in /workspace as people write it: "/workspace/x", "./x", "x/"; "" is all. The
 * text is TEXT's. */
static const char *inner_path(char *text, struct err *e)
{
	static const char root[] = "/workspace";
	char *path = text;
	size_t n = strlen(root);

	if (!strncmp(path, root, n) && (!path[n] || path[n] == '/'))
		path += n + (path[n] == '/');
	while (!strncmp(path, "./", 2))
		path += 2;
	for (n = strlen(path); n > 0 && path[n - 1] == '/'; n--)
		path[n - 1] = 0;
	if (!strcmp(path, "."))
		return "";
	if ((*path || path == text) && !msg_path_ok(path, strlen(path)))
		return err_set(e, ERR_USAGE, "'%s' cannot be a name in /workspace", text), NULL;
	return path;
}

/* One that is taken out: what waits goes before what the last turn left. */
struct taking {
	struct outdir *out;	/* NULL: to standard output */
	const char *as;		/* its name there; "": what is in it goes there */
	int hidden;		/* the folder that waits, whose files hide these; -1: none */
	struct err *e;
};

static int take_bytes(const struct taking *t, int fd, const char *path)
{
	uint8_t block[MSG_CHUNK];
	ssize_t n;

	while ((n = read(fd, block, sizeof(block))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(t->e, ERR_SESSION, "'%s'", path);
		if (t->out ? outdir_data(t->out, block, (size_t)n, t->e) < 0
		    : fd_write_caller(STDOUT_FILENO, block, (size_t)n, -1) < 0
		      ? err_sys(t->e, ERR_OUTPUT, "write to standard output") < 0 : 0)
			return -1;
	}
	return 0;
}

static int take_file(const struct taking *t, int fd, const struct stat *st, const char *path)
{
	struct msg_file m = { .type = S_ISDIR(st->st_mode) ? MSG_FOLDER : MSG_REGULAR, .mode = st->st_mode & 0755,
			      .path = path, .target = "", .size = S_ISDIR(st->st_mode) ? 0 : (uint64_t)st->st_size };

	if (!t->out)
		return take_bytes(t, fd, path);
	if (outdir_file(t->out, &m, t->e) < 0 ||
	    (S_ISREG(st->st_mode) && (take_bytes(t, fd, path) < 0 || outdir_end(t->out, t->e) < 0)))
		return -1;
	return 0;
}

static int take_beneath(void *arg, int at, const char *name, const char *path, const struct stat *st)
{
	struct taking *t = arg;
	char target[MSG_PATH_MAX + 1];
	struct stat other;

	if (!S_ISREG(st->st_mode) && !S_ISDIR(st->st_mode))
		return err_set(t->e, ERR_SESSION, "'%s' is neither a file nor a folder", path);
	if (t->hidden >= 0 && S_ISREG(st->st_mode) && fstatat(t->hidden, path, &other, AT_SYMLINK_NOFOLLOW) == 0)
		return 0;
	if ((size_t)snprintf(target, sizeof(target), "%s%s%s", t->as, *t->as ? "/" : "", path) >= sizeof(target))
		return err_set(t->e, ERR_SESSION, "'%s' would have a path of more than %u bytes", target, MSG_PATH_MAX);
	AUTO_FD fd = openat(at, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return err_sys(t->e, ERR_SESSION, "'%s'", path);
	return take_file(t, fd, st, target);
}

/* The open file or folder FD. */
static int take_one(struct taking *t, int fd, const char *path)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_sys(t->e, ERR_SESSION, "'%s'", path);
	if (S_ISREG(st.st_mode))
		return take_file(t, fd, &st, t->as);
	if (!t->out)
		return err_set(t->e, ERR_USAGE, "'%s' is a folder: standard output takes files", *path ? path : ".");
	if (*t->as && take_file(t, fd, &st, t->as) < 0)
		return -1;
	if (tree_walk(fd, take_beneath, t) == 0)
		return 0;
	return t->e->kind ? -1 : err_sys(t->e, ERR_SESSION, "'%s'", path);
}

static bool is_folder(int fd)
{
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && S_ISDIR(st.st_mode);
}

static int take(const struct session *s, struct taking *t, const char *path)
{
	struct err no = { 0 };
	AUTO_FD waits = sessions_get(s, true, path, &no);
	AUTO_FD left = sessions_get(s, false, path, t->e);

	if (waits < 0 && left < 0)
		return -1;
	*t->e = (struct err){ 0 };
	t->hidden = waits;
	if (left >= 0 && (waits < 0 || (is_folder(waits) && is_folder(left))) && take_one(t, left, path) < 0)
		return -1;
	t->hidden = -1;
	return waits >= 0 ? take_one(t, waits, path) : 0;
}

/* Where it goes: the folder DIR, and the NAME there that one path gets, or "". */
static void find_place(const struct request *rq, char dir[PATH_MAX], char name[MSG_NAME_MAX + 1], const char *path)
{
	const char *to = rq->output ? rq->output : ".", *slash = strrchr(to, '/'), *last = strrchr(path, '/');
	struct stat st;

	snprintf(name, MSG_NAME_MAX + 1, "%s", last ? last + 1 : path);
	snprintf(dir, PATH_MAX, "%s", to);
	if (rq->n > 2 || !*path || (slash && !slash[1]) || (stat(to, &st) == 0 && S_ISDIR(st.st_mode)))
		return;
	snprintf(name, MSG_NAME_MAX + 1, "%s", slash ? slash + 1 : to);
	if (slash)
		snprintf(dir, PATH_MAX, "%.*s", slash > to ? (int)(slash - to) : 1, to);
	else
		snprintf(dir, PATH_MAX, ".");
}

static int open_place(struct plan *p, struct outdir *d, const char *dir, bool json, struct err *e)
{
	plan_init(p);
	p->output_dir = strdup(dir);
	if (!p->output_dir)
		return err_sys(e, ERR_HOST, "memory");
	p->format = json ? FORMAT_JSON : FORMAT_TEXT;	/* which has checksums */
	p->limit[LIMIT_MAX_FILES] = 2ull * TREE_FILES_MAX;
	p->limit[LIMIT_MAX_OUTPUT] = INT64_MAX;
	if (outdir_open(d, p, e) < 0)
		return err_in(e, "--output");
	d->asked = true;
	return 0;
}

static void print_taken(const struct session *s, const struct outdir *d)
{
	json_t *list = json_array();

	for (size_t i = 0; i < d->files; i++)
		json_array_append_new(list, object_file(&d->file[i]));
	print_files(s, list);
}

static int get_all(const struct request *rq, const struct session *s, struct taking *t)
{
	char dir[PATH_MAX], name[MSG_NAME_MAX + 1];

	for (size_t i = 1; i < rq->n; i++) {
		const char *path = inner_path(rq->names[i], t->e);

		if (!path)
			return -1;
		find_place(rq, dir, name, path);
		t->as = name;
		if (take(s, t, path) < 0)
			return -1;
	}
	return 0;
}

static int get_into(const struct request *rq, const struct session *s, struct err *e)
{
	char dir[PATH_MAX], name[MSG_NAME_MAX + 1];
	struct outdir d;
	struct plan p;
	const char *first = inner_path(rq->names[1], e);

	if (!first)
		return -1;
	find_place(rq, dir, name, first);
	outdir_init(&d);
	int rc = open_place(&p, &d, dir, rq->json, e);
	struct taking t = { .out = &d, .hidden = -1, .e = e };
	if (rc == 0)
		rc = get_all(rq, s, &t);
	if (rc == 0)
		rc = outdir_done(&d, e);
	if (rc == 0 && d.losses > 0) {
		*e = d.lost;
		rc = d.losses > 1 ? err_in(e, "%zu files not kept, the first", d.losses) : -1;
	}
	if (rc == 0 && rq->json)
		print_taken(s, &d);
	outdir_end_all(&d);
	outdir_close(&d);
	plan_free(&p);
	return rc;
}

/* All must be there before anything is written. */
static int check_paths(const struct request *rq, const struct session *s, struct err *e)
{
	for (size_t i = 1; i < rq->n; i++) {
		const char *path = inner_path(rq->names[i], e);
		struct err no;
		AUTO_FD waits = path ? sessions_get(s, true, path, &no) : -1;
		AUTO_FD left = path && waits < 0 ? sessions_get(s, false, path, e) : -1;

		if (waits < 0 && left < 0)
			return -1;
	}
	return 0;
}

int carry_get(const struct request *rq, struct err *e)
{
	bool out = rq->output && !strcmp(rq->output, "-");
	struct session s;

	if (out && rq->json)
		return err_set(e, ERR_USAGE, "--json: standard output has the file, by -o -");
	/* a turn that is damaged has its files yet */
	if (session_enter(&s, rq->folder, rq->names[0], SESSION_LOOK, 0, -1, e) < 0)
		return -1;
	struct taking t = { .hidden = -1, .e = e };
	int rc = check_paths(rq, &s, e);
	if (rc == 0)
		rc = out ? get_all(rq, &s, &t) : get_into(rq, &s, e);
	session_close(&s);
	return rc;
}
