/* SPDX-License-Identifier: Apache-2.0 */
/* keys - see keys.h */
#include "plan/keys.h"

#include <ctype.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BOOT_MIN_MS 100u
#define BOOT_MAX_MS 600000u
#define FD_MAX 1048576u		/* as the kernel's nr_open */
#define GLOBS_MAX 256u
#define STATE_DIR_MAX 64u	/* beneath it runsc puts a socket, whose path is short */

typedef int set_fn(struct plan *p, const struct key *k, const char *text, struct err *e);

static set_fn set_switch, set_text, set_limit, set_source, set_language, set_backend, set_program,
	set_mode, set_path, set_usage, set_state_dir, set_wait, set_action, set_color, set_format,
	set_lock_wait, set_keep, set_fd, add_input, add_glob, add_env;

#define FIELD(f) offsetof(struct plan, f)
const struct key keys[] = {
	{ 'c', "code", "CODE", set_source, PLAN_CODE, KEY_CLI, "run this program text" },
	{ 'm', "module", "NAME", set_source, PLAN_MODULE, KEY_CLI, "run a Python module as a program" },
	{ 'l', "language", "NAME", set_language, 0, 0, "python or shell (by FILE's suffix or #!)" },
	{ 0, "cell", NULL, set_mode, PLAN_CELL, 0, "run it as a cell of a notebook (-c with --json)" },
	{ 0, "script", NULL, set_mode, PLAN_SCRIPT, 0, "run it as python3 does (all else)" },
	{ 'p', "print-last", NULL, set_switch, FIELD(print_last), 0, "print the last expression's value" },
	{ 'n', "no-stdin", NULL, set_switch, FIELD(no_stdin), 0, "give the program no standard input" },
	{ 'b', "backend", "NAME", set_backend, FIELD(backend), 0, "auto, firecracker, gvisor or off (auto)" },
	{ 't', "timeout", "TIME", set_limit, LIMIT_TIMEOUT, 0, "end the program after TIME (60s)" },
	{ 'k', "kill-after", "TIME", set_limit, LIMIT_KILL_AFTER, 0, "from interrupt to kill (0.5s)" },
	{ 0, "cpu-time", "TIME", set_limit, LIMIT_CPU_TIME, 0, "end the program after TIME of CPU time (none)" },
	{ 0, "cpus", "N", set_limit, LIMIT_CPUS, 0, "CPUs of the sandbox (1)" },
	{ 0, "memory", "SIZE", set_limit, LIMIT_MEMORY, 0, "memory, files included (1G)" },
	{ 0, "pids", "N", set_limit, LIMIT_PIDS, 0, "processes and threads (256)" },
	{ 0, "disk", "SIZE", set_limit, LIMIT_DISK, 0, "files (512M, at most half of memory)" },
	{ 'i', "input", "SRC[:NAME]", add_input, 0, KEY_MANY, "copy a file or folder (-: a tar) into /workspace" },
	{ 'o', "output-dir", "DIR", set_text, FIELD(output_dir), 0, "keep what the program makes (-: as a tar)" },
	{ 0, "include", "GLOB", add_glob, FIELD(include), KEY_MANY, "keep only what matches" },
	{ 0, "exclude", "GLOB", add_glob, FIELD(exclude), KEY_MANY, "keep nothing that matches" },
	{ 0, "no-clobber", NULL, set_switch, FIELD(no_clobber), 0, "replace no file in DIR" },
	{ 0, "manifest", "FILE", set_text, FIELD(manifest), 0, "list what was kept, for sha256sum -c" },
	{ 0, "max-files", "N", set_limit, LIMIT_MAX_FILES, 0, "keep at most N files and folders (1000)" },
	{ 0, "max-output", "SIZE", set_limit, LIMIT_MAX_OUTPUT, 0, "keep at most SIZE bytes of files (512M)" },
	{ 'e', "env", "NAME[=VALUE]", add_env, 0, KEY_MANY, "set a variable for the program" },
	{ 's', "session", "NAME", set_text, FIELD(session), 0, "run the next cell of a saved session" },
	{ 0, "session-dir", "DIR", set_text, FIELD(session_dir), 0, "where sessions lie (the user's state folder)" },
	{ 0, "context", "NAME", set_text, FIELD(context), 0, "which of the session's kernels (main)" },
	{ 0, "lock-wait", "TIME", set_lock_wait, FIELD(lock_wait_ms), 0, "wait for a session in use (60s)" },
	{ 0, "keep-turns", "N", set_keep, FIELD(keep_turns), 0, "turns that pai-session rewind can reach (2)" },
	{ 0, "json", NULL, set_format, 0, 0, "as --format=json" },
	{ 0, "format", "NAME", set_format, 0, 0, "text, json (one object) or ndjson (live) (text)" },
	{ 0, "max-stdout", "SIZE", set_limit, LIMIT_MAX_STDOUT, 0, "cut standard output there (none; json 10M)" },
	{ 0, "max-stderr", "SIZE", set_limit, LIMIT_MAX_STDERR, 0, "cut standard error there (none; json 10M)" },
	{ 0, "raw-terminal", NULL, set_switch, FIELD(raw_terminal), 0, "let all control sequences reach the terminal" },
	{ 0, "color", "WHEN", set_color, FIELD(color), 0, "auto, always, never: colours of the program" },
	{ 0, "status-fd", "FD", set_fd, FIELD(status_fd), 0, "write a line of status to this descriptor" },
	{ 0, "usage", "FILE", set_usage, FIELD(usage), KEY_OPTIONAL, "write a line of time, memory and bytes" },
	{ 0, "check", NULL, set_action, PLAN_CHECK, KEY_CLI, "tell what this host can do, and why not the rest" },
	{ 0, "config", "FILE", set_text, FIELD(config), KEY_CLI | KEY_EARLY, "read FILE after the other configuration" },
	{ 0, "image", "NAME", set_text, FIELD(image), 0, "use another guest image" },
	{ 0, "fresh", NULL, set_switch, FIELD(fresh), 0, "start cold: use and leave no template" },
	{ 'q', "quiet", NULL, set_switch, FIELD(quiet), 0, "no notes and warnings, only errors" },
	{ 'v', "verbose", NULL, set_switch, FIELD(verbose), 0, "say what is done" },
	{ 0, "help", NULL, set_action, PLAN_HELP, KEY_CLI | KEY_EARLY, "show this help" },
	{ 0, "version", NULL, set_action, PLAN_VERSION, KEY_CLI | KEY_EARLY, "show the version" },
	/* for the completions, and for the tests */
	{ 0, "list-options", NULL, set_action, PLAN_LIST, KEY_CLI | KEY_EARLY, NULL },
	{ 0, "list-keys", NULL, set_action, PLAN_LIST_KEYS, KEY_CLI | KEY_EARLY, NULL },

	{ 0, "features.code_interpreter", NULL, set_switch, FIELD(enabled), 0, NULL },
	{ 0, "code_interpreter.backend", "NAME", set_backend, FIELD(backend), 0, NULL },
	{ 0, "code_interpreter.runsc_bin", "PROGRAM", set_program, FIELD(runsc_bin), 0, NULL },
	{ 0, "code_interpreter.gvisor_rootfs", "PATH", set_path, FIELD(gvisor_rootfs), 0, NULL },
	{ 0, "code_interpreter.gvisor_state_dir", "DIR", set_state_dir, FIELD(gvisor_state_dir), 0, NULL },
	{ 0, "code_interpreter_vm.firecracker_bin", "PROGRAM", set_program, FIELD(firecracker_bin), 0, NULL },
	{ 0, "code_interpreter_vm.kernel", "PATH", set_text, FIELD(vm_kernel), 0, NULL },
	{ 0, "code_interpreter_vm.rootfs", "PATH", set_text, FIELD(vm_rootfs), 0, NULL },
	{ 0, "code_interpreter_vm.boot_timeout", "TIME", set_wait, FIELD(boot_ms), 0, NULL },
	{ 0, "code_interpreter_vm.probe_timeout", "TIME", set_wait, FIELD(probe_ms), 0, NULL },
};
const size_t keys_n = sizeof(keys) / sizeof(*keys);

