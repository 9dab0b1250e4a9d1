/* SPDX-License-Identifier: Apache-2.0 */
/* msg - see msg.h */
#include "wire/msg.h"

#include <string.h>

int msg_path_ok(const char *path, size_t n)
{
	if (n == 0 || n > MSG_PATH_MAX || memchr(path, 0, n))
		return 0;
	for (size_t at = 0; at <= n;) {
		const char *slash = memchr(path + at, '/', n - at);
		size_t len = slash ? (size_t)(slash - path) - at : n - at;

		if (len == 0 || len > MSG_NAME_MAX ||
		    (path[at] == '.' && (len == 1 || (len == 2 && path[at + 1] == '.'))))
			return 0;
		at += len + 1;
	}
	return 1;
}

static void pack_text(struct packer *p, const char *text)
{
	pack_bytes(p, text, strlen(text));
}

static ssize_t packed(const struct packer *p, const char *what, struct err *e)
{
	if (p->full)
		return err_set(e, ERR_USAGE, "%s too long to be sent", what);
	return (ssize_t)p->len;
}

ssize_t msg_put_run(const struct msg_run *m, uint8_t *body, size_t cap, struct err *e)
{
	struct packer p = { .at = body, .cap = cap };

	pack_number(&p, m->version, 4);
	pack_number(&p, m->lang, 1);
	pack_number(&p, m->flags, 1);
	pack_number(&p, m->cpus, 4);
	pack_number(&p, m->pids, 4);
	pack_number(&p, m->max_files, 4);
	pack_number(&p, m->max_output, 8);
	pack_number(&p, m->memory_bytes, 8);
	pack_number(&p, m->cpu_ms, 8);
	pack_number(&p, m->disk_bytes, 8);
	pack_number(&p, m->shm_bytes, 8);
	pack_number(&p, m->clock_us, 8);
	pack_bytes(&p, m->seed, MSG_SEED);
	pack_text(&p, m->hostname);
	pack_text(&p, m->shown);
	pack_text(&p, m->file);
	pack_text(&p, m->context);
	return packed(&p, "the program's name", e);
}

ssize_t msg_put_file(const struct msg_file *m, uint8_t *body, size_t cap, struct err *e)
{
	struct packer p = { .at = body, .cap = cap };

	pack_number(&p, m->type, 1);
	pack_number(&p, m->place, 1);
	pack_number(&p, m->mode, 2);
	pack_number(&p, m->size, 8);
	pack_number(&p, m->mtime, 8);
	pack_text(&p, m->path);
	pack_text(&p, m->target);
	return packed(&p, "a file's name", e);
}

ssize_t msg_put_ended(const struct msg_ended *m, uint8_t *body, size_t cap, struct err *e)
{
	struct packer p = { .at = body, .cap = cap };

	pack_number(&p, m->signaled, 1);
	pack_number(&p, m->by, 1);
	pack_number(&p, m->code, 4);
	pack_number(&p, m->count, 4);
	pack_number(&p, m->user_us, 8);
	pack_number(&p, m->sys_us, 8);
	pack_number(&p, m->peak_bytes, 8);
	return packed(&p, "the status", e);
}

/* Copies a string field into ROOM (MAX bytes and a NUL). */
static const char *take_text(struct unpacker *u, char *room, size_t max)
{
	size_t n;
	const uint8_t *at = unpack_bytes(u, &n);

	if (n > max || memchr(at, 0, n)) {
		u->bad = 1;
		n = 0;
	}
	memcpy(room, at, n);
	room[n] = 0;
	return room;
}

static void take_seed(struct unpacker *u, uint8_t seed[MSG_SEED])
{
	size_t n;
	const uint8_t *at = unpack_bytes(u, &n);

	if (n == MSG_SEED)
		memcpy(seed, at, MSG_SEED);
	else
		u->bad = 1;
}

