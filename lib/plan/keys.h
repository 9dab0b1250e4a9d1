/* SPDX-License-Identifier: Apache-2.0 */
/* keys - all that can be set, as one table: the options of the command line and
 * the keys of a configuration file. The parsers of both, --help, the completions,
 * --check and the tests are loops over it; a value goes through the same
 * function whatever it comes from.
 *
 * The option --NAME is the key defaults.NAME of a file. A name with a dot is a
 * key of a file only. Each key has a variable too: PAI_ and its path in
 * capitals, other bytes as '_' (PAI_CODE_INTERPRETER_VM_KERNEL).
 */
#ifndef PAI_PLAN_KEYS_H
#define PAI_PLAN_KEYS_H

#include "plan/plan.h"

#define KEY_PATH 64		/* bytes of a path or a variable, NUL included */

enum key_flags {
	KEY_MANY = 1,		/* may be given again; in a file it may be a list */
	KEY_CLI = 2,		/* stands on the command line only */
	KEY_EARLY = 4,		/* there, counts before the configuration */
	KEY_OPTIONAL = 8,	/* there, its value may be left out */
};

struct key {
	char letter;		/* 0: no short form */
	const char *name, *arg;	/* arg NULL: a switch */
	/* Parses TEXT (NULL or true, false for a switch) into the plan; names the
	 * value where it is wrong, not the key. */
	int (*set)(struct plan *p, const struct key *k, const char *text, struct err *e);
	size_t field;		/* of struct plan; a limit, source or action for some */
	unsigned flags;
	const char *help;
};

extern const struct key keys[];
extern const size_t keys_n;

/* True for a row that is an option. */
bool key_is_option(const struct key *k);
/* Sets and notes that. The caller puts its context in front of an error. */
int key_set(struct plan *p, const struct key *k, const char *text, enum plan_layer layer,
	    const char *where, struct err *e);
/* The path in a file, and the variable of the environment. */
const char *key_path(const struct key *k, char out[KEY_PATH]);
const char *key_variable(const struct key *k, char out[KEY_PATH]);

/* The row of BLOCK.NAME, or of the variable NAME; NULL if there is none. */
const struct key *key_find(const char *block, const char *name);
const struct key *key_find_variable(const char *name);
/* True if files may have this block. */
bool key_is_block(const char *name);
/* The path that one who wrote BLOCK.NAME (BLOCK "" at the top) most likely
 * meant, or the variable. */
const char *key_nearest(const char *block, const char *name, char out[KEY_PATH]);
const char *key_nearest_variable(const char *name, char out[KEY_PATH]);

#endif
