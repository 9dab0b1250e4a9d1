/* SPDX-License-Identifier: Apache-2.0 */
/* guest - the inside: what pai-guest, the first process of a sandbox, is made of.
 *
 * It owns the control channel and runs as uid 0 with a handful of capabilities;
 * the program runs as GUEST_UID with none and can neither forge a frame nor end
 * its watcher. All that differs from run to run is applied here, after the start,
 * so that a cold start and a clone of a template go the same way.
 *
 * world    the places that a program may write, and its limits
 * place    files that arrive
 * unpack   a tar of them
 * program  the program's process
 * kernel   an interpreter that lives on between the turns of a session
 * still    how all processes stand still between them
 * end      how a turn ends
 * report   its results, and its uncaught exception
 * filter   its system calls
 * collect  files that it made
 * mapped   those that it may write without a trace
 * seen     how they were when they were last looked at
 * serve    the loop that ties them
 */
#ifndef PAI_GUEST_GUEST_H
#define PAI_GUEST_GUEST_H

#include "base/err.h"
#include "base/glob.h"
#include "base/str.h"
#include "wire/msg.h"

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>

#define GUEST_UID 1000
#define GUEST_POOL "/run/pai"		/* the pool; later the hand-over folder alone */
#define GUEST_WORKSPACE "/workspace"
#define GUEST_HOME "/home/user"
#define GUEST_LIB "/usr/lib/pai"	/* what the image holds of ours */
#define GUEST_TEXT "/run/pai/program"	/* the program's text if it is no FILE */
#define GUEST_GO_FD 3			/* its socket in the interpreter */
#define GUEST_MAIN "/run/pai/main"	/* what the start hook makes python run */

#define GUEST_PIPE (1 << 20)		/* bytes in flight between program and pump */

enum guest_group { GROUP_PIDS, GROUP_CPU, GROUPS };	/* in a microVM the first is for all */

struct seen;			/* seen.h: what is known of /workspace */

/* One stream of the program on its way into a connection; under gVisor there
 * are none, for its own streams lead to the host. */
struct pump {
	int from, to;		/* not blocking; from -1: none */
	uint64_t bytes;		/* read so far */
	uint8_t *chunk;		/* at..len: read, not yet written */
	size_t at, len;
};

/* A tar on its way into the image's own tar(1). */
#define UNPACK_PEEK 6		/* bytes that tell how it is compressed */
struct unpack {
	bool open;		/* DATA goes to it */
	pid_t pid;		/* 0: not yet, -1: it has ended well */
	int to, said;		/* pipes: its standard input, its standard error */
	uint8_t head[UNPACK_PEEK];
	size_t held;		/* bytes of head that wait for more */
};

/* What may still be told of the program; see report.c. */
#define REPORT_TOKEN 32u	/* bytes, hexadecimal */
struct report {
	int fd;			/* hears of it, or -1 */
	char token[REPORT_TOKEN + 1];
	bool open;		/* a result has begun, and come as far as this key, of which */
	uint8_t key;
	uint32_t bytes;		/* … so many have come */
	uint8_t note;		/* the same of the notes */
	uint32_t bytes_noted;
};

/* An interpreter of a session; see kernel.c. */
struct kernel {
	char name[MSG_CONTEXT_MAX + 1];
	pid_t pid;
	int go_fd;		/* to its hook while it rests, else -1 */
};

/* What stands still; see still.c. */
#define STILL_HELD 64u		/* processes that the program itself has stopped */
struct still {
	bool on;
	pid_t held[STILL_HELD];
	size_t n;
};

struct guest {
	bool vm;		/* we are the init of a microVM */
	int ctl;		/* the control channel */
	struct timespec ctl_born;	/* of the one that was last read from */
	struct pump pump[2];	/* standard output, standard error */
	struct buf out;		/* frames that wait for company */
	int group[GROUPS];	/* the program's cgroups, O_PATH; -1: none */
	bool have_run;		/* RUN has arrived: run and text are set */
	struct msg_run run;
	struct msg_text text;
	struct strv args, env, include, exclude;