int msg_get_run(const struct frame *f, struct msg_run *m, struct msg_text *t, struct err *e)
{
	struct unpacker u = unpack(f);

	m->version = (uint32_t)unpack_number(&u, 4);
	if (!u.bad && m->version != MSG_VERSION)
		return err_set(e, ERR_GUEST, "protocol %u, not %u", m->version, MSG_VERSION);
	m->lang = (uint8_t)unpack_number(&u, 1);
	m->flags = (uint8_t)unpack_number(&u, 1);
	m->cpus = (uint32_t)unpack_number(&u, 4);
	m->pids = (uint32_t)unpack_number(&u, 4);
	m->max_files = (uint32_t)unpack_number(&u, 4);
	m->max_output = unpack_number(&u, 8);
	m->memory_bytes = unpack_number(&u, 8);
	m->cpu_ms = unpack_number(&u, 8);
	m->disk_bytes = unpack_number(&u, 8);
	m->shm_bytes = unpack_number(&u, 8);
	m->clock_us = unpack_number(&u, 8);
	take_seed(&u, m->seed);
	m->hostname = take_text(&u, t->c, MSG_NAME_MAX);
	m->shown = take_text(&u, t->a, MSG_PATH_MAX);
	m->file = take_text(&u, t->b, MSG_PATH_MAX);
	m->context = take_text(&u, t->d, MSG_CONTEXT_MAX);
	if (m->lang > MSG_MODULE || m->flags & ~MSG_RUN_FLAGS || m->cpus == 0 || m->pids == 0 ||
	    ((m->flags & MSG_SESSION) != 0) != (*m->context != 0) ||
	    (m->flags & MSG_SESSION && !(m->flags & MSG_CELL)) || (*m->file && (!msg_path_ok(m->file, strlen(m->file)) || strchr(m->file, '/'))))
		u.bad = 1;
	return unpack_end(&u, "run", e);
}

int msg_get_file(const struct frame *f, struct msg_file *m, struct msg_text *t, struct err *e)
{
	struct unpacker u = unpack(f);

	m->type = (uint8_t)unpack_number(&u, 1);
	m->place = (uint8_t)unpack_number(&u, 1);
	m->mode = (uint16_t)unpack_number(&u, 2);
	m->size = unpack_number(&u, 8);
	m->mtime = unpack_number(&u, 8);
	m->path = take_text(&u, t->a, MSG_PATH_MAX);
	m->target = take_text(&u, t->b, MSG_PATH_MAX);
	if (!u.bad && !msg_path_ok(m->path, strlen(m->path)))
		return err_set(e, ERR_GUEST, "a path that leaves its folder: '%.200s'", m->path);
	if (m->type >= MSG_TYPES || m->place >= MSG_PLACES || m->mode & ~0777u ||
	    (m->type == MSG_LINK) != (*m->target != 0) || m->size > INT64_MAX ||
	    m->mtime > MSG_MTIME_MAX)
		u.bad = 1;
	return unpack_end(&u, "file", e);
}

int msg_get_ended(const struct frame *f, struct msg_ended *m, struct err *e)
{
	struct unpacker u = unpack(f);

	m->signaled = (uint8_t)unpack_number(&u, 1);
	m->by = (uint8_t)unpack_number(&u, 1);
	m->code = (uint32_t)unpack_number(&u, 4);
	m->count = (uint32_t)unpack_number(&u, 4);
	m->user_us = unpack_number(&u, 8);
	m->sys_us = unpack_number(&u, 8);
	m->peak_bytes = unpack_number(&u, 8);
	if (m->signaled > 1 || (m->count && (m->signaled || m->by)) || m->count > INT32_MAX || m->by >= MSG_BYS || m->code > (m->signaled ? 64u : 255u) ||
	    (m->signaled && m->code == 0) || m->user_us > MSG_COUNT_MAX ||
	    m->sys_us > MSG_COUNT_MAX || m->peak_bytes > MSG_COUNT_MAX)
		u.bad = 1;
	return unpack_end(&u, "status", e);
}
