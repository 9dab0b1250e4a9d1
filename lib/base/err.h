/* SPDX-License-Identifier: Apache-2.0 */
/* err - say once what failed and why, and carry it up to the one who prints.
 *
 * A struct err lives on the caller's stack and crosses a pipe in one write. The
 * first failure wins: whoever meets it names it (err_set, err_sys), callers put
 * their context in front (err_in), cmd/ prints "pai-exec: " and the message.
 * Messages are one printable line; one that is too long loses its middle.
 */
#ifndef PAI_BASE_ERR_H
#define PAI_BASE_ERR_H

#define ERR_MSG_MAX 480		/* bytes, the final NUL included */

enum err_kind {
	ERR_NONE,
	ERR_USAGE,		/* an option or operand that cannot be used */
	ERR_HOST,		/* this machine refused something we need */
	ERR_GUEST,		/* the sandbox sent what it must not send */
	ERR_IMAGE,		/* no image, or one that cannot be used */
	ERR_BACKEND,		/* no sandbox backend works here */
	ERR_UNCONFINED,		/* a VMM runs without its own filter of system calls */
	ERR_BOOT,		/* the sandbox did not start */
	ERR_SILENT,		/* it did, and nobody in it ever spoke */
	ERR_CONFINE,		/* this process could not give up its rights */
	ERR_DIED,		/* the sandbox died before it gave a status */
	ERR_OUTPUT,		/* an output that should be kept was not */
	ERR_UNREADABLE,		/* FILE cannot be read */
	ERR_NOT_FOUND,		/* FILE does not exist */
	ERR_SESSION,		/* a session that cannot be used, or saved */
	ERR_BUSY,		/* somebody else has it */
	ERR_KINDS
};

struct err {
	enum err_kind kind;
	int sys;		/* errno when it happened, or 0 */
	char msg[ERR_MSG_MAX];
};

/* All three return -1, so that "return err_set(...)" reads well. */
int err_set(struct err *e, enum err_kind kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* As err_set, with ": " and the text of errno behind it. */
int err_sys(struct err *e, enum err_kind kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Puts "context: " in front of the message that *e holds already. */
int err_in(struct err *e, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The exit status (125 to 127) and the error.code word of KIND. */
int err_status(enum err_kind kind);
const char *err_code(enum err_kind kind);

#endif
