/* SPDX-License-Identifier: Apache-2.0 */
/* Confinement is real: a process that has gone through it tries what it may not. */
#include "base/fd.h"
#include "host/confine.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define KILLED (128 + SIGSYS)

static int in, out, tidy, other;	/* folders; a process that is not ours */

/* What a trial answers: 0 if it was done, else errno. */
static int done(long rc)
{
	return rc < 0 ? errno : 0;
}

static int read_input(void)
{
	char text[8];
	AUTO_FD fd = openat(in, "f", O_RDONLY | O_CLOEXEC);

	return done(fd < 0 ? -1 : read(fd, text, sizeof(text)));
}

static int write_nameless(void)
{
	char self[32];
	AUTO_FD fd = openat(out, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);

	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	return done(fd < 0 || write(fd, "x", 1) != 1 || fchmod(fd, 0644) < 0 ? -1
		    : linkat(AT_FDCWD, self, out, "linked", AT_SYMLINK_FOLLOW));
}

static int write_named(void)
{
	AUTO_FD fd = openat(out, ".pai-exec.1", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, "x", 1) != 1 || (mkdirat(out, "d", 0700) < 0 && errno != EEXIST))
		return errno;
	AUTO_FD sub = openat(out, "d", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return done(sub < 0 ? -1 : renameat(out, ".pai-exec.1", out, "named"));
}

static int tidy_up(void)
{
	return done(renameat(tidy, "t", tidy, "t.gone") < 0 ? -1 : unlinkat(tidy, "t.gone", AT_REMOVEDIR));
}

static int grow(void)
{
	char *all = malloc(64 << 20);

	if (all)
		memset(all, 1, 64 << 20);
	return done(all ? 0 : -1);
}

static int open_elsewhere(void) { return done(open("/etc/passwd", O_RDONLY | O_CLOEXEC)); }
static int open_absolute(void) { return done(openat(out, "/etc/passwd", O_RDONLY | O_CLOEXEC)); }
static int open_upward(void) { return done(openat(in, "../secret", O_RDONLY | O_CLOEXEC)); }
static int read_output(void) { return done(openat(out, "old", O_RDONLY | O_CLOEXEC)); }
static int write_old(void) { return done(openat(out, "old", O_WRONLY | O_CLOEXEC)); }
static int write_input(void) { return done(openat(in, "new", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)); }
static int make_link(void) { return done(symlinkat("/", out, "link")); }
static int make_setuid(void) { return done(fchmodat(out, "old", 04755, 0)); }
static int tidy_writes(void) { return done(openat(tidy, "new", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)); }
static int type_ahead(void) { return done(ioctl(0, TIOCSTI, "x")); }
static int kill_other(void) { return done(kill(other, SIGTERM)); }
static int kill_all(void) { return done(kill(-1, SIGTERM)); }
static int map_code(void) { return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? errno : 0; }
static int raise_core(void) { return done(setrlimit(RLIMIT_CORE, &(struct rlimit){ 1, 1 })); }
static int new_call(void) { return done(syscall(100000)); }
static int be_dumpable(void) { return done(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)); }
static int start_program(void) { return done(execl("/bin/true", "true", NULL)); }
static int fork_child(void) { return done(fork()); }
static int trace_other(void) { return done(ptrace(PTRACE_ATTACH, other, NULL, NULL)); }
static int have_socket(void) { return done(socket(AF_INET, SOCK_STREAM, 0)); }
static int have_unix_socket(void) { return done(socket(AF_UNIX, SOCK_STREAM, 0)); }
static int have_bpf(void) { return done(syscall(SYS_bpf, 0, NULL, 0)); }
static int have_io_uring(void) { return done(syscall(SYS_io_uring_setup, 1, NULL)); }
static int have_mount(void) { return done(syscall(SYS_mount, "t", "/tmp", "tmpfs", 0, NULL)); }
static int is_alive(void) { return 0; }

static int old_entry(void)
{
	long rc = 20;		/* getpid() of 32-bit programs */

	__asm__ volatile("int $0x80" : "+a"(rc) : : "memory");
	return rc < 0 ? (int)-rc : 0;
}

static int aborts(void)
{
	abort();
}

#define DENIED (-1)		/* any error */

