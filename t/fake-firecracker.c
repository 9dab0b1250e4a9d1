/* SPDX-License-Identifier: Apache-2.0 */
/* fake-firecracker - a VMM with a fault, for what the real one won't do on demand.
 *
 * It is started in a bare root with an empty environment, so the fault's name is
 * the last line of its own file: `cp fake-firecracker DIR/firecracker; printf
 * '\nhang' >>DIR/firecracker`. What is configured as the guest's kernel may be a
 * FIFO: it gets a line at each start. Where the fault comes late it plays both the
 * VMM and the guest before that, as far as a program that prints "fake" goes. */
#include "base/fd.h"
#include "wire/msg.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define MARK "/vm/vmlinux"
#define OUTPUT "fake\n"
#define RUN_FLAGS 5	/* in the body of a RUN */

struct fake {
	char fault[64];
	bool clone, session;
	const char *api;
	int control, out, err;
};

static bool is(const struct fake *f, const char *fault)
{
	return !strcmp(f->fault, fault);
}

static void need(bool good)
{
	if (!good)
		_exit(9);
}

static void read_fault(struct fake *f)
{
	char end[64] = "";
	AUTO_FD fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	need(fd >= 0 && lseek(fd, 1 - (off_t)sizeof(end), SEEK_END) >= 0 &&
	     fd_read_all(fd, end, sizeof(end) - 1) > 0);
	/* what is before it is the program, with NULs */
	for (size_t i = 0; i < sizeof(end) - 1; i++)
		if (end[i] == '\n')
			snprintf(f->fault, sizeof(f->fault), "%s", end + i + 1);
}

static void mark(const struct fake *f)
{
	AUTO_FD fd = open(MARK, O_WRONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0)	/* else nobody wants to know */
		need(dprintf(fd, "%s\n", f->clone ? "clone" : "cold") > 0);
}

/* As Firecracker does when the guest dials PORT. */
static int dial(unsigned port)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(addr.sun_path, sizeof(addr.sun_path), "v.sock_%u", port);
	need(fd >= 0 && connect(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0);
	return fd;
}

static void dial_all(struct fake *f)
{
	f->control = dial(MSG_VSOCK_PORT);
	f->out = dial(MSG_VSOCK_PORT + 1);
	f->err = dial(MSG_VSOCK_PORT + 2);
}

static int listen_api(const struct fake *f)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", f->api);
	need(fd >= 0 && bind(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0 && listen(fd, 8) == 0);
	return fd;
}

/* Takes one request, which is for PATH, and answers. */
static void answer(int listener, const char *path, const char *with)
{
	char asked[4096] = "";
	AUTO_FD fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

	need(fd >= 0 && read(fd, asked, sizeof(asked) - 1) > 0 && strstr(asked, path));
	need(fd_write_all(fd, with, strlen(with)) == 0);
}

static void frame(const struct fake *f, enum msg_kind kind, const void *body, size_t n)
{
	uint8_t head[FRAME_HEAD];

	frame_head(head, (uint8_t)kind, (uint32_t)n);
	need(fd_write_all(f->control, head, sizeof(head)) == 0 && fd_write_all(f->control, body, n) == 0);
}

static void hello(const struct fake *f)
{
	static const uint8_t version[4] = { MSG_VERSION };

	frame(f, MSG_HELLO, version, sizeof(version));
}

/* The next frame of the host, of whose body only a RUN's flags are looked at. */
static enum msg_kind next(struct fake *f)
{
	static uint8_t body[FRAME_MAX];
	uint8_t head[FRAME_HEAD];

	need(fd_read_all(f->control, head, sizeof(head)) == (ssize_t)sizeof(head));
	size_t n = head[1] | (size_t)head[2] << 8 | (size_t)head[3] << 16 | (size_t)head[4] << 24;
	need(n <= sizeof(body) && fd_read_all(f->control, body, n) == (ssize_t)n);
	if (head[0] == MSG_RUN)
		f->session = body[RUN_FLAGS] & MSG_SESSION;
	return head[0];
}

static void put_file(const char *path)
{
	AUTO_FD fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	need(fd >= 0 && fd_write_all(fd, path, strlen(path)) == 0);
}

/* The guest gets ready, and the host makes a snapshot of it. */
static int be_saved(const struct fake *f, int listener)
{
	hello(f);
	frame(f, MSG_READY, "", 0);
	answer(listener, "/vm", "HTTP/1.1 204 \r\n\r\n");
	put_file("/save/state");
	put_file("/save/memory");
	answer(listener, "/snapshot/create", "HTTP/1.1 204 \r\n\r\n");
	return pause();
}

/* Up to START, and the fault on the way. */
static void load(struct fake *f)
{
	hello(f);
	for (enum msg_kind kind = 0; kind != MSG_START;) {
		kind = next(f);
		if (kind == MSG_DATA && is(f, "dies-loading"))
			_exit(1);
	}
}

