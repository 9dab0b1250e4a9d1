/* SPDX-License-Identifier: Apache-2.0 */
/* world - the places that a program may write, and its limits; see guest.h */
#include "guest/guest.h"

#include "base/fd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#define FONT_CACHE GUEST_LIB "/matplotlib"
#define INODE_BYTES 16384		/* of a tmpfs for each of its files */
#define INODES_MIN 4096
#define MEMORY_SLACK (UINT64_C(32) << 20)	/* the program's pages of the image; its last leap */

int world_set(const struct guest *g, const char *file, const char *text, struct err *e)
{
	AUTO_FD fd = openat(g->group[GROUP_PIDS], file, O_WRONLY | O_CLOEXEC);
	size_t n = strlen(text);

	if (fd < 0 || write(fd, text, n) != (ssize_t)n)
		return err_sys(e, ERR_HOST, "set %s to %s", file, text);
	return 0;
}

/* The mount is taken away at once: a descriptor of the group is enough. */
static int open_group(const char *type, const char *controller, int *dir, struct err *e)
{
	if (mount("cgroup", GUEST_POOL, type, 0, controller) < 0)
		return err_sys(e, ERR_HOST, "mount the cgroup file system");
	if (!controller) {
		AUTO_FD fd = open(GUEST_POOL "/cgroup.subtree_control", O_WRONLY | O_CLOEXEC);

		if (fd < 0 || fd_write_all(fd, "+memory +pids", 13) < 0)
			return err_sys(e, ERR_HOST, "hand on the controllers");
	}
	if (chmod(GUEST_POOL, 0755) < 0 || mkdir(GUEST_POOL "/program", 0755) < 0)
		return err_sys(e, ERR_HOST, "make the program's cgroup");
	*dir = open(GUEST_POOL "/program", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (*dir < 0)
		return err_sys(e, ERR_HOST, "open the program's cgroup");
	if (umount2(GUEST_POOL, MNT_DETACH) < 0)
		return err_sys(e, ERR_HOST, "unmount the cgroup file system");
	return 0;
}

/* gVisor's pids controller counts threads too, and can be set again later; cpuacct
 * counts what each of them spends. It has a hierarchy for each controller. */
static int open_groups(struct guest *g, struct err *e)
{
	if (!g->vm)
		return open_group("cgroup", "pids", &g->group[GROUP_PIDS], e) < 0 ? -1
		     : open_group("cgroup", "cpuacct", &g->group[GROUP_CPU], e);
	if (open_group("cgroup2", NULL, &g->group[GROUP_PIDS], e) < 0)
		return -1;
	/* its memory limit ends all of the program, not one process of it */
	return world_set(g, "memory.oom.group", "1", e);
}

int world_base(struct guest *g, struct err *e)
{
	static const char *const extra[] = { "/dev/fuse", "/dev/net/tun" };

	if (g->vm)		/* boot.c has made nothing that is too much */
		return open_groups(g, e);
	for (size_t i = 0; i < sizeof(extra) / sizeof(*extra); i++)
		if (unlink(extra[i]) < 0 && errno != ENOENT)
			return err_sys(e, ERR_HOST, "remove %s", extra[i]);
	if (rmdir("/dev/net") < 0 && errno != ENOENT)
		return err_sys(e, ERR_HOST, "remove /dev/net");
	if (umount2("/sys", MNT_DETACH) < 0 && errno != EINVAL)
		return err_sys(e, ERR_HOST, "unmount /sys");
	return open_groups(g, e);
}

static int make_folder(const char *path, mode_t mode, uid_t uid, struct err *e)
{
	if (mkdir(path, 0700) < 0 || chmod(path, mode) < 0)
		return err_sys(e, ERR_HOST, "make %s", path);
	if (uid && chown(path, uid, uid) < 0)
		return err_sys(e, ERR_HOST, "give away %s", path);
	return 0;
}

/* gVisor's files take 2K of its own memory each, which no limit of the program
 * counts: empty ones without end would end the whole sandbox. A runsc of 2024 does
 * not know the option. */
static int mount_sized(const char *at, const char *mode, uint64_t bytes, uint64_t inodes,
		       struct err *e)
{
	const unsigned long flags = MS_NOSUID | MS_NODEV;
	char options[96];
	size_t size = (size_t)snprintf(options, sizeof(options), "mode=%s,size=%" PRIu64, mode, bytes);

	snprintf(options + size, sizeof(options) - size, ",nr_inodes=%" PRIu64,
		 inodes < INODES_MIN ? INODES_MIN : inodes);
	if (mount("tmpfs", at, "tmpfs", flags, options) == 0)
		return 0;
	options[size] = 0;
	if (errno != EINVAL || mount("tmpfs", at, "tmpfs", flags, options) < 0)
		return err_sys(e, ERR_HOST, "mount a tmpfs of %" PRIu64 " bytes on %s", bytes, at);
	return 0;
}

/* Programs ask for the address of their own host. The file is root's, and hidden. */
static int bind_hosts(const char *hostname, struct err *e)
{
	static const char path[] = GUEST_POOL "/hosts";
	AUTO_FD fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

	if (fd < 0 || fchmod(fd, 0644) < 0 ||
	    dprintf(fd, "127.0.0.1 localhost\n::1 localhost\n127.0.1.1 %s\n", hostname) < 0)
		return err_sys(e, ERR_HOST, "write %s", path);
	if (mount(path, "/etc/hosts", NULL, MS_BIND, NULL) < 0 && errno != ENOENT)
		return err_sys(e, ERR_HOST, "bind /etc/hosts");
	return 0;
}

/* One sized tmpfs is what the program may write; its parts are bound to where
 * they belong, the last one over the pool itself, which hides the rest. */
static int mount_pool(const struct msg_run *run, struct err *e)
{
	static const struct {
		const char *from, *to;
		mode_t mode;
		uid_t uid;
	} parts[] = {
		{ GUEST_POOL "/workspace", GUEST_WORKSPACE, 0755, GUEST_UID },
		{ GUEST_POOL "/tmp", "/tmp", 01777, 0 },
		{ GUEST_POOL "/home", GUEST_HOME, 0700, GUEST_UID },
		{ GUEST_POOL "/run", GUEST_POOL, 0700, GUEST_UID },
	};

	if (mount_sized(GUEST_POOL, "755", run->disk_bytes, run->disk_bytes / INODE_BYTES, e) < 0 ||
	    bind_hosts(run->hostname, e) < 0)
		return -1;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		if (make_folder(parts[i].from, parts[i].mode, parts[i].uid, e) < 0)
			return -1;
		if (mount(parts[i].from, parts[i].to, NULL, MS_BIND, NULL) < 0)
			return err_sys(e, ERR_HOST, "bind %s", parts[i].to);
	}
	return mount_sized("/dev/shm", "1777", run->shm_bytes, INODES_MIN, e);
}

