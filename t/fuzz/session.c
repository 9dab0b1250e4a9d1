/* SPDX-License-Identifier: Apache-2.0 */
/* A session's folder whose files are any bytes: it is read as it was saved, or refused in
 * one printable line; nothing beside it is touched. */
#include "bytes.h"
#include "scratch.h"
#include "state/facts.h"
#include "state/sessions.h"
#include "state/sum.h"
#include "target.h"

#include "base/fd.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEXT_MAX 8192
#define TURN "out/x/1"

static const char facts[] = "{\"turn\":1,\"created\":1,\"saved\":1,\"backend\":\"gvisor\",\"version\":\"v\",\"program\":"
	"\"\",\"image\":\"\",\"image_digest\":\"\",\"kernel_digest\":\"\",\"cpu\":\"\",\"cpus\":1,\"memory_bytes\":1,"
	"\"disk_bytes\":1}\n";

static void must_be_line(const char *text, size_t max)
{
	char again[TEXT_MAX];

	MUST(strlen(text) < max);
	MUST(str_printable(again, sizeof(again), text, strlen(text)) == strlen(text) && !strcmp(text, again));
}

static void put_file(const char *path, const void *data, size_t n)
{
	AUTO_FD fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	MUST(fd >= 0 && (n == 0 || fd_write_all(fd, data, n) == 0));
}

/* The line of a file as it is. */
static void list_file(const char *name, char *text, size_t size)
{
	char path[PATH_MAX];
	struct stat st;
	uint64_t sum;
	size_t n = strlen(text);

	snprintf(path, sizeof(path), TURN "/%s", name);
	AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC);
	MUST(fd >= 0 && fstat(fd, &st) == 0 && sum_file(fd, (uint64_t)st.st_size, &sum) == 0);
	snprintf(text + n, size - n, "%016" PRIx64 " %jd %s\n", sum, (intmax_t)st.st_size, name);
}

static void make_folders(void)
{
	static const char *const folders[] = { "out", "out/x", TURN, TURN "/snapshot", TURN "/files" };

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
		MUST(mkdir(folders[i], 0700) == 0);
	put_file(TURN "/snapshot/pages.img", "pages", 5);
	put_file(TURN "/session.json", facts, strlen(facts));
	put_file(TURN "/log", "{}\n", 3);
}

static void put_sizes(void)
{
	char text[TEXT_MAX] = "pai-session 1\n";

	list_file("snapshot/pages.img", text, sizeof(text));
	list_file("session.json", text, sizeof(text));
	list_file("log", text, sizeof(text));
	put_file(TURN "/sizes", text, strlen(text));
}

/* What was read is what was there, and is written as it was read. */
static void check_facts(const struct session *s)
{
	struct session_facts again;
	struct buf text = { 0 };
	struct err e = { 0 };

	MUST(s->facts.turn == 1 && s->facts.created_s >= 0 && s->facts.saved_s >= 0);
	must_be_line(s->facts.version, sizeof(s->facts.version));
	must_be_line(s->facts.cpu, sizeof(s->facts.cpu));
	must_be_line(s->facts.image, sizeof(s->facts.image));
	MUST(facts_write(&s->facts, &text, &e) == 0);
	MUST(facts_read((const char *)text.at, text.len, &again, &e) == 0);
	MUST(again.turn == s->facts.turn && !strcmp(again.cpu, s->facts.cpu) &&
	     again.memory_bytes == s->facts.memory_bytes && !strcmp(again.image, s->facts.image));
	buf_free(&text);
}

static void look(bool good)
{
	char folder[PATH_MAX], path[SESSION_PATH];
	struct sessions all;
	struct session s;
	struct err e = { 0 };

	MUST(getcwd(folder, sizeof(folder) - 8));
	strcat(folder, "/out");
	MUST(session_folder(folder, false, path, &e) == 0);
	if (session_open(&s, path, "x", SESSION_LOOK, 0, -1, &e) == 0) {
		MUST(s.turn == 1 && s.log.len <= SESSION_LOG_MAX);
		check_facts(&s);
		if (session_verify(&s, &e) < 0)
			must_be_line(e.msg, sizeof(e.msg));
		session_close(&s);
	} else {
		MUST(!good && e.kind == ERR_SESSION);
		must_be_line(e.msg, sizeof(e.msg));
	}
	MUST(sessions_list(path, &all, &e) == 0);
	for (size_t i = 0; i < all.n; i++)
		must_be_line(all.at[i].why.msg, sizeof(all.at[i].why.msg));
	sessions_free(&all);
}

/* A file or folder of any name in the turn, the snapshot or beside them. */
static void plant(struct bytes *script)
{
	static const char *const at[] = { "out/", "out/x/", TURN "/", TURN "/snapshot/", TURN "/files/" };
	char path[PATH_MAX], name[BYTES_PATH];
	unsigned where = bytes_one(script) % 5, what = bytes_one(script) % 4;

	bytes_path(script, name);
	if (strchr(name, '/') || !*name)
		return;
	snprintf(path, sizeof(path), "%s%s", at[where], name);
	if (what == 0)
		(void)mkdir(path, 0700);
	else if (what == 1)
		(void)!symlink("../victim", path);
	else if (what == 2)
		(void)mkfifo(path, 0600);
	else if (access(path, F_OK) < 0)
		(void)close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
}

static void go_in(const char *path)
{
	struct session s;
	struct err e = { 0 };
	char folder[PATH_MAX];

	MUST(getcwd(folder, sizeof(folder) - 8));
	strcat(folder, "/out");
	if (session_open(&s, folder, "x", SESSION_LOOK, 0, -1, &e) < 0)
		return;
	AUTO_FD fd = sessions_get(&s, false, path, &e);
	struct stat st;
	if (fd >= 0)
		MUST(fstat(fd, &st) == 0 && (S_ISDIR(st.st_mode) || S_ISREG(st.st_mode)));
	else
		must_be_line(e.msg, sizeof(e.msg));
	session_close(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes script = { data, size };
	unsigned which = bytes_one(&script) % 5;
	char path[BYTES_PATH];

	if (script.left > TEXT_MAX || script.left == 0)
		return 0;
	scratch_enter();
	make_folders();
	switch (which) {
	case 0:
		put_file(TURN "/sizes", script.at, script.left);
		break;
	case 1:
		put_file(TURN "/session.json", script.at, script.left);
		put_sizes();
		break;
	case 2:
		put_file(TURN "/log", script.at, script.left);
		put_sizes();
		break;
	case 3:
		put_sizes();
		plant(&script);
		break;
	default:
		put_sizes();
		bytes_path(&script, path);
		go_in(path);
	}
	look(which == 2 || which > 3);
	scratch_clean();
	return 0;
}