/* The blocks of a file; preload has names of the user's own. */
static const char *const blocks[] = { "features", "code_interpreter", "code_interpreter_vm",
				      "preload", "defaults" };
#define BLOCKS (sizeof(blocks) / sizeof(*blocks))

static int get_switch(const char *text, bool *on, struct err *e)
{
	bool yes = !text || !strcasecmp(text, "true");

	if (!yes && strcasecmp(text, "false"))
		return err_set(e, ERR_USAGE, "'%s' is neither true nor false", text);
	*on = yes;
	return 0;
}

static int set_switch(struct plan *p, const struct key *k, const char *text, struct err *e)
{
	return get_switch(text, (bool *)((char *)p + k->field), e);
}

/* Of --cell and --script the last that was said counts. */
static int set_mode(struct plan *p, const struct key *k, const char *text, struct err *e)
{
	enum plan_mode mode = (enum plan_mode)k->field;
	bool on = false;

	if (get_switch(text, &on, e) < 0)
		return -1;
	if (on || p->mode == mode)
		p->mode = on ? mode : PLAN_SUITS;
	return 0;
}

static int set_text(struct plan *p, const struct key *k, const char *text, struct err *e)
{
	char **field = (char **)((char *)p + k->field);

	if (!*text)
		return err_set(e, ERR_USAGE, "an empty %s", k->arg);
	char *copy = strdup(text);
	if (!copy)
		return err_sys(e, ERR_HOST, "memory");
	free(*field);
	*field = copy;
	return 0;
}