static int make_folders(const char *const *paths, struct err *e)
{
	for (; *paths; paths++)
		if (mkdir(*paths, 0755) < 0)
			return err_sys(e, ERR_HOST, "make %s", *paths);
	return 0;
}

/* Where pip puts what a program installs: python looks there only if it was there when
 * it started. The image's python3 is a link to its name with a version. */
static int make_site(struct err *e)
{
	char name[32] = "", lib[sizeof(GUEST_HOME) + 64], site[sizeof(lib) + 16];
	const char *const paths[] = { GUEST_HOME "/.local", GUEST_HOME "/.local/lib", lib, site, NULL };

	if (readlink("/usr/bin/python3", name, sizeof(name) - 1) <= 0 || strchr(name, '/'))
		return 0;
	snprintf(lib, sizeof(lib), GUEST_HOME "/.local/lib/%s", name);
	snprintf(site, sizeof(site), "%s/site-packages", lib);
	return make_folders(paths, e);
}

/* matplotlib wants its font list in a folder that it may write; a link into
 * the image saves the 2 s of making the list, and a copy. */
static int link_font_cache(struct err *e)
{
	/* the last is what matplotlib makes at its import, here or in a template */
	static const char *const paths[] = { GUEST_HOME "/.cache", GUEST_HOME "/.cache/matplotlib",
					     GUEST_HOME "/.config", GUEST_HOME "/.config/matplotlib", NULL };
	AUTO_FD to = -1;
	DIR *d = opendir(FONT_CACHE);

	if (!d)			/* an image without matplotlib */
		return 0;
	int rc = make_folders(paths, e);
	if (rc == 0 && (to = open(paths[1], O_PATH | O_DIRECTORY | O_CLOEXEC)) < 0)
		rc = err_sys(e, ERR_HOST, "open matplotlib's cache folder");
	for (struct dirent *at; rc == 0 && (at = readdir(d));) {
		char target[sizeof(FONT_CACHE) + 1 + sizeof(at->d_name)];

		if (at->d_name[0] == '.')
			continue;
		snprintf(target, sizeof(target), "%s/%s", FONT_CACHE, at->d_name);
		if (symlinkat(target, to, at->d_name) < 0)
			rc = err_sys(e, ERR_HOST, "link matplotlib's font list");
	}
	(void)closedir(d);	/* only read */
	return rc;
}

static int set_pids(struct guest *g, struct err *e)
{
	char text[16];

	snprintf(text, sizeof(text), "%" PRIu32, g->run.pids);
	return world_set(g, "pids.max", text, e);
}