static const struct trial {
	enum confine_who who;
	int (*what)(void);
	int answer;
	const char *text;
	int landlock;		/* it alone refuses that */
} trials[] = {
	{ CONFINE_COMMAND, is_alive, 0, "a confined command goes on" },
	{ CONFINE_COMMAND, read_input, 0, "it reads what lies beneath an input folder" },
	{ CONFINE_COMMAND, write_nameless, 0, "it puts a nameless file beneath DIR" },
	{ CONFINE_COMMAND, write_named, 0, "it makes, names and renames beneath DIR" },
	{ CONFINE_COMMAND, tidy_up, 0, "it takes away what is to be tidied" },
	{ CONFINE_COMMAND, grow, 0, "it can have memory" },
	{ CONFINE_COMMAND, aborts, 128 + SIGABRT, "it can abort" },
	{ CONFINE_COMMAND, open_elsewhere, DENIED, "it opens no path" },
	{ CONFINE_COMMAND, open_absolute, DENIED, "it opens no absolute path", 1 },
	{ CONFINE_COMMAND, open_upward, DENIED, "it opens nothing above an input folder", 1 },
	{ CONFINE_COMMAND, read_output, DENIED, "it reads nothing in DIR", 1 },
	{ CONFINE_COMMAND, write_old, DENIED, "it writes into no file that was there" },
	{ CONFINE_COMMAND, write_input, DENIED, "it writes nothing in an input folder", 1 },
	{ CONFINE_COMMAND, make_link, DENIED, "it makes no link" },
	{ CONFINE_COMMAND, make_setuid, DENIED, "it makes nothing set-uid" },
	{ CONFINE_COMMAND, tidy_writes, DENIED, "it writes nothing where it tidies", 1 },
	{ CONFINE_COMMAND, type_ahead, DENIED, "it types nothing into a terminal" },
	{ CONFINE_COMMAND, kill_other, DENIED, "it ends no process of others" },
	{ CONFINE_COMMAND, kill_all, DENIED, "it ends no processes at large" },
	{ CONFINE_COMMAND, map_code, DENIED, "it has no new code" },
	{ CONFINE_COMMAND, raise_core, DENIED, "it leaves no core file" },
	{ CONFINE_COMMAND, be_dumpable, DENIED, "it cannot be traced" },
	{ CONFINE_COMMAND, new_call, ENOSYS, "a call of tomorrow is an error, not the end" },
	{ CONFINE_COMMAND, start_program, KILLED, "to start a program is the end" },
	{ CONFINE_COMMAND, fork_child, KILLED, "to start a process is the end" },
	{ CONFINE_COMMAND, trace_other, KILLED, "to trace one is the end" },
	{ CONFINE_COMMAND, have_socket, KILLED, "to have a socket is the end" },
	{ CONFINE_COMMAND, have_bpf, KILLED, "bpf is the end" },
	{ CONFINE_COMMAND, have_io_uring, KILLED, "io_uring is the end" },
	{ CONFINE_COMMAND, have_mount, KILLED, "to mount is the end" },
	{ CONFINE_COMMAND, old_entry, KILLED, "the 32-bit entry is the end" },
	{ CONFINE_KEEPER, is_alive, 0, "a keeper that starts nothing more goes on" },
	{ CONFINE_KEEPER, read_input, DENIED, "it opens nothing" },
	{ CONFINE_KEEPER, tidy_up, DENIED, "it removes nothing" },
	{ CONFINE_KEEPER, kill_other, DENIED, "it ends nothing" },
	{ CONFINE_KEEPER, start_program, KILLED, "to start a program is its end" },
	{ CONFINE_KEEPER, have_unix_socket, KILLED, "to have a socket is its end" },
	{ CONFINE_KEEPER, have_mount, KILLED, "to mount is its end" },
	{ CONFINE_STARTER, start_program, 0, "a starter starts programs" },
	{ CONFINE_STARTER, have_unix_socket, 0, "it has sockets of this machine" },
	{ CONFINE_STARTER, have_socket, EAFNOSUPPORT, "and none to a network" },
	{ CONFINE_STARTER, have_bpf, EPERM, "it has no bpf" },
	{ CONFINE_STARTER, have_io_uring, EPERM, "it has no io_uring" },
	{ CONFINE_STARTER, old_entry, ENOSYS, "it has no 32-bit entry" },
};

/* The answer of a child that confines itself first. */
static int try(const struct trial *t)
{
	const struct confine_place places[] = {
		{ in, CONFINE_READ }, { out, CONFINE_WRITE }, { tidy, CONFINE_TIDY },
	};
	struct confine c = { .who = t->who, .place = places, .places = t->who == CONFINE_COMMAND ? 3 : 0 };
	struct err e;
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(confine(&c, &e) < 0 ? 255 : t->what());
	while (waitpid(pid, &status, 0) < 0)
		;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int make(const char *path, const char *file)
{
	char at[64];

	(void)mkdir(path, 0755);
	snprintf(at, sizeof(at), "%s/%s", path, file);
	AUTO_FD fd = open(at, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	(void)fd;
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

int main(void)
{
	long landlock = syscall(444, NULL, 0, 1);	/* its ABI */
	char dir[] = "/tmp/pai-confine.XXXXXX", clean[64];

#ifdef PAI_SANITIZED
	printf("1..0 # SKIP sanitizers need more than a confined process has\n");
	return 0;
#endif
	if (!mkdtemp(dir) || chdir(dir) < 0)
		return 1;
	in = make("in", "f");
	out = make("out", "old");
	tidy = make("tidy", "note");
	(void)close(make(".", "secret"));
	(void)mkdir("tidy/t", 0755);
	other = fork();
	if (other == 0) {
		pause();
		_exit(0);
	}
	for (size_t i = 0; i < sizeof(trials) / sizeof(*trials); i++) {
		if (trials[i].landlock && landlock <= 0) {
			printf("ok %d - %s # SKIP this kernel has no Landlock\n", ++tap_count, trials[i].text);
			continue;
		}
		int answer = try(&trials[i]), want = trials[i].answer;

		OK(want == DENIED ? answer > 0 && answer < 128 : answer == want, trials[i].text);
		if (want == DENIED ? answer <= 0 || answer >= 128 : answer != want)
			printf("# answered %d\n", answer);
	}
	(void)kill(other, SIGKILL);
	(void)waitpid(other, NULL, 0);
	snprintf(clean, sizeof(clean), "rm -rf '%s'", dir);
	return system(clean) == 0 ? TAP_DONE() : 1;
}
