/* SPDX-License-Identifier: Apache-2.0 */
/* err - see err.h */
#include "base/err.h"

#include "base/str.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
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

/* Whatever got into the message (a file name, a guest's text), it stays one
 * line that a terminal can show. */
static void set_text(struct err *e, const char *text)
{
	str_printable(e->msg, sizeof(e->msg), text, strlen(text));
}

int err_set(struct err *e, enum err_kind kind, const char *fmt, ...)
{
	char text[ERR_MSG_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	e->kind = kind;
	e->sys = 0;
	set_text(e, text);
	return -1;
}

int err_sys(struct err *e, enum err_kind kind, const char *fmt, ...)
{
	int sys = errno;
	char text[ERR_MSG_MAX];
	va_list ap;

	va_start(ap, fmt);
	int n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (n >= 0 && (size_t)n < sizeof(text))
		snprintf(text + n, sizeof(text) - (size_t)n, ": %s", strerror(sys));
	e->kind = kind;
	e->sys = sys;
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
