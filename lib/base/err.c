/* SPDX-License-Identifier: Apache-2.0 */
/* err - see err.h */
#include "base/err.h"

#include "base/str.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *code;
	int status;
} kinds[ERR_KINDS] = {
	[ERR_NONE] = { "none", 0 },
	[ERR_USAGE] = { "usage", 125 },
	[ERR_HOST] = { "host", 125 },
	[ERR_GUEST] = { "bad_protocol", 125 },
	[ERR_IMAGE] = { "image_missing", 125 },
	[ERR_BACKEND] = { "no_backend", 125 },
	[ERR_UNCONFINED] = { "vmm_unconfined", 125 },
	[ERR_BOOT] = { "boot_failed", 125 },
	[ERR_SILENT] = { "boot_failed", 125 },
	[ERR_CONFINE] = { "confine_failed", 125 },
	[ERR_DIED] = { "sandbox_died", 125 },
	[ERR_OUTPUT] = { "output", 125 },
	[ERR_UNREADABLE] = { "unreadable", 126 },
	[ERR_NOT_FOUND] = { "not_found", 127 },
	[ERR_SESSION] = { "session_unusable", 125 },
	[ERR_BUSY] = { "session_busy", 125 },
};

int err_status(enum err_kind kind)
{
	return kind < ERR_KINDS ? kinds[kind].status : 125;
}

const char *err_code(enum err_kind kind)
{
	return kind < ERR_KINDS ? kinds[kind].code : "host";
}

#define HEAD_MAX 180		/* bytes that are left of the start of a message too long */
#define TAIL_MAX 200		/* and of its end, which says what is wrong and what to do */

/* Whatever got into the message (a file name, a guest's text), it stays one
 * line that a terminal can show. */
static void set_text(struct err *e, const char *text)
{
	size_t n = strlen(text), at = 0;

	if (n >= sizeof(e->msg)) {
		at = str_printable(e->msg, HEAD_MAX, text, n);
		at += (size_t)snprintf(e->msg + at, sizeof(e->msg) - at, "…");
		text += n - TAIL_MAX;
		while ((*text & 0xc0) == 0x80)	/* within a character */
			text++;
	}
	str_printable(e->msg + at, sizeof(e->msg) - at, text, strlen(text));
}

static void __attribute__((format(printf, 3, 0)))
set(struct err *e, enum err_kind kind, const char *fmt, va_list ap)
{
	char text[ERR_MSG_MAX], *whole = NULL;
	va_list again;

	va_copy(again, ap);
	int n = vsnprintf(text, sizeof(text), fmt, ap);
	if (n >= (int)sizeof(text) && vasprintf(&whole, fmt, again) < 0)
		whole = NULL;		/* then its start must do */
	va_end(again);
	e->kind = kind;
	e->sys = 0;
	set_text(e, whole ? whole : text);
	free(whole);
}

int err_set(struct err *e, enum err_kind kind, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	set(e, kind, fmt, ap);
	va_end(ap);
	return -1;
}

int err_sys(struct err *e, enum err_kind kind, const char *fmt, ...)
{
	char text[2 * ERR_MSG_MAX];
	int sys = errno;
	va_list ap;

	va_start(ap, fmt);
	set(e, kind, fmt, ap);
	va_end(ap);
	e->sys = sys;
	snprintf(text, sizeof(text), "%s: %s", e->msg, strerror(sys));
	set_text(e, text);
	return -1;
}

int err_in(struct err *e, const char *fmt, ...)
{
	char text[2 * ERR_MSG_MAX];
	va_list ap;

	va_start(ap, fmt);
	int n = vsnprintf(text, ERR_MSG_MAX, fmt, ap);
	va_end(ap);
	if (n < 0)
		return -1;
	size_t at = strlen(text);
	snprintf(text + at, sizeof(text) - at, ": %s", e->msg);
	set_text(e, text);
	return -1;
}
