/* SPDX-License-Identifier: Apache-2.0 */
/* fcsnap - see fcsnap.h */
#include "backend/fcsnap.h"

#include "backend/fcapi.h"
#include "base/fd.h"
#include "base/sparse.h"
#include "base/trace.h"
#include "host/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#define STATE "state"
#define MEMORY "memory"
#define READABLE 0644
#define PAGE 4096
#define WINDOW (64 << 20)	/* bytes of a file in view */
#define STEP (1 << 30)		/* bytes of one call */
#define COPIER_NICE 10		/* the run comes first */

static const char *path_in(char path[64], const char *folder, const char *name)
{
	snprintf(path, 64, "%s/%s", folder, name);
	return path;
}

int fcsnap_load(const char *api, int pid_fd, const char *from, bool count, int64_t until_us,
		struct err *e)
{
	/* 1.12 knows the first only, later ones both, and once the second only */
	static const char *const words[] = { "enable_diff_snapshots", "track_dirty_pages" };
	char body[320];
	int rc = -1;

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		snprintf(body, sizeof(body), "{\"snapshot_path\":\"%s/" STATE "\",\"mem_backend\":"
			 "{\"backend_path\":\"%s/" MEMORY "\",\"backend_type\":\"File\"},\"%s\":%s,"
			 "\"resume_vm\":true}", from, from, words[i], count ? "true" : "false");
		rc = fcapi_call(api, pid_fd, "PUT", "/snapshot/load", body, until_us, e);
		if (rc == 0 || !strstr(e->msg, "unknown field"))
			break;
	}
	return rc;
}

/* Bytes [AT, END) of one file to the same place of the other. Shares them where the
 * file system can. */
