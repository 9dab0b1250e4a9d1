/* SPDX-License-Identifier: Apache-2.0 */
#include "backend/fcsnap.h"
#include "tap.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096
#define PAGES 600
#define FOR_EXTENTS 64	/* blocks of a file system's own, at most */

/* Page I of a file of memory: a hole, zeros that are written, or data. */
enum { HOLE, ZEROS, DATA };
static int kind_of(int i)
{
	return i % 100 < 50 ? HOLE : i % 7 == 0 ? ZEROS : DATA;
}

static void make_page(uint8_t page[PAGE], int i)
{
	memset(page, 0, PAGE);
	if (kind_of(i) == DATA)
		page[i % 3 == 0 ? PAGE - 1 : i % PAGE] = (uint8_t)(i % 255 + 1);
}

static bool make_memory(const char *path)
{
	uint8_t page[PAGE];
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	bool good = fd >= 0 && ftruncate(fd, (off_t)PAGES * PAGE) == 0;

	for (int i = 0; good && i < PAGES; i++) {
		make_page(page, i);
		if (kind_of(i) != HOLE)
			good = pwrite(fd, page, PAGE, (off_t)i * PAGE) == PAGE;
	}
	close(fd);
	return good;
}

static bool is_memory(const char *path)
{
	uint8_t page[PAGE], want[PAGE];
	struct stat st;
	int fd = open(path, O_RDONLY);
	bool good = fd >= 0 && fstat(fd, &st) == 0 && st.st_size == (off_t)PAGES * PAGE;

	for (int i = 0; good && i < PAGES; i++) {
		make_page(want, i);
		good = pread(fd, page, PAGE, (off_t)i * PAGE) == PAGE && !memcmp(page, want, PAGE);
	}
	close(fd);
	return good;
}

static blkcnt_t blocks(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? st.st_blocks : -1;
}

/* Nobody is at the API's socket: the wait for the copy comes first. */
static bool copied(const char *from, const char *to, struct err *e)
{
	int base = fcsnap_copy(from, to, e);

	*e = (struct err){ 0 };
	bool failed = base > 2 && fcsnap_save("no/api", -1, to, 0, base, 0, e) < 0;
	close(base);
	while (wait(NULL) > 0)
		;
	return failed && e->kind == ERR_BOOT;
}

int main(void)
{
	char dir[] = "/tmp/fcsnap-XXXXXX";
	struct stat st;
	struct err e = { 0 };

	if (!mkdtemp(dir) || chdir(dir) < 0 || mkdir("base", 0700) < 0 || mkdir("turn", 0700) < 0)
		return 1;
	OK(!copied("base", "turn", &e) && e.kind == ERR_HOST && strstr(e.msg, "base/memory"),
	   "a base that is gone is told");
	OK(make_memory("base/memory") && copied("base", "turn", &e) && is_memory("turn/memory"),
	   "the copy is the same");
	OK(blocks("turn/memory") <= blocks("base/memory") + FOR_EXTENTS, "… and its holes are holes");
	OK(!copied("base", "turn", &e) && strstr(e.msg, "turn/memory"), "what is there is not written over");
	OK(fcsnap_finish("turn", 0, 0700, false, &e) == 0 && is_memory("turn/memory"),
	   "what was not saved is left as it is");

	blkcnt_t before = blocks("turn/memory");
	close(open("turn/state", O_WRONLY | O_CREAT, 0666));
	OK(fcsnap_finish("turn", 0, 0700, true, &e) == 0 && is_memory("turn/memory"), "zeros are punched out");
	OK(blocks("turn/memory") < before, "… and it is smaller");
	OK(stat("turn/memory", &st) == 0 && (st.st_mode & 07777) == 0644 && stat("turn/state", &st) == 0 &&
	   (st.st_mode & 07777) == 0644, "a uid of the pool may read the files");
	OK(is_memory("base/memory"), "the base is as it was");
	OK(unlink("turn/state") == 0 && fcsnap_finish("turn", 0, 0700, true, &e) < 0, "a file that is missing is told");

	(void)!system("rm -r \"$PWD\"");
	return TAP_DONE();
}
