/* SPDX-License-Identifier: Apache-2.0 */
/* plan - what was asked for: one struct that the configuration and the options
 * fill (keys.h) and the stages of a run read. Pure: nothing here opens, starts
 * or prints anything.
 *
 * Ownership: plan_free() frees all of it; strings are copies.
 */
#ifndef PAI_PLAN_PLAN_H
#define PAI_PLAN_PLAN_H

#include "base/err.h"
#include "base/num.h"
#include "base/str.h"
#include "plan/preload.h"

#include <stdbool.h>

enum plan_source {
	PLAN_STDIN,		/* the program is read from standard input */
	PLAN_FILE,
	PLAN_CODE,
	PLAN_MODULE,
};
enum plan_lang { PLAN_AUTO, PLAN_PYTHON, PLAN_SHELL };
enum plan_color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER, COLORS };
/* For people; one JSON object at the end; one a line while the program runs. */
enum plan_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_NDJSON, FORMATS };
enum plan_action { PLAN_RUN, PLAN_CHECK, PLAN_HELP, PLAN_VERSION, PLAN_LIST, PLAN_LIST_KEYS };

/* Where a value comes from; the later goes before the earlier. */
enum plan_layer {
	LAYER_BUILTIN,
	LAYER_SYSTEM,		/* the system's file */
	LAYER_USER,		/* the user's */
	LAYER_GIVEN,		/* --config or PAI_CONFIG */
	LAYER_ENV,		/* a variable of the environment */
	LAYER_OPTION,
};

/* A value that is not the built-in one, for messages and --check. */
struct plan_setting {
	char *key;		/* its path in a file: "defaults.timeout" */
	char *text;		/* as it was written */
	char *where;		/* FILE:LINE, a variable or an option */
	enum plan_layer layer;
};

/* The limits, in the order of plan_limits[]. */
enum plan_limit {
	LIMIT_TIMEOUT,		/* ms */
	LIMIT_KILL_AFTER,	/* ms */
	LIMIT_CPU_TIME,		/* ms */
	LIMIT_CPUS,
	LIMIT_MEMORY,		/* bytes */
	LIMIT_PIDS,
	LIMIT_DISK,		/* bytes; 0 until plan_finish() */
	LIMIT_MAX_FILES,	/* kept files and folders */
	LIMIT_MAX_OUTPUT,	/* bytes of them */
	LIMIT_MAX_STDOUT,	/* bytes; 0 until plan_finish() */
	LIMIT_MAX_STDERR,
	LIMITS
};

enum plan_unit { UNIT_COUNT, UNIT_BYTES, UNIT_MS };

extern const struct plan_limit_row {
	const char *name;	/* the option, and its key in the JSON result */
	const char *noun;	/* for "NOUN limit of 60 s reached"; NULL: it never ends a run */
	enum plan_unit unit;
	uint64_t initial, min, max;
	bool none_ok;		/* "none" is no limit: NUM_NONE */
} plan_limits[LIMITS];

/* As a notebook's cell, as python3 FILE, or what suits (plan_suit() decides). */
enum plan_mode { PLAN_SUITS, PLAN_CELL, PLAN_SCRIPT };

#define PLAN_TO_STDERR "-"
#define PLAN_NO_FD UINT64_MAX
#define PLAN_STDIO "-"			/* a tar from standard input, or to standard output */
#define PLAN_ARGS_MAX 65536u		/* arguments of the program */
#define PLAN_BOOT_MS 30000u		/* from the start to the guest's hello */
#define PLAN_PROBE_MS 3000u		/* … of the first microVM on a host */
#define PLAN_CELL_GRACE 2000u		/* --kill-after of a cell, if nothing is said */
#define PLAN_END_MS 500u		/* that the guest may be silent after a kill */
#define PLAN_CAPTURE (10ull << 20)	/* bytes of each stream in JSON, if nothing is said */
#define PLAN_CAPTURE_MAX (256ull << 20)	/* … that may be asked for: it lies in memory */
#define PLAN_LOCK_WAIT_MS 60000u	/* for a session that another call has, if nothing is said */
#define PLAN_LOCK_WAIT_MAX (24u * 3600 * 1000)
#define PLAN_KEEP_TURNS 2u		/* of a session, that rewind can reach, if nothing is said */
#define PLAN_KEEP_TURNS_MAX 1000u
#define PLAN_CONTEXT "main"		/* the kernel of a session that is not named */
#define PLAN_MEMORY_SLACK (128ull << 20)	/* the sandbox's own need */