	struct kernel kernel[MSG_CONTEXTS_MAX];	/* of a session */
	size_t kernels;
	struct kernel *active;	/* the one that runs this turn's cell, or NULL */
	bool resumed;		/* a turn is over: this is a later one, or none has begun */
	bool over;		/* the active kernel says that its cell has ended: */
	uint8_t code;		/* … with this status */
	uint32_t count;		/* … and it was the kernel's cell of this number */
	struct still still;
	int stderr_fd;		/* in a microVM: where standard error goes if it is a stream
				 * of its own */

	bool placed;		/* a file has arrived in this turn */
	int file;		/* the file that DATA goes to, or -1 */
	char file_path[MSG_PATH_MAX + 1];	/* in /workspace, or "" */
	struct unpack unpack;
	struct seen *seen;

	pid_t pid;		/* the program, 0: none yet, -1: gone */
	bool warm;		/* it was prepared before RUN was known, or is of an earlier turn */
	bool ready;		/* its interpreter waits for the program */
	bool wanted;		/* START has come */
	bool started;		/* its own first step is allowed */
	int go_fd;		/* to its start hook, or -1 */
	struct report report;
	uint64_t spent_user_us, spent_sys_us;	/* CPU time before it was the program */
	uint64_t cpu_begin_ms;	/* the same, of its cgroup, for --cpu-time */
	bool cpu_spent;		/* SPENT was sent */
	int stdin_fd;		/* our end of its standard input, or -1 */
	struct buf stdin_buf;	/* arrived, not yet taken by the program */
	bool stdin_end;
	uint64_t files_before;	/* bytes in the pool when RUN came */
	uint64_t files_ours;	/* bytes of the inputs of all turns */
	uint64_t memory_left;	/* in a microVM: the limit without these */
	enum msg_by by;		/* who ended it */
};

/* Frames to the host; they block until it takes them. One that is queued goes
 * with the next that is sent, or once there are many: a write costs some 10 µs. */
int guest_send(struct guest *g, enum msg_kind kind, const void *body, size_t n, struct err *e);
int guest_queue(struct guest *g, enum msg_kind kind, const void *body, size_t n, struct err *e);

/* File work is done with the program's own rights: euid and egid change. */
int guest_as_user(struct err *e);
int guest_as_root(struct err *e);

/* Once, before the first frame: /dev and /sys as every program sees them. */
int world_base(struct guest *g, struct err *e);
/* For an interpreter that imports before RUN: a home like the one to come. */
int world_prepare(struct err *e);
/* The pool, the host's name, the process limit: after RUN. In a later turn of a session
 * pool and name are those of the first. */
int world_enter(struct guest *g, struct err *e);

/* Writes TEXT to a file of the program's cgroup. */
int world_set(const struct guest *g, const char *file, const char *text, struct err *e);
/* In a microVM: what is left of the memory for the program, files counted. */
int world_hold_memory(struct guest *g, struct err *e);
/* In a microVM: what the program has of it. */
uint64_t world_memory_used(const struct guest *g);
/* True if the kernel of a microVM ended the program for its memory. */
bool world_memory_struck(const struct guest *g);
/* The CPU time of all that was ever in the program's cgroup. */
uint64_t world_cpu_ms(const struct guest *g);

struct pollfd pump_poll(const struct pump *p);
/* Moves what can be moved without waiting. */
int pump_step(struct pump *p, struct err *e);
/* All bytes that went in, those still in the pipe too. */
uint64_t pump_total(const struct pump *p);

int place_file(struct guest *g, const struct msg_file *m, struct err *e);
int place_data(struct guest *g, const struct frame *f, struct err *e);
int place_end(struct guest *g, struct err *e);

/* A tar begins, goes on, and has ended: all that it held is in /workspace then, and
 * counts as input. It holds what an input may be, or that is an ERR_USAGE. */
int unpack_begin(struct guest *g, struct err *e);
int unpack_data(struct guest *g, const uint8_t *data, size_t n, struct err *e);
int unpack_end_of(struct guest *g, struct err *e);

