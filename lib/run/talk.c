/* SPDX-License-Identifier: Apache-2.0 */
/* talk - frames from the guest; see turn.h. The guest is hostile: each frame
 * is taken only in the phases where it can rightly come, and fully checked. */
#include "run/turn.h"

#include "base/clock.h"
#include "base/fd.h"
#include "base/trace.h"
#include "out/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define COLLECT_MS 30000u	/* that the guest may be silent while it collects */
#define COLLECT_ALL_MS 60000u	/* that all of it may take, and a ms more for each */
#define COLLECT_BYTES_PER_MS 4096u	/* … of the bytes that can come */
#define FAIL_MAX 300u		/* bytes of a failure that are looked at */

typedef int handler(struct turn *t, const struct frame *f, struct err *e);

/* What stands on the raw streams before the hello is the backend's own text: no
 * more than a pipe holds, whoever goes on writing. */
static void drop_boot_text(int fd)
{
	char text[4096];

	for (int left = fd_nonblock(fd, true) == 0 ? BACKEND_PIPE : 0; left > 0; left -= (int)sizeof(text))
		if (read(fd, text, sizeof(text)) <= 0)
			return;
}

static int on_hello(struct turn *t, const struct frame *f, struct err *e)
{
	struct unpacker u = unpack(f);
	uint64_t version = unpack_number(&u, 4);
	char cure[ERR_MSG_MAX];

	trace("guest: hello");
	if (unpack_end(&u, "hello", e) < 0)
		return -1;
	if (version != MSG_VERSION)
		return backend_reseal(&t->r->image, cure, sizeof(cure)),
		       err_set(e, ERR_IMAGE, "the image speaks protocol %u, this pai-exec %u%s",
			       (unsigned)version, MSG_VERSION, cure);
	if (t->making) {
		turn_enter(t, TURN_MAKE, t->plan->boot_ms);
		return 0;
	}
	drop_boot_text(t->err_fd);
	drop_boot_text(t->out_fd);
	if (stream_open(&t->r->out, fd_take(&t->out_fd), e) < 0 ||
	    stream_open(&t->r->err, fd_take(&t->err_fd), e) < 0)
		return -1;
	turn_load(t);
	/* a session's has its snapshot to make yet */
	return t->live->on ? 0 : keeper_ask(t->road->keeper.link, KEEPER_LAST, 0, e);
}

static int on_credit(struct turn *t, const struct frame *f, struct err *e)
{
	struct unpacker u = unpack(f);
	uint64_t more = unpack_number(&u, 4);

	if (unpack_end(&u, "credit", e) < 0)
		return -1;
	if (more == 0 || more > MSG_CREDIT - t->credit)
		return err_set(e, ERR_GUEST, "credit for %s than was sent", more ? "more" : "less");
	t->credit += (uint32_t)more;
	return 0;
}

/* The interpreter of a template has imported its modules: now is the time. */
static int on_ready(struct turn *t, const struct frame *f, struct err *e)
{
	if (f->len > 0 || t->saving)
		return err_set(e, ERR_GUEST, "a second ready message");
	trace("guest: template ready");
	t->saving = true;
	return keeper_ask(t->road->keeper.link, KEEPER_SAVE, 0, e);
}

static int on_started(struct turn *t, const struct frame *f, struct err *e)
{
	if (f->len > 0)
		return err_set(e, ERR_GUEST, "a started message of the wrong size");
	trace("guest: program started");
	t->r->started = true;
	t->r->started_us = clock_now_us();
	keeper_end(&t->spare->keeper);	/* what has begun is not begun again elsewhere */
	turn_enter(t, TURN_RUN, t->plan->limit[LIMIT_TIMEOUT]);
	turn_limit_keeper(t, 0);
	if (cgroup_hold_cpus(&t->choice->cgroup, e) < 0)
		return -1;
	if (t->plan->format == FORMAT_NDJSON && lines_start(t->r, e) < 0)
		return -1;
	/* a signal that came in between interrupts now */
	return t->r->cancel ? turn_interrupt(t, e) : 0;
}

/* Its CPU time is spent: it ends as at the other time limit. */
static int on_spent(struct turn *t, const struct frame *f, struct err *e)
{
	if (f->len > 0 || t->plan->limit[LIMIT_CPU_TIME] == NUM_NONE)
		return err_set(e, ERR_GUEST, "an end of CPU time that was not asked for");
	if (t->phase == TURN_RUN)
		turn_strike(t, LIMIT_CPU_TIME);
	return turn_interrupt(t, e);
}

