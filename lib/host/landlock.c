/* SPDX-License-Identifier: Apache-2.0 */
/* landlock - see landlock.h. Called by number: libraries and headers are younger
 * than kernels. */
#include "host/landlock.h"

#include "base/fd.h"

#include <errno.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CREATE_RULESET 444
#define ADD_RULE 445
#define RESTRICT_SELF 446
#define VERSION 1u		/* the flag that asks for the ABI */
#define PATH_BENEATH 1

enum {				/* rights on files: bits of the kernel's interface */
	WRITE_FILE = 1 << 1, READ_FILE = 1 << 2, READ_DIR = 1 << 3, REMOVE_DIR = 1 << 4,
	REMOVE_FILE = 1 << 5, MAKE_DIR = 1 << 7, MAKE_REG = 1 << 8, REFER = 1 << 13,
};

/* What each ABI can refuse; REFER, to link and rename between folders, is refused
 * by the first in any case. */
static const struct {
	uint64_t files, net, scope;
} abis[] = {
	{ 0, 0, 0 },
	{ 0x1fff, 0, 0 },
	{ 0x3fff, 0, 0 },	/* REFER */
	{ 0x7fff, 0, 0 },	/* truncate */
	{ 0x7fff, 3, 0 },	/* bind and connect of TCP */
	{ 0xffff, 3, 0 },	/* ioctl of devices */
	/* abstract sockets; not signals: the keeper, which we end, is outside */
	{ 0xffff, 3, 1 },
};
#define NEWEST (sizeof(abis) / sizeof(*abis) - 1)

static const struct {
	unsigned may;
	uint64_t files;
} rights[] = {
	{ CONFINE_READ, READ_FILE | READ_DIR },
	{ CONFINE_WRITE, WRITE_FILE | READ_DIR | MAKE_REG | MAKE_DIR | REMOVE_FILE | REFER },
	{ CONFINE_TIDY, REMOVE_FILE | REMOVE_DIR | MAKE_DIR },
	{ CONFINE_RMDIR, REMOVE_DIR },
};

struct ruleset {		/* the kernel's; older ones know its start */
	uint64_t files, net, scope;
};

struct beneath {
	uint64_t files;
	int32_t folder;
} __attribute__((packed));

/* Some kernels say a newer ABI than all of what they know: then less is asked. */
static int make_ruleset(struct ruleset *r)
{
	long abi = syscall(CREATE_RULESET, NULL, 0, VERSION);
	int fd = -1;

	if (abi > (long)NEWEST)
		abi = NEWEST;
	for (; abi > 0; abi--) {
		*r = (struct ruleset){ abis[abi].files, abis[abi].net, abis[abi].scope };
		size_t size = r->scope ? sizeof(*r) : r->net ? 2 * sizeof(uint64_t) : sizeof(uint64_t);

		fd = (int)syscall(CREATE_RULESET, r, size, 0);
		if (fd >= 0 || (errno != EINVAL && errno != E2BIG && errno != ENOMSG))
			break;
	}
	return fd;
}

static int add(int ruleset, uint64_t known, const struct confine_place *place)
{
	struct beneath rule = { 0, place->folder };

	for (size_t i = 0; i < sizeof(rights) / sizeof(*rights); i++)
		if (rights[i].may & place->may)
			rule.files |= rights[i].files & known;
	return (int)syscall(ADD_RULE, ruleset, PATH_BENEATH, &rule, 0);
}

int landlock_enter(const struct confine_place *place, size_t n)
{
	struct ruleset r;
	AUTO_FD fd = make_ruleset(&r);

	if (fd < 0)		/* not built in, not switched on, or hidden from us */
		return errno == ENOSYS || errno == EOPNOTSUPP || errno == EPERM || errno == EINVAL ? 0 : -1;
	for (size_t i = 0; i < n; i++)
		if (add(fd, r.files, &place[i]) < 0)
			return -1;
	return (int)syscall(RESTRICT_SELF, fd, 0);
}
