/* SPDX-License-Identifier: Apache-2.0 */
/* account - see account.h */
#include "account.h"

#include "say.h"

#include "base/fd.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void account_init(struct account *a)
{
	*a = (struct account){ -1, -1, -1 };
}

static int open_file(const char *option, const char *path, int *fd, struct err *e)
{
	*fd = open(path, O_WRONLY | O_CREAT | O_NOCTTY | O_CLOEXEC, 0666);
	return *fd < 0 ? err_sys(e, ERR_OUTPUT, "--%s: '%s'", option, path) : 0;
}

static int take_status_fd(struct account *a, const struct plan *p, struct err *e)
{
	int fd = (int)p->status_fd, flags = fcntl(fd, F_GETFL);

	if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
		return err_set(e, ERR_USAGE, "--status-fd: descriptor %d is not open for writing", fd);
	/* the sandbox has no business with it; 0 to 2 are handed on by number */
	if (fd > STDERR_FILENO && fcntl(fd, F_SETFD, FD_CLOEXEC) < 0)
		return err_sys(e, ERR_HOST, "--status-fd");
	a->status = fd;
	return 0;
}

int account_open(struct account *a, const struct plan *p, struct err *e)
{
	if (p->status_fd != PLAN_NO_FD && take_status_fd(a, p, e) < 0)
		return -1;
	/* either may be meant to lie in DIR */
	if ((p->manifest || p->usage) && outdir_make(p, e) < 0)
		return err_in(e, "--output-dir");
	if (p->manifest && open_file("manifest", p->manifest, &a->manifest, e) < 0)
		return -1;
	if (p->usage && strcmp(p->usage, PLAN_TO_STDERR))
		return open_file("usage", p->usage, &a->usage, e);
	return 0;
}

/* A name with a newline, a carriage return or a backslash is written as
 * sha256sum writes it, with a backslash in front of the line. */
static void print_name(FILE *to, const char *name)
{
	for (; *name; name++)
		if (*name == '\n' || *name == '\r' || *name == '\\')
			fprintf(to, "\\%c", *name == '\n' ? 'n' : *name == '\r' ? 'r' : '\\');
		else
			fputc(*name, to);
	fputc('\n', to);
}

static void print_files(FILE *to, const struct outdir *d)
{
	for (size_t i = 0; i < d->files; i++) {
		const struct out_file *f = &d->file[i];

		fprintf(to, "# size %" PRIu64 "\n%s%s  ", f->size, strpbrk(f->path, "\n\r\\") ? "\\" : "",
			f->sha256);
		print_name(to, f->path);
	}
}

/* Makes FD, if it is a regular file, an empty one. */
static int clear(int fd, const char *option, const char *path, struct err *e)
{
	struct stat st;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return 0;
	if (st.st_nlink == 0)
		return err_set(e, ERR_OUTPUT, "--%s: an output has taken the place of '%s'", option, path);
	return ftruncate(fd, 0) < 0 ? err_sys(e, ERR_OUTPUT, "--%s: '%s'", option, path) : 0;
}

int account_manifest(const struct account *a, const struct plan *p, const struct result *r,
		     struct err *e)
{
	int fd = a->manifest < 0 ? -1 : dup(a->manifest);
	FILE *to = fd < 0 ? NULL : fdopen(fd, "w");

	if (a->manifest < 0)
		return 0;
	if (!to) {
		fd_closep(&fd);
		return err_sys(e, ERR_HOST, "--manifest");
	}
	int rc = clear(fd, "manifest", p->manifest, e);
	print_files(to, &r->files);
	if (fclose(to) != 0 && rc == 0)
		rc = err_sys(e, ERR_OUTPUT, "--manifest: '%s'", p->manifest);
	return rc;
}

static double seconds(int64_t us)
{
	return (double)us / 1e6;
}

void account_usage(const struct account *a, const struct plan *p, const struct result *r)
{
	char text[300];
	struct err e;

	if (!p->usage)
		return;
	int n = snprintf(text, sizeof(text) - 1, "real=%.3f user=%.3f sys=%.3f peak=%" PRIu64 " stdout=%" PRIu64
			 " stderr=%" PRIu64 " start=%s backend=%s", seconds(r->finish_us - r->begin_us),
			 seconds((int64_t)r->user_us), seconds((int64_t)r->sys_us), r->peak_bytes,
			 r->out.bytes, r->err.bytes, result_start(r),
			 r->backend ? r->backend : "none");
	if (a->usage < 0) {
		say(text);
		return;
	}
	text[n++] = '\n';
	if (clear(a->usage, "usage", p->usage, &e) < 0)
		say(e.msg);
	else if (fd_write_caller(a->usage, text, (size_t)n, say_wait_ms) < 0)
		say("--usage: the line could not be written");
}

void account_status(const struct account *a, const struct result *r)
{
	char text[100], code[16] = "-", signal[16] = "-";

	if (a->status < 0)
		return;
	if (r->ended && !r->signal)
		snprintf(code, sizeof(code), "%d", r->exit_code);
	if (r->signal)
		snprintf(signal, sizeof(signal), "%d", r->signal);
	int n = snprintf(text, sizeof(text), "status=%s exit=%s signal=%s\n", result_word(r->status),
			 code, signal);
	(void)fd_write_caller(a->status, text, (size_t)n, say_wait_ms);	/* nobody reads it: nowhere to say it */
}

void account_close(struct account *a)
{
	fd_closep(&a->manifest);
	fd_closep(&a->usage);
}