/* The guest has sent something: it may be silent for so long again. */
static void wait_for_files(struct turn *t)
{
	turn_enter(t, TURN_COLLECT, COLLECT_MS);
	if (t->deadline_us > t->collect_us)
		t->deadline_us = t->collect_us;
}

static int on_ended(struct turn *t, const struct frame *f, struct err *e)
{
	uint64_t disk = t->plan->limit[LIMIT_DISK], most = t->plan->limit[LIMIT_MAX_OUTPUT];
	bool all = t->r->files.mirror.in.dir >= 0;	/* of /workspace, in a session */
	struct msg_ended m;

	if (msg_get_ended(f, &m, e) < 0)
		return -1;
	trace("guest: program ended");
	if (m.count > 0 && !t->live->on)
		return err_set(e, ERR_GUEST, "a kernel that rests, of no session");
	turn_limit_keeper(t, NUM_NONE);
	t->r->ended = true;
	t->r->count = m.count;
	t->r->ended_us = clock_now_us();
	t->r->signal = m.signaled ? (int)m.code : 0;
	t->r->exit_code = m.signaled ? 0 : (int)m.code;
	if (m.by == MSG_BY_MEMORY)
		turn_strike(t, LIMIT_MEMORY);
	t->r->user_us = m.user_us;
	t->r->sys_us = m.sys_us;
	t->r->peak_bytes = m.peak_bytes;
	t->collect_us = t->r->ended_us + 1000ll * (int64_t)(COLLECT_ALL_MS +
			(all || disk < most ? disk : most) / COLLECT_BYTES_PER_MS);
	wait_for_files(t);
	return 0;
}

static int on_file(struct turn *t, const struct frame *f, struct err *e)
{
	struct msg_text text;
	struct msg_file m;

	wait_for_files(t);
	return msg_get_file(f, &m, &text, e) < 0 ? -1 : outdir_file(&t->r->files, &m, e);
}

static int on_data(struct turn *t, const struct frame *f, struct err *e)
{
	wait_for_files(t);
	return outdir_data(&t->r->files, f->body, f->len, e);
}

static int on_end(struct turn *t, const struct frame *f, struct err *e)
{
	(void)f;
	return outdir_end(&t->r->files, e);
}

static int on_skipped(struct turn *t, const struct frame *f, struct err *e)
{
	wait_for_files(t);
	return outdir_skip(&t->r->files, f, e);
}

static int on_gone(struct turn *t, const struct frame *f, struct err *e)
{
	wait_for_files(t);
	return outdir_gone(&t->r->files, f, e);
}

/* The parts of one note come one after the other. */
static int on_note(struct turn *t, const struct frame *f, struct err *e)
{
	unsigned which = f->len > 1 ? f->body[0] : MSG_NOTES;

	if (which >= MSG_NOTES || !plan_wants_results(t->plan))
		return err_set(e, ERR_GUEST, "a note that was not asked for");
	struct buf *note = &t->r->note[which];
	if (note->len > 0 && which != t->note)
		return err_set(e, ERR_GUEST, "a second note of one kind");
	t->note = which;
	if (f->len - 1 > MSG_RESULT_CHUNK || note->len + f->len - 1 > MSG_NOTE_MAX)
		return err_set(e, ERR_GUEST, "a note that is too long");
	return buf_add(note, f->body + 1, f->len - 1, MSG_NOTE_MAX, e);
}

static int on_result(struct turn *t, const struct frame *f, struct err *e)
{
	if (!plan_wants_results(t->plan))
		return err_set(e, ERR_GUEST, "a result that was not asked for");
	int whole = results_take(&t->r->results, f, e);
	if (whole <= 0 || t->plan->format != FORMAT_NDJSON)
		return whole;
	/* what was printed before it was shown comes before it */
	return turn_catch_up(t, e) < 0 ? -1 : lines_result(t->r, e);
}

static int on_done(struct turn *t, const struct frame *f, struct err *e)
{
	struct unpacker u = unpack(f);
	uint64_t out = unpack_number(&u, 8), err = unpack_number(&u, 8);

	if (unpack_end(&u, "done", e) < 0)
		return -1;
	if (outdir_done(&t->r->files, e) < 0)
		return -1;
	stream_last(&t->r->out, out);
	stream_last(&t->r->err, err);
	trace("guest: all files sent");
	t->r->done_us = clock_now_us();
	turn_enter(t, TURN_DRAIN, t->hurry ? PLAN_END_MS : NUM_NONE);
	return 0;
}

/* Who gave the file that TEXT, a guest's, quotes. What waits in a session is in the way of
 * each turn until it is taken away, so it is said where it is. */
