/* SPDX-License-Identifier: Apache-2.0 */
/* backend - what runs a sandbox: a table of functions for each, and an
 * ordered table of them.
 *
 * The command side probes and chooses (select.c); the keeper, in its own
 * namespaces and root, starts what was chosen (attempt.c). Whatever runs, the
 * command gets three descriptors: the control channel (wire/msg.h) and the
 * program's raw standard output and error.
 */
#ifndef PAI_BACKEND_BACKEND_H
#define PAI_BACKEND_BACKEND_H

#include "host/cgroup.h"
#include "host/keeper.h"
#include "host/root.h"
#include "plan/plan.h"
#include "state/image.h"

#define BACKENDS 2
#define BACKEND_BINDS 13	/* the final NULLs included */
#define BACKEND_SAVE "/save"	/* save_dir, in the keeper's root */
#define BACKEND_KEEP "/keep"	/* keep_dir */
#define BACKEND_KEEP_MS 300000u	/* that this may take */
#define BACKEND_PIPE (1 << 20)	/* bytes in flight on a raw stream, if the host lets us */

/* A started sandbox, as the keeper hands it over. */
struct sandbox {
	pid_t pid;		/* whose end is the sandbox's */
	int fd[KEEPER_FDS];	/* control, stdout, stderr */
	int base;		/* the backend's own; 0 in a new one */
};

/* What was chosen, and all that a start needs; made before the keeper is. */
struct choice {
	const struct plan *plan;
	const struct image *image;
	struct cgroup cgroup;
	bool plain_user;	/* the keeper is in a user namespace */
	uint32_t serial;	/* of this run on this host: the command's pid */
	uint64_t boot_ms;	/* that a cold start may take to its hello */
	const char *template_dir;	/* to clone from, or NULL */
	const char *save_dir;	/* a snapshot may be asked for: where it goes, or NULL */
	const char *resume_dir;	/* … a session's last snapshot, which is what template_dir is then */
	const char *keep_dir;	/* of a session's turn: where its snapshot goes, or NULL */
	bool confined;		/* the command is, and can start nothing any more */
	bool one_stream;	/* standard output and error are one file */
	char *program[BACKENDS];	/* absolute path of each one's binary, or NULL */
	struct err why_not[BACKENDS];	/* of those that cannot run here */
};

/* Something that a backend must find on this host, beside its binary. */
struct backend_need {
	const char *name, *what;	/* what: in words, where it is there */
	/* 0, or -1 and the reason, with the cure where there is one. Changes nothing. */
	int (*check)(const struct plan *p, const struct image *im, struct err *e);
};

struct backend {
	const char *name;
	/* *PROGRAM is its binary, to be freed; -1 and the reason, with the cure. */
	int (*find)(const struct plan *p, char **program, struct err *e);
	const struct backend_need *needs;	/* the last has no name */
	bool traces;		/* ptrace is one of its means */
	/* Asks the binary what it is ("runsc release-…, systrap"); a few 10 ms. */
	int (*version)(const char *program, char *text, size_t size, struct err *e);
	/* Known faults of what version() said, in words, or NULL; for --check. May be NULL. */
	const char *(*faults)(const char *version);
	/* What its private root must hold, beyond root.h; ends with NULLs. */
	int (*binds)(const struct choice *c, const char *program,
		     struct root_bind binds[BACKEND_BINDS], struct err *e);
	/* Starts it, in that root: CLONE from the template, or cold. ATTEMPT
	 * tells this one's traces from those of the ones before. */
	int (*start)(const struct choice *c, bool clone, unsigned attempt, struct sandbox *sb,
		     struct err *e);
	/* Snapshots the sandbox of that attempt into save_dir. It goes on, or, with
	 * SAVE_ENDS, is no more, and a clone of it is to be started. */
	int (*save)(const struct choice *c, struct sandbox *sb, unsigned attempt, struct err *e);
	bool save_ends;
	/* The same of a sandbox whose kernels rest, after a session's turn, into
	 * keep_dir; it is no more then. */
	int (*keep)(const struct choice *c, struct sandbox *sb, unsigned attempt, struct err *e);
	/* False if snapshots of that version() are not to be trusted; NULL: all are. */
	bool (*clones)(const char *version);
	/* Where no cgroup holds its memory: true if its process, which ended with STATUS (of
	 * wait(2)) and had PEAK_BYTES, was refused more. May be NULL. */
	bool (*starved)(int status, uint64_t peak_bytes);
	bool own_limits;	/* it is a machine with so much memory and so many CPUs */
	/* Memory of the host for a sandbox with the plan's limit. */
	uint64_t (*host_memory)(const struct plan *p);
	/* What else a snapshot depends on, as a text; NULL: nothing. */
	void (*key)(const struct choice *c, char *text, size_t size);
	/* Where only a trial shows whether it works on this host (else NULL): if one
	 * has shown it, if one was so bad that auto goes without (-1, the reason), the
	 * outcome of this one. */
	bool (*is_known)(void);
	int (*doubt)(struct err *e);
	void (*told)(bool answered);
};

extern const struct backend backend_firecracker, backend_gvisor;
/* In order of preference. */
extern const struct backend *const backends[BACKENDS];

/* Fills *C by the plan's word (auto, or one backend's name); -1 where none
 * can run, with one reason for each. */
int backend_select(const struct plan *p, const struct image *im, struct choice *c, struct err *e);
/* The row of the first backend that was found fit, which is the one that is
 * tried; BACKENDS if none was. */
int choice_first(const struct choice *c);
/* The cgroups and times for that backend; again for the next one. */
void choice_prepare(struct choice *c);
/* Makes *NEXT what *C would be without its first backend, with cgroups of its own
 * still to be made; false if there is no other. It owns nothing of *C. */
bool choice_next(const struct choice *c, struct choice *next);
/* Gives up the first backend, which failed with WHY: *C becomes NEXT, which was made
 * of it. */
void choice_fall_back(struct choice *c, const struct choice *next, const struct err *why);
/* After a start that failed with *E: asks the host what it refuses (probe.h).
 * Where that tells, or where *E itself is a refusal, *E becomes the story of
 * why no backend works here. Returns -1, as *E is still a failure. */
int backend_explain(struct choice *c, struct err *e);
/* In *TEXT: "; " and the command that puts this version's kernel and guest into the image;
 * "" for one that build-image did not make. */
void backend_reseal(const struct image *im, char *text, size_t size);
/* What version() said of this very file once, or says now; "" if it fails. */
void backend_version(const struct backend *b, const char *program, char *text, size_t size);
void choice_drop(struct choice *c);
/* The keeper's life: starts the first backend of CHOICE (a struct choice) that
 * was found fit, from the template if there is one, hands it to the command and
 * does what that asks for until the link ends. */
int backend_attempt(void *choice, int link);
/* The same, after a KEEPER_GO. */
int backend_attempt_later(void *choice, int link);

#endif