/* Starts an interpreter that imports PRELOAD (names parted by commas) and then
 * waits for its program; it says so on g->go_fd. */
int program_prepare(struct guest *g, const char *preload, struct err *e);
/* A new pipe of standard input: its end for the program, ours is g->stdin_fd. */
int program_stdin(struct guest *g, struct err *e);
/* Starts the program (STARTED is sent), or the interpreter for it: call it again
 * when that is ready. */
int program_start(struct guest *g, struct err *e);
/* Kills all of the program's processes; BY is what the host is told. */
void program_kill(struct guest *g, enum msg_by by);
/* Looks at memory and CPU time: kills the program if it has more memory than it
 * may, tells the host if its time is spent. *MS is set to the time until the
 * next look (-1: none). */
int program_watch(struct guest *g, int *ms, struct err *e);
/* Ends all processes but our own, and reaps them. */
int program_end_all(struct guest *g, struct err *e);

/* After RUN: whose kernel it is for. An ERR_USAGE if there are too many already. */
int kernel_choose(struct guest *g, struct err *e);
/* A clone's interpreter may do what needs no program: it takes a few ms to come
 * to itself, beside what we have to do. */
int kernel_wake(struct guest *g, struct err *e);
/* At START: what stands still goes on, and the kernel of this turn, if it is not a new
 * one, is woken. Does nothing in a first turn. */
int kernel_resume(struct guest *g, struct err *e);
/* Tells the hook, at g->go_fd, what it is to run. */
int kernel_go(struct guest *g, struct err *e);
/* From here on the CPU time and memory of the process are the program's. */
void kernel_begin(struct guest *g);
/* What it has had of both since then, while it lives. */
void kernel_usage(const struct guest *g, struct msg_ended *m);
/* The hook says, by BODY[0..N), that its cell has ended, and passes *FD on, at which it
 * waits. Takes that over, and sets g->over, if it may be so. */
void kernel_over(struct guest *g, const uint8_t *body, size_t n, int *fd);
/* True if PID is the program, or a kernel of the session. */
bool kernel_is(const struct guest *g, pid_t pid);
/* Forgets what was this turn's alone: the next RUN may come. */
void kernel_next(struct guest *g);

/* Stops all of the program's processes, and waits until they are. */
int still_begin(struct guest *g, struct err *e);
/* They go on. */
int still_end(struct guest *g, struct err *e);

/* Reaps what has ended. If that was the program or a kernel, the run is over and 0 is
 * returned; 1 while it goes on. */
int end_reap(struct guest *g, struct err *e);
/* The cell is over and its kernel rests: so does the session, once the host has heard
 * of it. 1, or 0 if it is over after all. */
int end_rest(struct guest *g, struct err *e);

/* Listens for what the start hook reports, under a new token; before the program starts. */
int report_open(struct guest *g, struct err *e);
/* Sends the host what has come: 1 if there may be more, 0, or -1 and *e. */
int report_step(struct guest *g, struct err *e);
/* The same to the end, when all of the program's processes stand still. */
int report_drain(struct guest *g, struct err *e);
/* … and when none is left. */
int report_end(struct guest *g, struct err *e);

/* In a child: no capabilities, the program's uid and its filter, for good. */
int program_drop_rights(struct err *e);

int filter_load(struct err *e);

/* Remembers PATH (in /workspace) as it is now: an input; but not what the turn before
 * left so. */
int collect_remember(struct guest *g, const char *path, struct err *e);
/* The same for a folder that an input lies in: no input of its own, and none of the
 * program's. *ST is how it is. */
int collect_pass_by(struct guest *g, const char *path, const struct stat *st, struct err *e);
/* True if PATH is an input of this turn already. */
bool collect_knows(const struct guest *g, const char *path);
/* True if PATH is no input of this turn, and *ST is how the turn before left it. */
bool collect_left(const struct guest *g, const char *path, const struct stat *st);
/* Sends all that is new or changed in /workspace, and in a session what is gone. */
int collect_send(struct guest *g, struct err *e);

/* The whole life of pai-guest; returns its exit status. */
int guest_serve(struct guest *g);

#endif