static int copy_range(int from, int to, off_t at, off_t end, struct err *e)
{
	while (at < end) {
		size_t want = end - at < STEP ? (size_t)(end - at) : STEP;
		off_t in = at, out = at;
		ssize_t n = copy_file_range(from, &in, to, &out, want, 0);

		/* between two file systems, or one that cannot */
		if (n < 0 && errno != ENOSPC && errno != EDQUOT && errno != EINTR && errno != EIO) {
			in = at;
			n = lseek(to, at, SEEK_SET) < 0 ? -1 : sendfile(to, from, &in, want);
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? err_sys(e, ERR_HOST, "copy the machine's memory")
			     : err_set(e, ERR_SESSION, "the snapshot's memory became shorter");
		at += n;
	}
	return 0;
}

static int copy_memory(const char *from, const char *to, int *out, struct err *e)
{
	char path[64];
	struct stat st;
	off_t at = 0, end = 0;
	AUTO_FD in = open(path_in(path, from, MEMORY), O_RDONLY | O_CLOEXEC);

	if (in < 0 || fstat(in, &st) < 0)
		return err_sys(e, ERR_HOST, "%s", path);
	*out = open(path_in(path, to, MEMORY), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (*out < 0 || ftruncate(*out, st.st_size) < 0)
		return err_sys(e, ERR_HOST, "%s", path);
	for (; (at = sparse_data(in, at, st.st_size, &end)) < st.st_size; at = end)
		if (copy_range(in, *out, at, end, e) < 0)
			return -1;
	return 0;
}

static void be_copier(const char *from, const char *to, int told)
{
	struct err failed = { 0 };
	int out = -1;

	fd_close_but(&told, 1);		/* the channels' ends are to be seen */
	(void)setpriority(PRIO_PROCESS, 0, COPIER_NICE);	/* else it is not so polite */
	int rc = copy_memory(from, to, &out, &failed);
	if (fd_write_all(told, &failed, sizeof(failed)) == 0 && rc == 0)
		/* Firecracker waits for the disk; what is on its way is not waited for */
		(void)sync_file_range(out, 0, 0, SYNC_FILE_RANGE_WRITE);
	_exit(0);
}

int fcsnap_copy(const char *from, const char *to, struct err *e)
{
	AUTO_FD read_end = -1;
	AUTO_FD write_end = -1;
	pid_t pid = spawn_fork(&read_end, &write_end, e);

	if (pid < 0)
		return -1;
	if (pid == 0)
		be_copier(from, to, write_end);
	return fd_take(&read_end);
}

static int wait_copy(int base, struct err *e)
{
	struct err said = { 0 };
	ssize_t n = fd_read_all(base, &said, sizeof(said));

	if (n != (ssize_t)sizeof(said))
		return err_set(e, ERR_HOST, "the copy of the machine's memory was killed");
	if (!said.kind)
		return 0;
	*e = said;
	return -1;
}

int fcsnap_save(const char *api, int pid_fd, const char *to, uid_t uid, int base, int64_t until_us,
		struct err *e)
{
	char path[64], body[256];

	if (base > 0 && wait_copy(base, e) < 0)
		return -1;
	trace("keeper: memory copied");
	/* the machine's uid writes there for a moment, and owns nothing of it after */
	if (uid && (chown(to, uid, uid) < 0 ||
		    (chown(path_in(path, to, MEMORY), uid, uid) < 0 && errno != ENOENT)))
		return err_sys(e, ERR_HOST, "lend the snapshot's folder");
	snprintf(body, sizeof(body), "{\"snapshot_type\":\"Diff\",\"snapshot_path\":\"%s/" STATE "\","
		 "\"mem_file_path\":\"%s/" MEMORY "\"}", to, to);
	if (fcapi_call(api, pid_fd, "PATCH", "/vm", "{\"state\":\"Paused\"}", until_us, e) < 0 ||
	    fcapi_call(api, pid_fd, "PUT", "/snapshot/create", body, until_us, e) < 0)
		return -1;
	trace("keeper: machine saved");
	return 0;
}

/* Punches the zeros out of [AT, AT + N), which is in view at WINDOW. What fails leaves the
 * file larger than it could be. */
static void punch_window(int fd, const uint8_t *window, off_t at, size_t n)
{
	for (size_t i = 0; i + PAGE <= n; i += PAGE) {
		size_t from = i;

		while (i + PAGE <= n && sparse_is_zero(window + i, PAGE))
			i += PAGE;
		if (i > from)
			(void)fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
					at + (off_t)from, (off_t)(i - from));
	}
}

static int punch_zeros(const char *path, struct err *e)
{
	AUTO_FD fd = open(path, O_RDWR | O_CLOEXEC);
	off_t at = 0, end = 0;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(e, ERR_HOST, "%s", path);
	while ((at = sparse_data(fd, at, st.st_size, &end)) < st.st_size) {
		at -= at % PAGE;
		size_t n = end - at < WINDOW ? (size_t)(end - at) : WINDOW;
		void *window = mmap(NULL, n, PROT_READ, MAP_SHARED, fd, at);

		if (window == MAP_FAILED)
			return err_sys(e, ERR_HOST, "look for zeros in %s", path);
		punch_window(fd, window, at, n);
		(void)munmap(window, n);
		at += (off_t)n;
	}
	return 0;
}

int fcsnap_finish(const char *to, uid_t uid, mode_t folder, bool saved, struct err *e)
{
	static const char *const files[] = { STATE, MEMORY };
	char path[64];

	if (uid && (chown(to, 0, 0) < 0 || chmod(to, folder) < 0))
		return err_sys(e, ERR_HOST, "take the snapshot's folder back");
	for (size_t i = 0; saved && i < sizeof(files) / sizeof(*files); i++)
		/* a uid of the pool must be able to read what is bound for it, file by file; others
		 * are kept out by the folders above */
		if (chown(path_in(path, to, files[i]), 0, 0) < 0 || chmod(path, READABLE) < 0)
			return err_sys(e, ERR_HOST, "take %s back", path);
	if (!saved)
		return 0;
	int rc = punch_zeros(path_in(path, to, MEMORY), e);
	trace("keeper: zeros punched");
	return rc;
}
