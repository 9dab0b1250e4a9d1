/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/msg.h"
#include "tap.h"

#include <string.h>

static int path_ok(const char *p)
{
	return msg_path_ok(p, strlen(p));
}

static void statuses(void)
{
	uint8_t body[256];
	struct err e = { 0 };
	struct frame f;
	ssize_t n;

	struct msg_ended end = { .signaled = 1, .code = 9, .user_us = 1ull << 40 }, back;
	n = msg_put_ended(&end, body, sizeof(body), &e);
	f = (struct frame){ MSG_ENDED, (uint32_t)n, body };
	OK(msg_get_ended(&f, &back, &e) == 0 && back.code == 9 && back.user_us == 1ull << 40, "a status");
	end.code = 0;
	n = msg_put_ended(&end, body, sizeof(body), &e);
	OK(msg_get_ended(&f, &back, &e) < 0, "killed by signal 0 is no status");
	end = (struct msg_ended){ .code = 256 };
	n = msg_put_ended(&end, body, sizeof(body), &e);
	OK(msg_get_ended(&f, &back, &e) < 0, "256 is no status");
}

static void runs(void)
{
	uint8_t body[1024];
	struct msg_text t;
	struct err e = { 0 };
	struct frame f;
	ssize_t n;

	struct msg_run run = { .version = MSG_VERSION, .cpus = 1, .pids = 2, .hostname = "h", .shown = "s",
			       .file = "", .context = "" }, got;
	n = msg_put_run(&run, body, sizeof(body), &e);
	f = (struct frame){ MSG_RUN, (uint32_t)n, body };
	OK(msg_get_run(&f, &got, &t, &e) == 0 && !strcmp(got.shown, "s") && got.pids == 2, "a run");
	run.file = "a/b";
	n = msg_put_run(&run, body, sizeof(body), &e);
	f.len = (uint32_t)n;
	OK(msg_get_run(&f, &got, &t, &e) < 0, "a program in a folder is none");
	run.version++;
	n = msg_put_run(&run, body, sizeof(body), &e);
	OK(msg_get_run(&f, &got, &t, &e) < 0 && strstr(e.msg, "protocol"), "another version");
}

int main(void)
{
	static const char *const good[] = { "a", "a/b", ".hidden", "-rf", "a b/\xff", "...", "..a/.b" };
	static const char *const bad[] = { "", ".", "..", "/", "/a", "a/", "a//b", "a/./b", "a/../b",
					   "../a", "a/.." };
	uint8_t body[16384], wire[16384];
	char longest[300];
	struct msg_text t;
	struct err e = { 0 };
	struct frame f;

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		OK(path_ok(good[i]), good[i]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		OK(!path_ok(bad[i]), bad[i]);
	OK(!msg_path_ok("a\0b", 3), "a name with a NUL");
	memset(longest, 'x', sizeof(longest));
	OK(msg_path_ok(longest, 255) && !msg_path_ok(longest, 256), "a name of 256 bytes");

	struct msg_file in = { .type = MSG_REGULAR, .mode = 0640, .size = 5, .mtime = 7, .path = "d/f", .target = "" }, out;
	ssize_t n = msg_put_file(&in, body, sizeof(body), &e);
	frame_head(wire, MSG_FILE, (uint32_t)n);
	memcpy(wire + FRAME_HEAD, body, (size_t)n);
	OK(frame_next(wire, (size_t)n + FRAME_HEAD - 1, &f, &e) == 0, "a frame that is not whole yet");
	OK(frame_next(wire, (size_t)n + FRAME_HEAD, &f, &e) == n + FRAME_HEAD, "a whole frame");
	OK(msg_get_file(&f, &out, &t, &e) == 0 && out.mode == 0640 && out.size == 5 && out.mtime == 7 &&
	   !strcmp(out.path, "d/f"), "a file message comes back as it went");
	f.len--;
	OK(msg_get_file(&f, &out, &t, &e) < 0 && e.kind == ERR_GUEST, "cut short, it is refused");
	f.len += 2;
	OK(msg_get_file(&f, &out, &t, &e) < 0, "with a byte too many too");
	in.mode = 04755;
	n = msg_put_file(&in, body, sizeof(body), &e);
	f = (struct frame){ MSG_FILE, (uint32_t)n, body };
	OK(msg_get_file(&f, &out, &t, &e) < 0, "set-uid is no mode");
	in.mode = 0644, in.path = "../x";
	n = msg_put_file(&in, body, sizeof(body), &e);
	f.len = (uint32_t)n;
	OK(msg_get_file(&f, &out, &t, &e) < 0 && strstr(e.msg, "'../x'"), "a path upward is named");
	frame_head(wire, 1, FRAME_MAX + 1);
	OK(frame_next(wire, sizeof(wire), &f, &e) < 0 && e.kind == ERR_GUEST, "a frame that is too large");

	OK(frame_next(wire, 0, &f, &e) == 0, "nothing is no frame yet");
	statuses();
	runs();
	return TAP_DONE();
}
