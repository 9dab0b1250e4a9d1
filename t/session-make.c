/* SPDX-License-Identifier: Apache-2.0 */
/* session-make FOLDER NAME KEEP [PATH=TEXT]... - one more turn of a session, as pai-exec
 * would leave it, but that its snapshot is a few bytes: files of /workspace are made or
 * replaced. With KEEP 0 nothing is saved: the lock is held until standard input ends. */
#include "base/fd.h"
#include "base/num.h"
#include "state/session.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int write_file(int at, const char *name, const char *text)
{
	(void)unlinkat(at, name, 0);
	AUTO_FD fd = openat(at, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

	return fd < 0 ? -1 : fd_write_all(fd, text, strlen(text));
}

/* PATH=TEXT; one folder deep. */
static int put_file(int files, char *word)
{
	char *text = strchr(word, '='), *slash = strchr(word, '/');

	if (!text)
		return -1;
	*text++ = 0;
	if (slash && slash < text) {
		*slash = 0;
		if (mkdirat(files, word, 0755) < 0 && errno != EEXIST)
			return -1;
		*slash = '/';
	}
	return write_file(files, word, text);
}

static int make_turn(struct session *s, char **words, uint64_t keep, struct err *e)
{
	struct session_facts f = { .backend = "gvisor", .version = "release-1", .program = "sha256:00",
				   .image = "default", .image_digest = "sha256:01", .cpus = 1,
				   .memory_bytes = 1 << 30, .disk_bytes = 512 << 20 };
	struct session_turn t;
	char line[400];

	if (session_begin(s, &t, e) < 0)
		return -1;
	AUTO_FD snapshot = open(t.snapshot, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc = snapshot < 0 ? -1 : write_file(snapshot, "pages.img", "pages of memory");
	for (; rc == 0 && *words; words++)
		rc = put_file(t.files, *words);
	if (rc < 0)
		(void)err_sys(e, ERR_HOST, "fill the turn");
	cpu_text(f.cpu);
	snprintf(line, sizeof(line), "{\"turn\":%" PRIu64 ",\"time\":1796078228,\"context\":\"main\",\"code\":"
		 "{\"sha256\":\"ab12ab12ab12ab12\",\"bytes\":9},\"status\":\"ok\",\"exit_code\":0,"
		 "\"run_ms\":1500.0,\"files\":[\"a\\u001b[2Jb.csv\"]}", s->turn + 1);
	if (rc == 0)
		rc = session_commit(s, &t, &f, line, keep, e);
	session_drop(s, &t);
	return rc;
}

int main(int argc, char **argv)
{
	char path[SESSION_PATH], byte;
	struct session s;
	struct err e = { 0 };
	uint64_t keep;

	if (argc < 4 || num_count(argv[3], 0, 1000, &keep, &e) < 0)
		return 2;
	if (session_folder(argv[1], true, path, &e) < 0 ||
	    session_open(&s, path, argv[2], SESSION_TURN, 10000, -1, &e) < 0) {
		fprintf(stderr, "session-make: %s\n", e.msg);
		return 1;
	}
	int rc = 0;
	if (keep == 0) {
		puts("locked");
		(void)fflush(stdout);
		while (read(STDIN_FILENO, &byte, 1) > 0)
			;
	} else {
		rc = make_turn(&s, argv + 4, keep, &e);
	}
	session_close(&s);
	if (rc < 0)
		fprintf(stderr, "session-make: %s\n", e.msg);
	return rc < 0;
}