static int set_limit(struct plan *p, const struct key *k, const char *text, struct err *e)
{
	return plan_set_limit(p, (enum plan_limit)k->field, text, e);
}

static int set_source(struct plan *p, const struct key *k, const char *text, struct err *e)
{
	if (p->source != PLAN_STDIN)
		return err_set(e, ERR_USAGE, "there is a program already");
	if (k->field == PLAN_MODULE && (!*text || strlen(text) > PATH_MAX))
		return err_set(e, ERR_USAGE, "a NAME has 1 to %d bytes", PATH_MAX);
	p->source = (enum plan_source)k->field;
	p->program = strdup(text);
	return p->program ? 0 : err_sys(e, ERR_HOST, "memory");
}

static int set_language(struct plan *p, const struct key *k, const char *text, struct err *e)
{
	(void)k;
	if (strcmp(text, "python") && strcmp(text, "shell"))
		return err_set(e, ERR_USAGE, "'%s' is neither python nor shell", text);
	p->lang = *text == 'p' ? PLAN_PYTHON : PLAN_SHELL;
	return 0;
}

static int set_backend(struct plan *p, const struct key *k, const char *text, struct err *e)
{
	static const char *const words[] = { "auto", "firecracker", "gvisor", "off" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(text, words[i]))
			return set_text(p, k, text, e);
	return err_set(e, ERR_USAGE, "'%s' is none of auto, firecracker, gvisor, off", text);
}

static int set_color(struct plan *p, const struct key *k, const char *text, struct err *e)
{
	static const char *const words[COLORS] = { "auto", "always", "never" };

	(void)k;
	for (int i = 0; i < COLORS; i++)
		if (!strcmp(text, words[i])) {
			p->color = (enum plan_color)i;
			return 0;
		}
	return err_set(e, ERR_USAGE, "'%s' is none of auto, always, never", text);
}

