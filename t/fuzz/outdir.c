/* SPDX-License-Identifier: Apache-2.0 */
/* What a guest sends as its files, into a folder that is set with traps: nothing
 * is made or changed but plain files and folders beneath it, each whole, with the
 * bytes that came; what was announced bounds what is written, up to 2^63. */
#include "base/glob.h"
#include "bytes.h"
#include "out/outdir.h"
#include "scratch.h"
#include "target.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FILES_MAX 3		/* --max-files and --max-output, where they are low */
#define OUTPUT_MAX 1000

static const uint64_t sizes[] = { 0, 1, 2, 5, 4096, 65537, 1ull << 32, INT64_MAX };

struct run {
	struct plan plan;
	struct outdir d;
	struct bytes script;
	bool session;		/* with a mirror, in out/sub */
	char path[BYTES_PATH];
	uint64_t want, got;	/* of the file that is arriving */
	uint8_t content[512];	/* the start of it */
};

/* As it comes over the wire: what msg_get_file() lets through. */
static int file(struct run *r, struct err *e)
{
	struct msg_file m = { .target = "" };
	static uint8_t body[4 * BYTES_PATH];
	static struct msg_text text;
	char path[BYTES_PATH];
	uint8_t how = bytes_one(&r->script);

	bytes_path(&r->script, path);
	m.type = how & 7 ? MSG_REGULAR : how & 8 ? MSG_FOLDER : MSG_LINK;
	m.target = m.type == MSG_LINK ? "../victim" : "";
	m.mode = (uint16_t)bytes_number(&r->script, 2);
	m.size = how & 16 ? bytes_number(&r->script, 8) : sizes[how >> 5];
	m.place = r->session && how & 16 ? MSG_AS_INPUT : MSG_IN_WORKSPACE;
	m.path = path;
	ssize_t n = msg_put_file(&m, body, sizeof(body), e);
	MUST(n > 0);
	const struct frame f = { MSG_FILE, (uint32_t)n, body };
	if (msg_get_file(&f, &m, &text, e) < 0)
		return 0;		/* the caller ends the run; here the next file may come */
	MUST(m.size <= INT64_MAX && *m.path && *m.path != '/');
	for (const char *s = m.path; s; s = strchr(s, '/') ? strchr(s, '/') + 1 : NULL) {
		size_t part = strcspn(s, "/");

		MUST(part > 0 && part <= MSG_NAME_MAX && strncmp(s, "../", 3) && strcmp(s, ".."));
	}
	bool was = r->d.open;
	int rc = outdir_file(&r->d, &m, e);
	MUST(!was || rc < 0);
	MUST(m.type != MSG_LINK || rc < 0);
	if (rc == 0 && m.type == MSG_REGULAR) {
		r->want = m.size;
		r->got = 0;
		snprintf(r->path, sizeof(r->path), "%s", path);
	}
	return rc;
}

static int data(struct run *r, struct err *e)
{
	size_t n = bytes_one(&r->script) % 64;
	const uint8_t *at = bytes_some(&r->script, &n);
	bool fits = r->d.open && n > 0 && n <= r->want - r->got;
	int rc = outdir_data(&r->d, at, n, e);

	MUST((rc == 0) == fits);
	for (size_t i = 0; rc == 0 && i < n && r->got + i < sizeof(r->content); i++)
		r->content[r->got + i] = at[i];
	r->got += rc == 0 ? n : 0;
	return rc;
}

/* The file that was just kept has the bytes that were sent. */
static void check_content(const struct run *r, const char *in, const char *name, unsigned mode)
{
	uint8_t back[sizeof(r->content)];
	char path[BYTES_PATH + 8];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", in, name);
	AUTO_FD fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	MUST(fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode));
	MUST((uint64_t)st.st_size == r->got && (!mode || (st.st_mode & 07777) == mode));
	ssize_t n = read(fd, back, sizeof(back));
	MUST(n >= 0 && !memcmp(back, r->content, (size_t)n));
}

static int end(struct run *r, struct err *e)
{
	size_t kept = r->d.files, lost = r->d.losses;
	bool whole = r->d.open && (r->got == r->want || !r->d.sink || r->session);
	bool dropped = r->d.open && !r->d.keeps, mirrored = r->d.open && r->session;
	int rc = outdir_end(&r->d, e);

	MUST((rc == 0) == whole && !(rc == 0 && r->d.open));
	if (mirrored && !r->d.mirror.lost.kind)
		check_content(r, "out/sub", r->path, 0);
	if (rc == 0 && r->d.in.dir >= 0)
		MUST(r->d.files + r->d.losses == kept + lost + !dropped);
	if (rc == 0 && r->d.in.dir >= 0 && r->d.files > kept) {
		const struct out_file *f = &r->d.file[r->d.files - 1];

		MUST(f->size == r->got);
		check_content(r, "out", f->path, f->mode);
	}
	return rc;
}

