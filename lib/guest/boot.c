/* SPDX-License-Identifier: Apache-2.0 */
/* boot - see boot.h */
#include "guest/boot.h"

#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/random.h>
#include <linux/vm_sockets.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#define MODULES "/modules"	/* in the initrd: their names, in the order of loading */
#define MODULES_MAX 4096
#define IMAGE_DRIVE "/dev/vda"
#define NEW_ROOT "/image"

static int load_modules(struct err *e)
{
	char text[MODULES_MAX], path[300];
	AUTO_FD list = open(MODULES, O_RDONLY | O_CLOEXEC);
	ssize_t n = list < 0 ? -1 : fd_read_all(list, text, sizeof(text) - 1);

	if (n < 0)
		return err_sys(e, ERR_IMAGE, "read " MODULES);
	text[n] = 0;
	for (char *save, *name = strtok_r(text, "\n", &save); name; name = strtok_r(NULL, "\n", &save)) {
		snprintf(path, sizeof(path), "/%.250s", name);
		AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0 || (syscall(SYS_finit_module, fd, "", 0) < 0 && errno != EEXIST))
			return err_sys(e, ERR_IMAGE, "load the module %s", path);
	}
	return 0;
}

/* Like gVisor's /dev, and nothing else. */
static int make_dev(struct err *e)
{
	static const struct {
		const char *name;
		unsigned major, minor;
	} nodes[] = { { "null", 1, 3 }, { "zero", 1, 5 }, { "full", 1, 7 }, { "random", 1, 8 },
		      { "urandom", 1, 9 }, { "tty", 5, 0 } };
	static const char *const links[][2] = {
		{ "/proc/self/fd", "fd" }, { "/proc/self/fd/0", "stdin" }, { "/proc/self/fd/1", "stdout" },
		{ "/proc/self/fd/2", "stderr" }, { "pts/ptmx", "ptmx" },
	};
	char path[64];

	if (mount("dev", "dev", "tmpfs", MS_NOSUID | MS_NOEXEC, "mode=755,size=1m") < 0 ||
	    mkdir("dev/shm", 01777) < 0 || mkdir("dev/pts", 0755) < 0 ||
	    mount("pts", "dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, "ptmxmode=666,mode=620") < 0)
		return err_sys(e, ERR_HOST, "mount /dev");
	for (size_t i = 0; i < sizeof(nodes) / sizeof(*nodes); i++) {
		snprintf(path, sizeof(path), "dev/%s", nodes[i].name);
		if (mknod(path, S_IFCHR | 0666, makedev(nodes[i].major, nodes[i].minor)) < 0 ||
		    chmod(path, 0666) < 0)
			return err_sys(e, ERR_HOST, "make %s", path);
	}
	for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++) {
		snprintf(path, sizeof(path), "dev/%s", links[i][1]);
		if (symlink(links[i][0], path) < 0)
			return err_sys(e, ERR_HOST, "make %s", path);
	}
	return 0;
}

/* What tells of the machine or the kernel's memory is hidden, as in config.json. */
static int make_proc(struct err *e)
{
	static const char *const masked[] = { "proc/kcore", "proc/keys", "proc/timer_list",
					      "proc/kmsg", "proc/sysrq-trigger" };

	/* kernel threads and PID 1 are not the program's business; gVisor shows only 1 */
	if (mount("proc", "proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, "hidepid=invisible") < 0)
		return err_sys(e, ERR_HOST, "mount /proc");
	for (size_t i = 0; i < sizeof(masked) / sizeof(*masked); i++)
		if (mount("dev/null", masked[i], NULL, MS_BIND, NULL) < 0 && errno != ENOENT)
			return err_sys(e, ERR_HOST, "hide %s", masked[i]);
	/* some of its files can be written by all */
	if (mount("proc/sys", "proc/sys", NULL, MS_BIND, NULL) < 0 ||
	    mount(NULL, "proc/sys", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV |
		  MS_NOEXEC, NULL) < 0)
		return err_sys(e, ERR_HOST, "shut /proc/sys");
	return 0;
}

static int raise_loopback(struct err *e)
{
	struct ifreq r = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
	AUTO_FD fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &r) < 0)
		return err_sys(e, ERR_HOST, "raise the loopback interface");
	return 0;
}

/* The program's streams are pipes here too, as descriptors 1 and 2 of ours, and
 * serve.c pumps them into their connections. */
static int make_streams(struct guest *g, struct err *e)
{
	for (int i = 0; i < 2; i++) {
		int fd[2];

		if (pipe2(fd, O_CLOEXEC) < 0 || fchmod(fd[1], 0666) < 0 ||
		    fcntl(fd[1], F_SETPIPE_SZ, GUEST_PIPE) < 0 || fd_nonblock(fd[0], true) < 0 ||
		    dup2(fd[1], STDOUT_FILENO + i) < 0)
			return err_sys(e, ERR_HOST, "make the program's streams");
		g->pump[i].from = fd[0];
		fd_closep(&g->stderr_fd);
		g->stderr_fd = fd[1];	/* of the last one: see serve.c */
	}
	return 0;
}

int boot_modules(struct err *e)
{
	(void)mkdir("/dev", 0755);	/* they may be in the initrd */
	(void)mkdir(NEW_ROOT, 0755);
	if (mount("dev", "/dev", "devtmpfs", MS_NOSUID, NULL) < 0 && errno != EBUSY)
		return err_sys(e, ERR_HOST, "mount devtmpfs");
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd)
			return err_sys(e, ERR_HOST, "open /dev/null");
	return load_modules(e);
}