struct plan {
	enum plan_action action;
	enum plan_source source;
	char *program;		/* FILE, CODE or MODULE; NULL for standard input */
	struct strv args;	/* of the program, without argv[0] */
	enum plan_lang lang;	/* what was said; what it is, once plan_suit() knows */
	enum plan_mode mode;
	bool cell;		/* what comes of the mode: it is a cell, else a script */
	bool print_last, no_stdin, quiet, verbose, fresh, no_clobber, raw_terminal;
	enum plan_format format;
	enum plan_color color;
	char *backend;		/* a name of the backend table, "auto" or "off" */
	char *image;		/* NAME or path; NULL: the default one */
	char *output_dir;	/* NULL: nothing is kept */
	struct strv include, exclude;	/* globs of what is kept (base/glob.h) */
	char *manifest;		/* FILE for the list of what was kept */
	bool tar_in, tar_out;	/* PLAN_STDIO is an input, is the output folder */
	char *usage;		/* FILE for the line of time and memory, or PLAN_TO_STDERR */
	uint64_t status_fd;	/* the caller's descriptor for the line of status; or PLAN_NO_FD */
	struct strv inputs;	/* SRC[:NAME], not yet looked at */
	char *session;		/* its NAME, or NULL: the sandbox is no more after this run */
	char *session_dir;	/* where it lies; NULL: the user's state folder */
	char *context;		/* which of its kernels; NULL: PLAN_CONTEXT */
	uint64_t lock_wait_ms;	/* for another call that has it, or NUM_NONE */
	uint64_t keep_turns;
	struct strv env;	/* NAME=VALUE */
	uint64_t limit[LIMITS];
	const struct preload *preload;	/* pai-image warm: not to be guessed */
	bool for_all;		/* it is made for all users of this machine */

	char **environ;		/* the caller's; borrowed */
	char *config;		/* FILE of --config */
	bool enabled;		/* features.code_interpreter */
	char *runsc_bin, *firecracker_bin;	/* a name on PATH, or an absolute path */
	char *gvisor_rootfs;	/* in the place of the image: an EROFS file or a folder */
	char *gvisor_state_dir;	/* of runsc, in the keeper's root */
	char *vm_kernel, *vm_rootfs;	/* in the place of the image's; NULL: those */
	uint64_t boot_ms;	/* from the start of a sandbox to its hello */
	uint64_t probe_ms;	/* the same, for the first microVM that auto tries on a host */
	struct preloads preloads;

	struct plan_setting *setting;	/* in the order in which they were given */
	size_t settings;
};

void plan_init(struct plan *p);
/* After the options: fills what depends on other fields, refuses options that
 * do not go together. A default from elsewhere that does not suit gives way. May
 * be called again when a field was changed. */
int plan_finish(struct plan *p, struct err *e);
/* The rest of that, what depends on the language: it is settled here, and whether the
 * program is a cell. TOLD is what FILE says of itself, or PLAN_AUTO; for all but FILE
 * plan_finish() does it. */
int plan_suit(struct plan *p, enum plan_lang told, struct err *e);
/* A plan of the script CODE: what P has of the sandbox, nothing of what goes in and
 * comes out. It borrows from P, and is not to be freed. */
struct plan plan_trial(const struct plan *p, char *code);
void plan_free(struct plan *p);

/* Parses TEXT for the limit L into p->limit[L]; names the value, not the option. */
int plan_set_limit(struct plan *p, enum plan_limit l, const char *text, struct err *e);
/* Adds NAME=VALUE; NAME alone takes the caller's value (left out if unset). */
int plan_add_env(struct plan *p, const char *text, struct err *e);
/* The value of the caller's environment variable NAME[0..N), or NULL. */
const char *plan_environment(const struct plan *p, const char *name, size_t n);

/* Notes that KEY got TEXT at WHERE; it replaces an older note unless MANY. */
int plan_note(struct plan *p, const char *key, const char *text, bool many,
	      enum plan_layer layer, const char *where, struct err *e);
/* The layer that has set KEY. */
enum plan_layer plan_layer(const struct plan *p, const char *key);
/* True if an option has set KEY; a default from elsewhere gives way. */
bool plan_insists(const struct plan *p, const char *key);
/* The file and line, or the variable, that KEY comes from; NULL if an option, or none. */
const char *plan_where(const struct plan *p, const char *key);
/* How many options have added TEXT[0..N), or that and "=…", to the list KEY. */
size_t plan_asked(const struct plan *p, const char *key, const char *text, size_t n);
/* 0 if the configuration lets anything run; -1 and who switched it off. */
int plan_allowed(const struct plan *p, struct err *e);

/* The text of VALUE of the limit L as a person writes it ("60 s", "1G"). */
const char *plan_limit_text(enum plan_limit l, uint64_t value, char dst[NUM_TEXT]);
/* The name of a format, as an option has it. */
const char *plan_format_word(enum plan_format f);
/* True if the outcome is told as JSON: an exception and results come as such then. */
bool plan_wants_results(const struct plan *p);

#endif