/* --json is a switch, and the older name. */
static int set_format(struct plan *p, const struct key *k, const char *text, struct err *e)
{
	bool json = false;

	if (!k->arg) {
		if (get_switch(text, &json, e) < 0)
			return -1;
		p->format = json ? FORMAT_JSON : FORMAT_TEXT;
		return 0;
	}
	for (enum plan_format f = 0; f < FORMATS; f++)
		if (!strcmp(text, plan_format_word(f))) {
			p->format = f;
			return 0;
		}
	return err_set(e, ERR_USAGE, "'%s' is none of text, json, ndjson", text);
}

static int set_fd(struct plan *p, const struct key *k, const char *text, struct err *e)
{
	return num_count(text, 0, FD_MAX, (uint64_t *)((char *)p + k->field), e);
}

static int set_program(struct plan *p, const struct key *k, const char *text, struct err *e)
{
	if (*text != '/' && strchr(text, '/'))
		return err_set(e, ERR_USAGE, "'%s' is neither a name nor an absolute path", text);
	return set_text(p, k, text, e);
}

/* Without a value, which in a file is "true": to standard error. */
static int set_usage(struct plan *p, const struct key *k, const char *text, struct err *e)
{
	struct err none;
	bool on;

	if (get_switch(text, &on, &none) < 0)
		return set_text(p, k, text, e);
	if (on)
		return set_text(p, k, PLAN_TO_STDERR, e);
	free(p->usage);
	p->usage = NULL;
	return 0;
}

static int set_path(struct plan *p, const struct key *k, const char *text, struct err *e)
{
	if (*text != '/')
		return err_set(e, ERR_USAGE, "'%s' is not an absolute path", text);
	return set_text(p, k, text, e);
}

/* A folder of the keeper's root, which must not cover what else is there. */
static int set_state_dir(struct plan *p, const struct key *k, const char *text, struct err *e)
{
	bool ok = strlen(text) <= STATE_DIR_MAX && (!strncmp(text, "/run/", 5) ||
		  !strncmp(text, "/tmp/", 5) || !strncmp(text, "/var/", 5));

	for (const char *at = strchr(text, '/'); at; at = strchr(at + 1, '/'))
		ok &= at[1] != '/' && at[1] != '.' && at[1];
	if (!ok)
		return err_set(e, ERR_USAGE, "'%s' is not a plain path beneath /run, /tmp or /var of "
			       "at most %u bytes", text, STATE_DIR_MAX);
	return set_text(p, k, text, e);
}

static int set_wait(struct plan *p, const struct key *k, const char *text, struct err *e)
{
	return num_duration(text, BOOT_MIN_MS, BOOT_MAX_MS, false, (uint64_t *)((char *)p + k->field), e);
}

static int set_lock_wait(struct plan *p, const struct key *k, const char *text, struct err *e)
{
	return num_duration(text, 0, PLAN_LOCK_WAIT_MAX, true, (uint64_t *)((char *)p + k->field), e);
}

static int set_keep(struct plan *p, const struct key *k, const char *text, struct err *e)
{
	return num_count(text, 1, PLAN_KEEP_TURNS_MAX, (uint64_t *)((char *)p + k->field), e);
}

static int set_action(struct plan *p, const struct key *k, const char *text, struct err *e)
{
	(void)text;
	(void)e;
	p->action = (enum plan_action)k->field;
	return 0;
}

static int add_input(struct plan *p, const struct key *k, const char *text, struct err *e)
{
	if (!*text)
		return err_set(e, ERR_USAGE, "an empty %s", k->arg);
	return strv_add(&p->inputs, text, e);
}

static int add_glob(struct plan *p, const struct key *k, const char *text, struct err *e)
{
	struct strv *globs = (struct strv *)((char *)p + k->field);

	if (!*text || strlen(text) > PATH_MAX)
		return err_set(e, ERR_USAGE, "a GLOB has 1 to %d bytes", PATH_MAX);
	if (globs->n >= GLOBS_MAX)
		return err_set(e, ERR_USAGE, "more than %u of them", GLOBS_MAX);
	return strv_add(globs, text, e);
}