static uint64_t bytes_of_files(void)
{
	struct statvfs v;

	return statvfs(GUEST_WORKSPACE, &v) < 0 ? 0 : (uint64_t)(v.f_blocks - v.f_bfree) * v.f_frsize;
}

/* The inputs lie in memory too, but were charged to nobody. The kernel's own limit
 * is above ours: at it, a program whose code lies in pages of the image reads them
 * again and again, for minutes, and the kernel sees progress and ends nothing. */
int world_hold_memory(struct guest *g, struct err *e)
{
	struct sysinfo si;
	char text[32];
	uint64_t all = bytes_of_files();

	if (!g->vm)	/* it is watched, by program_watch() */
		return sysinfo(&si) < 0 ? err_sys(e, ERR_HOST, "--memory cannot be held: sysinfo") : 0;
	/* since RUN nobody has written but we; of earlier turns some may be gone */
	g->files_ours += all > g->files_before ? all - g->files_before : 0;
	g->files_ours = g->files_ours < all ? g->files_ours : all;
	g->memory_left = g->run.memory_bytes > g->files_ours ? g->run.memory_bytes - g->files_ours : 0;
	snprintf(text, sizeof(text), "%" PRIu64, g->memory_left + MEMORY_SLACK);
	return world_set(g, "memory.max", text, e);
}

/* The value of KEY in a file of a cgroup of the program's; without a key, all of it. */
static uint64_t group_number(int dir, const char *file, const char *key)
{
	char text[8192], line[64];
	AUTO_FD fd = openat(dir, file, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : fd_read_all(fd, text + 1, sizeof(text) - 2);

	text[0] = '\n';
	text[n > 0 ? n + 1 : 1] = 0;
	snprintf(line, sizeof(line), "\n%s", key);
	const char *at = strstr(text, line);
	return at ? strtoull(at + strlen(line), NULL, 10) : 0;
}

uint64_t world_memory_used(const struct guest *g)
{
	uint64_t all = group_number(g->group[GROUP_PIDS], "memory.current", "");
	uint64_t file = group_number(g->group[GROUP_PIDS], "memory.stat", "file ");
	uint64_t own = group_number(g->group[GROUP_PIDS], "memory.stat", "shmem ");

	/* a tmpfs is "file" too; what is not can be dropped, and gVisor never counts it */
	return all + own > file ? all + own - file : 0;
}

uint64_t world_cpu_ms(const struct guest *g)
{
	return g->vm ? group_number(g->group[GROUP_PIDS], "cpu.stat", "usage_usec ") / 1000
		     : group_number(g->group[GROUP_CPU], "cpuacct.usage", "") / 1000000;
}

bool world_memory_struck(const struct guest *g)
{
	char text[512];
	AUTO_FD fd = g->vm ? openat(g->group[GROUP_PIDS], "memory.events", O_RDONLY | O_CLOEXEC) : -1;
	ssize_t n = fd < 0 ? -1 : fd_read_all(fd, text, sizeof(text) - 1);

	text[n > 0 ? n : 0] = 0;
	const char *count = strstr(text, "oom_kill ");
	return count && count[9] != '0';
}

static int fill_home(struct err *e)
{
	if (guest_as_user(e) < 0 || link_font_cache(e) < 0 || make_site(e) < 0)
		return -1;
	return guest_as_root(e);
}

int world_prepare(struct err *e)
{
	if (mount("tmpfs", GUEST_HOME, "tmpfs", MS_NOSUID | MS_NODEV, "mode=700,size=1m") < 0 ||
	    chown(GUEST_HOME, GUEST_UID, GUEST_UID) < 0)
		return err_sys(e, ERR_HOST, "mount a home for the template");
	return fill_home(e);
}

int world_enter(struct guest *g, struct err *e)
{
	if (!g->resumed && mount_pool(&g->run, e) < 0)
		return -1;
	g->files_before = bytes_of_files();
	if (set_pids(g, e) < 0 || g->resumed)
		return e->kind ? -1 : 0;
	if (sethostname(g->run.hostname, strlen(g->run.hostname)) < 0)
		return err_sys(e, ERR_HOST, "set the host name");
	return fill_home(e);
}

int guest_as_user(struct err *e)
{
	if (setegid(GUEST_UID) < 0 || seteuid(GUEST_UID) < 0)
		return err_sys(e, ERR_HOST, "become uid %d", GUEST_UID);
	return 0;
}

int guest_as_root(struct err *e)
{
	if (seteuid(0) < 0 || setegid(0) < 0)
		return err_sys(e, ERR_HOST, "become uid 0");
	return 0;
}
