/* SPDX-License-Identifier: Apache-2.0 */
/* mirror - see mirror.h */
#include "out/mirror.h"

#include "base/fd.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define PLAIN 0755u	/* what is taken out of it has that; it lies in a folder of 0700 */

void mirror_init(struct mirror *m)
{
	*m = (struct mirror){ .in = BENEATH_NONE };
}

int mirror_open(struct mirror *m, int dir, uint64_t most, struct err *e)
{
	mirror_init(m);
	m->most = most;
	m->in.umask = umask(0);
	(void)umask(m->in.umask);
	m->in.dir = fcntl(dir, F_DUPFD_CLOEXEC, 3);
	return m->in.dir < 0 ? err_sys(e, ERR_SESSION, "the session's files") : 0;
}

/* The first failure counts. */
static void lose(struct mirror *m, const char *what)
{
	if (!m->lost.kind)
		(void)err_sys(&m->lost, ERR_SESSION, "'%s' in the session's files", what);
	beneath_forget(&m->in);
	m->open = false;
}

int mirror_file(struct mirror *m, const struct msg_file *f, struct err *e)
{
	if (++m->sent > MSG_MIRROR_MAX || f->size > m->most - m->bytes)
		return err_set(e, ERR_GUEST, "more files than a session may have");
	m->bytes += f->size;
	if (m->lost.kind)
		return 0;
	m->file = *f;
	m->file.path = m->file.target = NULL;
	m->open = f->type == MSG_REGULAR;
	if ((m->open ? beneath_begin(&m->in, f->path)
		     : beneath_folder(&m->in, f->path, (f->mode & PLAIN) | 0700u)) < 0)
		lose(m, f->path);
	return 0;
}

void mirror_data(struct mirror *m, const uint8_t *data, size_t n)
{
	if (m->open && beneath_write(&m->in, data, n) < 0)
		lose(m, m->in.name);
}

void mirror_end(struct mirror *m)
{
	if (!m->open)
		return;
	if (beneath_publish(&m->in, (m->file.mode & PLAIN) | 0600u, m->file.mtime) < 0 ||
	    close(fd_take(&m->in.fd)) < 0)
		lose(m, m->in.name);
	beneath_forget(&m->in);
	m->open = false;
}

void mirror_gone(struct mirror *m, const char *path)
{
	if (!m->lost.kind && beneath_remove(&m->in, path) < 0)
		lose(m, path);
}

void mirror_close(struct mirror *m)
{
	beneath_close(&m->in);
	mirror_init(m);
}