static int add_env(struct plan *p, const struct key *k, const char *text, struct err *e)
{
	(void)k;
	return plan_add_env(p, text, e);
}

bool key_is_option(const struct key *k)
{
	return !strchr(k->name, '.');
}

const char *key_path(const struct key *k, char out[KEY_PATH])
{
	snprintf(out, KEY_PATH, "%s%s", key_is_option(k) ? "defaults." : "", k->name);
	return out;
}

const char *key_variable(const struct key *k, char out[KEY_PATH])
{
	char path[KEY_PATH];

	snprintf(out, KEY_PATH, "PAI_%s", key_path(k, path));
	for (char *c = out; *c; c++)
		*c = isalnum((unsigned char)*c) ? (char)toupper((unsigned char)*c) : '_';
	return out;
}

int key_set(struct plan *p, const struct key *k, const char *text, enum plan_layer layer,
	    const char *where, struct err *e)
{
	const struct key *same = k;
	char path[KEY_PATH];

	if (k->set(p, k, text, e) < 0)
		return -1;
	if (k->flags & KEY_CLI)
		return 0;
	/* two names of one thing are noted as one: that of the block */
	for (size_t i = 0; i < keys_n; i++)
		if (keys[i].set == k->set && keys[i].field == k->field)
			same = &keys[i];
	if (k->set == set_format)
		text = plan_format_word(p->format);
	return plan_note(p, key_path(same, path), text ? text : "true", k->flags & KEY_MANY, layer,
			 where, e);
}

const struct key *key_find(const char *block, const char *name)
{
	char path[KEY_PATH];
	size_t n = strlen(block);

	for (size_t i = 0; i < keys_n; i++) {
		key_path(&keys[i], path);
		if (!strncmp(path, block, n) && path[n] == '.' && !strcmp(path + n + 1, name))
			return &keys[i];
	}
	return NULL;
}

const struct key *key_find_variable(const char *name)
{
	char variable[KEY_PATH];

	for (size_t i = 0; i < keys_n; i++)
		if (!(keys[i].flags & KEY_CLI) && !strcmp(key_variable(&keys[i], variable), name))
			return &keys[i];
	return NULL;
}

bool key_is_block(const char *name)
{
	for (size_t i = 0; i < BLOCKS; i++)
		if (!strcmp(blocks[i], name))
			return true;
	return false;
}

const char *key_nearest(const char *block, const char *name, char out[KEY_PATH])
{
	size_t best = SIZE_MAX;

	for (size_t i = 0; !*block && i < BLOCKS; i++) {
		size_t d = 2 * str_distance(name, blocks[i]);

		if (d < best) {
			best = d;
			snprintf(out, KEY_PATH, "%s", blocks[i]);
		}
	}
	for (size_t i = 0; i < keys_n; i++) {
		char path[KEY_PATH];
		const char *last = strchr(key_path(&keys[i], path), '.') + 1;
		bool here = !strncmp(path, block, (size_t)(last - path) - 1) &&
			    strlen(block) == (size_t)(last - path) - 1;
		size_t far = str_distance(name, last);

		if (far > 1 && !strncmp(last, name, strlen(name)))
			far = 1;	/* "mem" */
		size_t d = 2 * far + !here;	/* rather in the same block */

		if (!(keys[i].flags & KEY_CLI) && d < best) {
			best = d;
			snprintf(out, KEY_PATH, "%s", path);
		}
	}
	return out;
}

const char *key_nearest_variable(const char *name, char out[KEY_PATH])
{
	size_t best = SIZE_MAX;

	for (size_t i = 0; i < keys_n; i++) {
		char variable[KEY_PATH];
		size_t d = str_distance(name, key_variable(&keys[i], variable));

		if (!(keys[i].flags & KEY_CLI) && d < best) {
			best = d;
			snprintf(out, KEY_PATH, "%s", variable);
		}
	}
	return out;
}
