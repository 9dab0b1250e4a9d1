/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"
#include "base/str.h"
#include "out/term.h"
#include "tap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int shows(const char *in, size_t n, const char *want)
{
	char out[64];

	str_printable(out, sizeof(out), in, n);
	return !strcmp(out, want);
}

/* The filter's answer for IN, fed in pieces of STEP bytes. */
static size_t filtered(const char *in, size_t n, size_t step, char *out)
{
	struct term t = { 0 };
	size_t done = 0;

	for (size_t at = 0; at < n; at += step) {
		size_t part = n - at < step ? n - at : step;

		done += term_filter(&t, (const uint8_t *)in + at, part, at + part == n,
				    (uint8_t *)out + done);
	}
	out[done] = 0;
	return done;
}

static int term_is(const char *in, size_t n, const char *want)
{
	char out[1024];

	for (size_t step = 1; step <= n; step++) {
		filtered(in, n, step, out);
		if (strcmp(out, want)) {
			printf("# step %zu: '%s'\n", step, out);
			return 0;
		}
	}
	return 1;
}
#define TERM(in, want) term_is(in, sizeof(in) - 1, want)

int main(void)
{
	struct buf b = { 0 };
	struct err e = { 0 };
	char small[6];

	OK(shows("a\nb", 3, "a\\x0ab"), "a newline in a message is shown");
	OK(shows("\xc3\xa9", 2, "\xc3\xa9"), "UTF-8 stays");
	OK(shows("\xe9", 1, "\\xe9"), "other bytes are shown");
	OK(shows("\xc2\x9b", 2, "\\xc2\\x9b"), "C1 control characters are shown");
	OK(shows("\xc0\x80", 2, "\\xc0\\x80"), "an overlong character is none");
	OK(shows("\xed\xa0\x80", 3, "\\xed\\xa0\\x80"), "a surrogate is none");
	OK(str_printable(small, sizeof(small), "abc\xc3\xa9\xc3\xa9", 7) == 5, "cut between characters");
	OK(buf_add(&b, "abc", 3, 4, &e) == 0 && buf_add(&b, "de", 2, 4, &e) < 0 && b.len == 3,
	   "a buffer keeps its ceiling");
	buf_drop(&b, 2);
	OK(b.len == 1 && b.at[0] == 'c', "what is dropped is the front");
	buf_free(&b);
	OK(str_distance("", "") == 0 && str_distance("timeout", "timeout") == 0 &&
	   str_distance("time-out", "timeout") == 1 && str_distance("kernel", "kernels") == 1 &&
	   str_distance("mermoy", "memory") == 2 && str_distance("", "abc") == 3 &&
	   str_distance("abc", "") == 3, "the distance of two words");
	errno = ENOENT;
	err_sys(&e, ERR_HOST, "open '%s'", "x\ny");
	OK(!strcmp(e.msg, "open 'x\\x0ay': No such file or directory"), "an error is one line");
	err_in(&e, "--input");
	OK(!strncmp(e.msg, "--input: open", 13) && e.kind == ERR_HOST, "context comes in front");
	OK(err_status(ERR_NOT_FOUND) == 127 && err_status(ERR_GUEST) == 125, "kinds have statuses");
	OK(TERM("plain\ttext\r\n\b", "plain\ttext\r\n\b"), "text passes to a terminal");
	OK(TERM("\x1b[1;31mred\x1b[0m", "\x1b[1;31mred\x1b[0m"), "colours pass");
	OK(TERM("\x1b]0;title\x07", "\\x1b]0;title\\x07"), "a title does not");
	OK(TERM("\x1b[2J\x1b[H", "\\x1b[2J\\x1b[H"), "clearing the screen does not");
	OK(TERM("\x1b", "\\x1b"), "an escape at the end is shown");
	OK(TERM("\x1b\x1b[0m", "\\x1b\x1b[0m"), "an escape before a colour");
	OK(TERM("\xe2\x82\xac\xff\xe2\x82", "\xe2\x82\xac\\xff\\xe2\\x82"), "UTF-8 across cuts");
	OK(TERM("\xc2\x9b" "31m", "\\xc2\\x9b31m"), "C1 is shown");
	OK(TERM("\x1b[111111111111111111111111111111111111m",
		"\\x1b[111111111111111111111111111111111111m"), "a colour without end is none");
	OK(TERM("\0\x05\x0e\x7f", "\\x00\\x05\\x0e\\x7f"), "NUL, ENQ, SO, DEL are shown");
	return TAP_DONE();
}
