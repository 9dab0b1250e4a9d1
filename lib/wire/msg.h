/* SPDX-License-Identifier: Apache-2.0 */
/* msg - the messages of the control channel, and when each may be sent.
 *
 * To the guest, in this order:
 *   [PREPARE,] RUN, (ARG | ENV | INCLUDE | EXCLUDE)*, (FILE, DATA*, END)*, START, (STDIN* STDIN_END)
 *   and at any time INTERRUPT, KILL.
 * From the guest, in this order:
 *   HELLO, [READY, HELLO,] STARTED, (RESULT | NOTE)*, ENDED, (FILE, DATA*, END | SKIPPED | GONE)*, DONE
 *   and at any time FAIL; after HELLO CREDIT; once after STARTED: SPENT.
 * The host may send all up to the last FILE without waiting. START waits for
 * HELLO, so that whatever stands on the raw stderr stream before it is the
 * backend's own text. DATA and STDIN bytes flow only against credit: at first
 * MSG_CREDIT, then as much again as each CREDIT says; so INTERRUPT and KILL
 * are never stuck behind a program that does not read.
 *
 * A DONE behind an ENDED with a count is the end of a session's turn, not of the
 * guest: it waits for the next RUN, over this channel or a new one, and what of
 * STDIN, INTERRUPT and KILL was still under way is forgotten. It says HELLO
 * again at that RUN.
 */
#ifndef PAI_WIRE_MSG_H
#define PAI_WIRE_MSG_H

#include "wire/frame.h"

#define MSG_VERSION 5u		/* both ends must have the same */
#define MSG_CREDIT (256u << 10)	/* bytes that may be under way */
#define MSG_CHUNK (64u << 10)	/* bytes in one DATA or STDIN */
#define MSG_PATH_MAX 4096u	/* bytes of a path, as PATH_MAX */
#define MSG_NAME_MAX 255u	/* bytes of one component */
#define MSG_CONTEXT_MAX 64u	/* bytes of a context's name */
#define MSG_CONTEXTS_MAX 16u	/* kernels of one session */
#define MSG_DEPTH_MAX 64	/* folders in folders */
#define MSG_SKIPS_MAX 100000u	/* files left out, each by a message */
#define MSG_COUNT_MAX (1ull << 53)	/* of µs and bytes: what every reader of JSON holds */
#define MSG_NOTE_MAX (256u << 10)	/* bytes of all NOTEs of one kind */
#define MSG_RESULT_CHUNK (32u << 10)	/* bytes in one RESULT or NOTE */
#define MSG_RESULT_MAX (16u << 20)	/* bytes of one value of a result */
#define MSG_RESULTS_MAX 1000u	/* results of one run that are held */
#define MSG_RESULTS_BYTES (64u << 20)	/* bytes of them */
#define MSG_VALUE_DEPTH 64	/* lists in lists */
#define MSG_VALUE_COUNT 1000000u	/* values in one JSON, DATA, CHART or EXTRA */
#define MSG_INPUTS_MAX 100000u	/* files and folders that go in */
#define MSG_MIRROR_MAX 100000u	/* files and folders of a session's /workspace that come out */
#define MSG_MTIME_MAX ((1ull << 33) - 1)	/* what a tar's header can hold */

enum msg_kind {
	/* to the guest */
	MSG_RUN = 1,
	MSG_ARG,		/* one argument: its bytes */
	MSG_ENV,		/* one NAME=VALUE: its bytes */
	MSG_FILE,		/* struct msg_file; both ways */
	MSG_DATA,		/* bytes of that file; both ways */
	MSG_END,		/* the file is whole; both ways */
	MSG_START,
	MSG_STDIN,		/* bytes of standard input */
	MSG_STDIN_END,
	MSG_INTERRUPT,		/* SIGINT to the program */
	MSG_PREPARE,		/* cpus (4), names of modules, parted by commas: import
				 * them and say READY; next is a snapshot, then RUN */
	MSG_KILL,		/* end all its processes now, then collect */
	MSG_INCLUDE,		/* one glob: its bytes (base/glob.h) */
	MSG_EXCLUDE,
	/* from the guest */
	MSG_HELLO = 64,		/* version (4) */
	MSG_CREDIT_MORE,	/* bytes (4) */
	MSG_READY,
	MSG_STARTED,
	MSG_ENDED,		/* struct msg_ended */
	MSG_SKIPPED,		/* reason (1, enum msg_skip), path */
	MSG_NOTE,		/* which (1, enum msg_note), bytes */
	MSG_DONE,		/* bytes of standard output (8), of standard error (8), or
				 * MSG_UNCOUNTED: all that is in the pipes */
	MSG_SPENT,		/* the program has had its CPU time */
	MSG_FAIL,		/* the guest could not do its part: 1 if the inputs are to
				 * blame (1), a text */
	MSG_RESULT,		/* what (1, enum msg_result), bytes: a part of a result */
	MSG_GONE,		/* path: of a session's /workspace, sent in an earlier turn,
				 * and there no more, nor what was beneath it */
};

enum msg_lang { MSG_PYTHON, MSG_SHELL, MSG_MODULE };
enum msg_place {
	MSG_IN_WORKSPACE,	/* an input, beneath /workspace */
	MSG_AS_PROGRAM,		/* the program's text, elsewhere */
	MSG_AS_TAR,		/* a tar of inputs, before all other files */
	MSG_AS_INPUT,		/* from the guest of a session: an input of this turn, unchanged */
	MSG_PLACES
};
enum msg_type { MSG_REGULAR, MSG_FOLDER, MSG_LINK, MSG_TYPES };
enum msg_skip {
	MSG_SKIP_LINK, MSG_SKIP_SPECIAL, MSG_SKIP_NAME, MSG_SKIP_DEEP,
	MSG_SKIP_MANY, MSG_SKIP_BIG, MSG_SKIP_UNREADABLE, MSG_SKIPS
};
enum msg_note {			/* of an uncaught exception */
	MSG_NOTE_NAME, MSG_NOTE_VALUE, MSG_NOTE_TRACEBACK, MSG_NOTES
};