int boot_root(struct guest *g, struct err *e)
{
	if (mount(IMAGE_DRIVE, NEW_ROOT, "erofs", MS_RDONLY | MS_NOSUID | MS_NODEV, NULL) < 0)
		return err_sys(e, ERR_IMAGE, "mount the image");
	if (chdir(NEW_ROOT) < 0)
		return err_sys(e, ERR_IMAGE, "enter the image");
	if (make_dev(e) < 0 || make_proc(e) < 0)
		return -1;
	if (umount2("/dev", MNT_DETACH) < 0 || mount(".", "/", NULL, MS_MOVE, NULL) < 0 ||
	    chroot(".") < 0 || chdir("/") < 0)
		return err_sys(e, ERR_HOST, "make the image our root");
	/* /dev/null of the image's own /dev, not of what was there before */
	int null = open("/dev/null", O_RDWR);
	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || close(null) < 0)
		return err_sys(e, ERR_HOST, "open /dev/null");
	return raise_loopback(e) < 0 ? -1 : make_streams(g, e);
}

static int dial(unsigned port, struct err *e)
{
	struct sockaddr_vm host = { .svm_family = AF_VSOCK, .svm_cid = VMADDR_CID_HOST,
				    .svm_port = port };
	AUTO_FD fd = socket(AF_VSOCK, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || connect(fd, (struct sockaddr *)&host, sizeof(host)) < 0)
		return err_sys(e, ERR_HOST, "dial the host");
	return fd_take(&fd);
}

int boot_dial(struct guest *g, struct err *e)
{
	int *const ends[] = { &g->ctl, &g->pump[0].to, &g->pump[1].to };

	for (unsigned i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		fd_closep(ends[i]);
		*ends[i] = dial(MSG_VSOCK_PORT + i, e);
		if (*ends[i] < 0 || (i > 0 && fd_nonblock(*ends[i], true) < 0))
			return -1;
	}
	return 0;
}

int boot_refresh(const struct msg_run *run, struct err *e)
{
	union {
		struct rand_pool_info info;
		uint8_t space[sizeof(struct rand_pool_info) + MSG_SEED];
	} pool = { .info = { .entropy_count = 8 * MSG_SEED, .buf_size = MSG_SEED } };
	struct timespec now = { (time_t)(run->clock_us / 1000000),
				(long)(run->clock_us % 1000000) * 1000 };
	AUTO_FD fd = open("/dev/urandom", O_WRONLY | O_CLOEXEC);

	memcpy(pool.info.buf, run->seed, MSG_SEED);
	if (fd < 0 || ioctl(fd, RNDADDENTROPY, &pool) < 0 || ioctl(fd, RNDRESEEDCRNG) < 0)
		return err_sys(e, ERR_HOST, "draw new random numbers");
	if (clock_settime(CLOCK_REALTIME, &now) < 0)
		return err_sys(e, ERR_HOST, "set the clock");
	return 0;
}