static int not_placed(const struct turn *t, const char *text, struct err *e)
{
	const struct inputs *in = t->inputs;
	struct err quoted;

	for (size_t i = 0; i < in->n; i++) {
		if (!in->at[i].waited)
			continue;
		(void)err_set(&quoted, ERR_USAGE, "'%s'", in->at[i].path);
		if (strstr(text, quoted.msg))
			return err_set(e, ERR_USAGE, "pai-session put: %s; it waits in '%s'", text, in->at[i].source);
	}
	return err_set(e, ERR_USAGE, "--input: %s", text);
}

static int on_fail(struct turn *t, const struct frame *f, struct err *e)
{
	struct err text;

	if (f->len == 0)
		return err_set(e, ERR_GUEST, "a failure without its kind");
	/* its text is a guest's: err_set() makes it printable and cuts it */
	(void)err_set(&text, ERR_BOOT, "%.*s", (int)(f->len < FAIL_MAX ? f->len - 1 : FAIL_MAX - 1),
		      (const char *)f->body + 1);
	if (t->phase <= TURN_MAKE && (t->clone || t->phase == TURN_MAKE))
		return turn_go_cold(t, true, text.msg, e);
	if (f->body[0] && t->phase <= TURN_START)
		return not_placed(t, text.msg, e);
	return err_set(e, ERR_BOOT, "the sandbox could not go on: %s", text.msg);
}

static const struct {
	handler *fn;
	enum turn_phase from, to;	/* where it may come */
} handlers[] = {
	[MSG_HELLO - MSG_HELLO] = { on_hello, TURN_BOOT, TURN_BOOT },
	[MSG_CREDIT_MORE - MSG_HELLO] = { on_credit, TURN_LOAD, TURN_KILL },
	[MSG_READY - MSG_HELLO] = { on_ready, TURN_MAKE, TURN_MAKE },
	[MSG_STARTED - MSG_HELLO] = { on_started, TURN_START, TURN_START },
	[MSG_ENDED - MSG_HELLO] = { on_ended, TURN_RUN, TURN_KILL },
	[MSG_SKIPPED - MSG_HELLO] = { on_skipped, TURN_COLLECT, TURN_COLLECT },
	[MSG_NOTE - MSG_HELLO] = { on_note, TURN_RUN, TURN_KILL },
	[MSG_DONE - MSG_HELLO] = { on_done, TURN_COLLECT, TURN_COLLECT },
	[MSG_SPENT - MSG_HELLO] = { on_spent, TURN_RUN, TURN_KILL },
	[MSG_FAIL - MSG_HELLO] = { on_fail, TURN_BOOT, TURN_COLLECT },
	[MSG_RESULT - MSG_HELLO] = { on_result, TURN_RUN, TURN_KILL },
	[MSG_GONE - MSG_HELLO] = { on_gone, TURN_COLLECT, TURN_COLLECT },
};

static int handle(struct turn *t, const struct frame *f, struct err *e)
{
	handler *fn = NULL;
	enum turn_phase from = TURN_COLLECT, to = TURN_COLLECT;

	if (f->kind == MSG_FILE || f->kind == MSG_DATA || f->kind == MSG_END) {
		fn = f->kind == MSG_FILE ? on_file : f->kind == MSG_DATA ? on_data : on_end;
	} else if (f->kind >= MSG_HELLO && f->kind <= MSG_GONE) {
		fn = handlers[f->kind - MSG_HELLO].fn;
		from = handlers[f->kind - MSG_HELLO].from;
		to = handlers[f->kind - MSG_HELLO].to;
	}
	if (!fn || t->phase < from || t->phase > to)
		return err_set(e, ERR_GUEST, "message %u at the wrong time", f->kind);
	return fn(t, f, e);
}

int talk_read(struct turn *t, bool *end, struct err *e)
{
	struct frame f;
	ssize_t used;
	size_t at = 0;

	if (buf_room(&t->from, MSG_CHUNK + FRAME_HEAD, 2 * FRAME_MAX, e) < 0)
		return -1;
	ssize_t n = read(t->ctl, t->from.at + t->from.len, t->from.cap - t->from.len);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0) {
		*end = true;
		return 0;
	}
	t->from.len += (size_t)n;
	while ((used = frame_next(t->from.at + at, t->from.len - at, &f, e)) > 0) {
		if (handle(t, &f, e) < 0)
			used = -1;
		if (used < 0 || t->ctl < 0)	/* given up: the rest is of an attempt that was */
			break;
		at += (size_t)used;
	}
	if (t->ctl < 0)
		return 0;
	buf_drop(&t->from, at);
	if (used < 0)
		return e->kind == ERR_GUEST ? err_in(e, "the sandbox sent what it must not") : -1;
	return 0;
}