/* A result (a table, a chart, the last expression's value) is BEGIN, for each of its
 * keys one or more parts with the bytes of the value, END. Text is UTF-8; what is a
 * value (a list, an object) is a row of tokens:
 *   n, t, f             null, true, false
 *   i, d + 8 bytes      a whole number, signed; a double; little endian
 *   s + length (4) + bytes
 *   [ values ]   { (s…, value)* } */
enum msg_result {
	MSG_RESULT_BEGIN,	/* one byte: 1 if it is the cell's main result */
	MSG_TEXT, MSG_HTML, MSG_MARKDOWN, MSG_SVG, MSG_PNG, MSG_JPEG, MSG_PDF, MSG_LATEX,
	MSG_JSON, MSG_JAVASCRIPT, MSG_DATA_KEY, MSG_CHART, MSG_EXTRA,
	MSG_RESULT_END,
	MSG_RESULT_WHATS
};

/* Flags of RUN. */
#define MSG_PRINT_LAST 1u	/* print the last expression's value */
#define MSG_STDIN_OPEN 2u	/* the program has a standard input */
#define MSG_COLLECT 4u		/* send what the program made */
#define MSG_REPORT 8u		/* send an uncaught exception as NOTEs */
#define MSG_LIST 16u		/* send their names and sizes only */
#define MSG_ONE_STREAM 32u	/* standard error is standard output */
#define MSG_CELL 64u		/* run it as a cell of a notebook */
#define MSG_SESSION 128u	/* the cell's kernel (context) lives on after it, and the next
				 * RUN, in this sandbox or a clone of it, is its next cell */
#define MSG_RUN_FLAGS 255u

#define MSG_VSOCK_PORT 5253u	/* of the control channel; the two streams follow */
#define MSG_UNCOUNTED UINT64_MAX
#define MSG_SEED 32u		/* bytes of new randomness for a kernel that has none */

struct msg_run {
	uint32_t version;
	uint8_t lang;		/* enum msg_lang */
	uint8_t flags;
	uint32_t cpus, pids;	/* pids: processes and threads */
	uint32_t max_files;	/* that COLLECT may send */
	uint64_t max_output;	/* bytes of them */
	uint64_t memory_bytes;	/* beyond it the program is ended */
	uint64_t cpu_ms;	/* of CPU time: SPENT is sent then; MSG_UNCOUNTED: never */
	uint64_t disk_bytes;	/* of /workspace, /tmp and HOME together */
	uint64_t shm_bytes;	/* of /dev/shm */
	uint64_t clock_us;	/* the host's time since 1970 */
	uint8_t seed[MSG_SEED];
	const char *hostname;	/* at most MSG_NAME_MAX bytes */
	const char *shown;	/* the program's name as the user gave it */
	const char *file;	/* its name in /workspace, or "" for a text */
	const char *context;	/* of MSG_SESSION: the kernel's name, else "" */
};

struct msg_file {
	uint8_t type;		/* enum msg_type */
	uint8_t place;		/* enum msg_place; from the guest 0 or MSG_AS_INPUT */
	uint16_t mode;		/* permission bits only */
	uint64_t size;		/* of a regular file: what will follow at most */
	uint64_t mtime;		/* seconds since 1970; from the host 0 */
	const char *path;	/* relative, checked by msg_path_ok() */
	const char *target;	/* of a link, else "" */
};

enum msg_by { MSG_BY_ITSELF, MSG_BY_KILL, MSG_BY_MEMORY, MSG_BYS };

struct msg_ended {
	uint8_t signaled;	/* code is a signal */
	uint8_t by;		/* enum msg_by */
	uint32_t code;
	uint32_t count;		/* of a session: cells that this kernel has run. All its kernels
				 * rest, and can be saved. 0: it is over */
	uint64_t user_us, sys_us, peak_bytes;
};

/* Encoders: fill BODY[0..CAP) and return its length, or -1 and *e. */
ssize_t msg_put_run(const struct msg_run *m, uint8_t *body, size_t cap, struct err *e);
ssize_t msg_put_file(const struct msg_file *m, uint8_t *body, size_t cap, struct err *e);
ssize_t msg_put_ended(const struct msg_ended *m, uint8_t *body, size_t cap, struct err *e);

/* Room that the strings of a decoded message need; they end with NUL. */
struct msg_text {
	char a[MSG_PATH_MAX + 1], b[MSG_PATH_MAX + 1], c[MSG_NAME_MAX + 1], d[MSG_CONTEXT_MAX + 1];
};
/* Decoders: every field is checked for its range. Strings lie in *T. */
int msg_get_run(const struct frame *f, struct msg_run *m, struct msg_text *t, struct err *e);
int msg_get_file(const struct frame *f, struct msg_file *m, struct msg_text *t, struct err *e);
int msg_get_ended(const struct frame *f, struct msg_ended *m, struct err *e);

/* True if PATH[0..N) is a relative path that stays beneath where it starts:
 * components of 1 to MSG_NAME_MAX bytes, none of them "." or "..", no NUL. */
int msg_path_ok(const char *path, size_t n);

#endif