/* A turn of a session is over, and what makes its snapshot comes; a cold one has no fault. */
static int be_kept(const struct fake *f, int listener)
{
	answer(listener, "/vm", "HTTP/1.1 204 \r\n\r\n");
	if (f->clone && is(f, "keep-dies"))
		return 1;
	put_file("/keep/state");
	put_file("/keep/memory");
	if (f->clone && is(f, "keep-400"))
		answer(listener, "/snapshot/create",
		       "HTTP/1.1 400 \r\nContent-Length: 32\r\n\r\n{\"fault_message\":\"no room left\"}");
	else
		answer(listener, "/snapshot/create", "HTTP/1.1 204 \r\n\r\n");
	return pause();
}

static int run(const struct fake *f, int listener)
{
	struct msg_ended end = { .peak_bytes = 1, .count = f->session };
	struct packer p = { .at = (uint8_t[16]){ 0 }, .cap = 16 };
	uint8_t body[64];
	struct err e;

	frame(f, MSG_STARTED, "", 0);
	if (is(f, "dies-running"))
		return 1;
	need(fd_write_all(f->out, OUTPUT, strlen(OUTPUT)) == 0);
	frame(f, MSG_ENDED, body, (size_t)msg_put_ended(&end, body, sizeof(body), &e));
	pack_number(&p, strlen(OUTPUT), 8);
	pack_number(&p, 0, 8);
	frame(f, MSG_DONE, p.at, p.len);
	return f->session ? be_kept(f, listener) : pause();
}

/* Faults of the guest, at its first words. */
static int guest(struct fake *f, int listener)
{
	if (is(f, "calls-once")) {
		f->control = dial(MSG_VSOCK_PORT);
		return pause();
	}
	dial_all(f);
	if (is(f, "says-nothing"))
		return pause();
	if (is(f, "garbage")) {
		need(fd_write_all(f->control, "\xff\xfe not a frame at all", 22) == 0);
		return pause();
	}
	if (is(f, "huge-frame")) {
		need(fd_write_all(f->control, "\x40\xff\xff\xff\xff", FRAME_HEAD) == 0);
		return pause();
	}
	if (next(f) == MSG_PREPARE)
		return be_saved(f, listener);
	load(f);
	if (is(f, "mid-frame"))
		return fd_write_all(f->control, "\x43\x10", 2) < 0;
	if (is(f, "liar")) {
		frame(f, MSG_DONE, "", 0);
		return pause();
	}
	if (is(f, "noisy")) {
		need(fd_write_all(f->out, OUTPUT, strlen(OUTPUT)) == 0);
		/* until the host has it */
		for (int left = 1; left > 0; (void)poll(NULL, 0, 1))
			need(ioctl(f->out, SIOCOUTQ, &left) == 0);
		return 1;
	}
	return run(f, listener);
}

/* As a release build of the real one has it, if not with its rules. */
static void filter_calls(void)
{
	struct sock_filter all = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	struct sock_fprog prog = { 1, &all };

	need(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) == 0);
}

static int machine(struct fake *f)
{
	mark(f);
	if (!is(f, "unfiltered"))
		filter_calls();
	if (is(f, "hangs"))
		return pause();
	if (is(f, "dies") || (f->clone && is(f, "clone-dies"))) {
		fputs("2026-01-01 [anonymous-instance:main] Building VMM failed:\n"
		      "Error creating KVM object: \x1b[31mno such thing\n", stderr);
		return 1;
	}
	if (is(f, "crashes"))
		abort();
	if (is(f, "prints-garbage"))
		return write(1, "\x1b[2J\xff\xfe nonsense", 15) < 0;
	if (is(f, "old")) {
		fputs("Error: the argument 'level' is not known\n", stderr);
		return 1;
	}
	int listener = listen_api(f);
	if (f->clone)
		answer(listener, "/snapshot/load", is(f, "load-400")
		       ? "HTTP/1.1 400 \r\nContent-Length: 30\r\n\r\n{\"fault_message\":\"no KVM now\"}"
		       : is(f, "load-garbage") ? "?" : "HTTP/1.1 204 \r\n\r\n");
	if (f->clone && (is(f, "load-400") || is(f, "load-garbage")))
		return pause();
	return guest(f, listener);
}

static int version(const struct fake *f)
{
	if (is(f, "hangs"))
		return pause();
	puts(is(f, "old") ? "Firecracker v0.25.2\n" : is(f, "prints-garbage") ? "\x1b[2J\xff nonsense"
	     : "Firecracker v1.12.1\n");
	return 0;
}

int main(int argc, char **argv)
{
	struct fake f = { .clone = true, .api = "", .control = -1, .out = -1, .err = -1 };

	read_fault(&f);
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--version"))
			return version(&f);
		if (!strcmp(argv[i], "--config-file"))
			f.clone = false;
		if (!strcmp(argv[i], "--api-sock") && i + 1 < argc)
			f.api = argv[i + 1];
	}
	return machine(&f);
}