static int skip(struct run *r, struct err *e)
{
	static uint8_t body[BYTES_PATH + 16];
	struct packer p = { .at = body, .cap = sizeof(body) };
	char path[BYTES_PATH];

	pack_number(&p, bytes_one(&r->script) % (MSG_SKIPS + 2), 1);
	bytes_path(&r->script, path);
	pack_bytes(&p, path, strlen(path));
	const struct frame f = { MSG_SKIPPED, (uint32_t)p.len, body };
	(void)outdir_skip(&r->d, &f, e);
	return 0;
}

/* What went is not there any more; a link on the way hides where it is not. */
static int gone(struct run *r, struct err *e)
{
	const struct open_how how = { .flags = O_PATH | O_NOFOLLOW | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS };
	static uint8_t body[BYTES_PATH + 16];
	struct packer p = { .at = body, .cap = sizeof(body) };
	char path[BYTES_PATH], full[BYTES_PATH + 8];

	bytes_path(&r->script, path);
	pack_bytes(&p, path, strlen(path));
	const struct frame f = { MSG_GONE, (uint32_t)p.len, body };
	int rc = outdir_gone(&r->d, &f, e);
	MUST(rc < 0 || (r->session && msg_path_ok(path, strlen(path))));
	snprintf(full, sizeof(full), "out/sub/%s", path);
	if (rc == 0 && !r->d.mirror.lost.kind)
		MUST(syscall(SYS_openat2, AT_FDCWD, full, &how, sizeof(how)) < 0);
	return 0;
}

static void check_caps(const struct outdir *d)
{
	const struct plan *p = d->plan;
	uint64_t sum = 0;

	for (size_t i = 0; i < d->files; i++) {
		MUST(!__builtin_add_overflow(sum, d->file[i].size, &sum));
		MUST(glob_choose(&p->include, &p->exclude, d->file[i].path) == GLOB_IN);
	}
	MUST(d->files <= p->limit[LIMIT_MAX_FILES] && sum <= p->limit[LIMIT_MAX_OUTPUT]);
}

/* With --no-clobber nothing has taken the place of what was there. */
static void must_be_traps(void)
{
	struct stat st, canary;

	MUST(lstat("out/file", &st) == 0 && S_ISLNK(st.st_mode) && lstat("out/link", &st) == 0 &&
	     S_ISLNK(st.st_mode) && lstat("out/fifo", &st) == 0 && S_ISFIFO(st.st_mode));
	MUST(stat("victim/canary", &canary) == 0 && lstat("out/hard", &st) == 0 && st.st_ino == canary.st_ino);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static int (*const ops[])(struct run *, struct err *) = { file, data, end, skip, gone };
	struct run r = { .script = { bytes, size } };
	uint8_t how = bytes_one(&r.script);
	struct err e = { 0 };

	scratch_plant();
	plan_init(&r.plan);
	r.plan.output_dir = how & 1 ? NULL : strdup("out");
	r.plan.format = how & 2 ? FORMAT_JSON : FORMAT_TEXT;
	r.plan.no_clobber = how & 8;
	r.plan.limit[LIMIT_MAX_FILES] = how & 4 ? FILES_MAX : UINT64_MAX;
	r.plan.limit[LIMIT_MAX_OUTPUT] = how & 4 ? OUTPUT_MAX : UINT64_MAX;
	if (how & 16)
		MUST(strv_add(&r.plan.exclude, "sub/b", &e) == 0 && strv_add(&r.plan.include, "[a-s]*", &e) == 0);
	MUST(outdir_open(&r.d, &r.plan, &e) == 0);
	r.session = how & 32;
	if (r.session) {
		AUTO_FD dir = open("out/sub", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		MUST(dir >= 0 && outdir_open_mirror(&r.d, dir, r.plan.limit[LIMIT_MAX_OUTPUT], &e) == 0);
	}
	r.d.asked = !(how & 64);
	for (int rc = 0; rc == 0 && r.script.left > 0;) {
		uint8_t op = bytes_one(&r.script);

		rc = ops[r.session && op & 128 ? 4 : op & 3](&r, &e);
	}
	check_caps(&r.d);
	outdir_close(&r.d);
	if (r.plan.no_clobber)
		must_be_traps();
	plan_free(&r.plan);
	scratch_check();
	scratch_clean();
	return 0;
}
