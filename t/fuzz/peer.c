/* SPDX-License-Identifier: Apache-2.0 */
/* peer - see peer.h */
#include "peer.h"

#include "base/clock.h"
#include "base/fd.h"
#include "out/lines.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define RECORD_MAX (1u << 20)
#define OPS 36u			/* that a script has */
#define IDLE_MAX 50u		/* steps that a turn may take to its end when all is closed */

void peer_begin(struct peer *p, struct bytes script, unsigned backend, int link, int sig)
{
	*p = (struct peer){ .script = script, .backend = backend, .time_us = 1000000, .link = link,
			    .sig = sig, .ctl = -1, .stream = { { .from = -1, .to = -1 }, { .from = -1, .to = -1 } } };
}

static void record(struct buf *b, const void *data, size_t n)
{
	struct err e;

	MUST(buf_add(b, data, n, RECORD_MAX, &e) == 0);
}

/* To the host, as far as it takes it. */
static void put(struct peer *p, const void *data, size_t n)
{
	ssize_t sent = p->ctl < 0 ? -1 : send(p->ctl, data, n, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (sent > 0)
		record(&p->sent, data, (size_t)sent);
}

static void put_frame(struct peer *p, unsigned kind, const void *body, size_t n)
{
	uint8_t frame[FRAME_HEAD + 8192];

	MUST(n <= sizeof(frame) - FRAME_HEAD);
	frame_head(frame, (uint8_t)kind, (uint32_t)n);
	memcpy(frame + FRAME_HEAD, body, n);
	put(p, frame, FRAME_HEAD + n);
}

static void put_number(struct peer *p, unsigned kind, uint64_t v, unsigned bytes)
{
	uint8_t body[8];
	struct packer k = { .at = body, .cap = sizeof(body) };

	pack_number(&k, v, bytes);
	put_frame(p, kind, body, k.len);
}

static void shut(struct peer *p)
{
	fd_closep(&p->ctl);
	for (int i = 0; i < PEER_STREAMS; i++)
		fd_closep(&p->stream[i].from);
}

static void tell(struct peer *p, enum keeper_what what, uint32_t attempt, bool clone, bool fails,
		 const int *fd, int n)
{
	struct keeper_msg m = { .what = what, .attempt = attempt, .backend = p->backend, .clone = clone };
	struct err e;

	if (fails)
		(void)err_set(&m.err, ERR_BOOT, "it was so in the script");
	if (p->link >= 0)
		(void)keeper_send(p->link, &m, fd, n, &e);
}

static void attempt(struct peer *p, bool clone)
{
	int ctl[2], out[2], err[2];

	shut(p);
	p->sent.len = p->got.len = 0;
	p->fed = p->granted = 0;
	p->greeted = p->start_came = false;
	MUST(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ctl) == 0);
	MUST(pipe2(out, O_CLOEXEC) == 0 && pipe2(err, O_CLOEXEC) == 0);
	const int fd[] = { ctl[0], out[0], err[0] };
	tell(p, KEEPER_ATTEMPT, ++p->attempt, clone, false, fd, KEEPER_FDS);
	for (int i = 0; i < KEEPER_FDS; i++)
		close(fd[i]);
	p->ctl = ctl[1];
	p->stream[0].from = out[1];
	p->stream[1].from = err[1];
	for (int i = 0; i < PEER_STREAMS; i++) {
		p->stream[i].written.len = p->stream[i].before_hello = p->stream[i].before_done = 0;
		MUST(fd_nonblock(p->stream[i].from, true) == 0);
	}
}

/* An attempt that was given up comes after all, and does nothing. */
static void attempt_late(struct peer *p)
{
	int pair[2];

	MUST(pipe2(pair, O_CLOEXEC) == 0);
	const int fd[] = { pair[0], pair[0], pair[0] };
	if (p->attempt > 1)
		tell(p, KEEPER_ATTEMPT, p->attempt - 1, true, false, fd, KEEPER_FDS);
	close(pair[0]);
	close(pair[1]);
}

/* True if there is a new attempt, of which the turn has yet to hear. */
static bool answer_asks(struct peer *p)
{
	uint32_t before = p->attempt;
	struct keeper_word word;

	if (p->attempt == 0)
		attempt(p, p->turn->clone);

	while (p->link >= 0 && recv(p->link, &word, sizeof(word), MSG_DONTWAIT) == sizeof(word)) {
		MUST(word.what == KEEPER_SAVE || word.what == KEEPER_NEXT || word.what == KEEPER_CLONE ||
		     word.what == KEEPER_LIMIT || word.what == KEEPER_LAST || word.what == KEEPER_AGAIN ||
		     word.what == KEEPER_KEEP);
		/* a keeper without rights starts nothing */
		MUST(!p->last || word.what == KEEPER_LIMIT);
		p->last |= word.what == KEEPER_LAST;
		if (word.what == KEEPER_SAVE || word.what == KEEPER_KEEP)
			p->asked_save = true;
		else if (word.what != KEEPER_LIMIT && word.what != KEEPER_LAST)
			attempt(p, word.what == KEEPER_CLONE);
	}
	return p->attempt != before;
}

/* What the host sends is in order, and never more than it has credit for. */
static void read_host(struct peer *p)
{
	uint8_t chunk[65536];
	ssize_t n = p->ctl < 0 ? -1 : recv(p->ctl, chunk, sizeof(chunk), MSG_DONTWAIT), used;
	struct frame f;
	struct err e;
	size_t at = 0;

	if (n <= 0)
		return;
	record(&p->got, chunk, (size_t)n);
	while ((used = frame_next(p->got.at + at, p->got.len - at, &f, &e)) > 0) {
		MUST(f.kind >= MSG_RUN && f.kind <= MSG_EXCLUDE);
		MUST(f.kind != MSG_START || (!p->start_came && p->greeted));
		MUST(p->start_came || (f.kind != MSG_STDIN && f.kind != MSG_STDIN_END));
		p->start_came |= f.kind == MSG_START;
		if (f.kind == MSG_DATA || f.kind == MSG_STDIN)
			p->fed += f.len;
		MUST(p->fed <= MSG_CREDIT + p->granted);
		at += (size_t)used;
	}
	MUST(used == 0);
	buf_drop(&p->got, at);
}

void peer_read(struct peer *p)
{
	uint8_t chunk[4096];
	ssize_t n;

	for (int i = 0; i < PEER_STREAMS; i++)
		while (p->stream[i].to >= 0 && (n = read(p->stream[i].to, chunk, sizeof(chunk))) > 0)
			record(&p->stream[i].came, chunk, (size_t)n);
}

/* Where the turn is tells how much of the streams is whose. */
static void look(struct peer *p)
{
	bool greets = !p->greeted && p->turn->phase >= TURN_LOAD;

	p->greeted |= greets;
	for (int i = 0; i < PEER_STREAMS; i++) {
		struct peer_stream *s = &p->stream[i];

		if (greets)
			s->before_hello = s->written.len;
		if (p->turn->phase < TURN_DRAIN)
			s->before_done = s->written.len;
	}
}

static void write_stream(struct peer *p, int i)
{
	struct peer_stream *s = &p->stream[i];
	size_t n = bytes_one(&p->script);
	uint8_t text[4096];

	n = n > 200 ? (n - 200) * 64 : n;
	for (size_t k = 0; k < n; k++)		/* each place has its own look */
		text[k] = (uint8_t)((s->written.len + k) * 131 >> 3);
	ssize_t put_in = s->from < 0 ? -1 : write(s->from, text, n);
	if (put_in > 0)
		record(&s->written, text, (size_t)put_in);
}

static void say_ended(struct peer *p)
{
	uint8_t how = bytes_one(&p->script), body[64];
	struct msg_ended m = { .signaled = how & 1, .by = how >> 1 & 3, .code = bytes_one(&p->script),
			       .peak_bytes = how, .count = how >> 3 & 1 };
	struct err e;
	ssize_t n = msg_put_ended(&m, body, sizeof(body), &e);

	put_frame(p, MSG_ENDED, body, (size_t)n);
}

static void say_done(struct peer *p, bool counted)
{
	uint8_t body[16];
	struct packer k = { .at = body, .cap = sizeof(body) };
	uint8_t how = counted ? bytes_one(&p->script) : 0;

	for (int i = 0; i < PEER_STREAMS; i++) {
		const struct peer_stream *s = &p->stream[i];
		uint64_t right = s->written.len - s->before_hello;

		pack_number(&k, !counted ? MSG_UNCOUNTED : how & (1u << i) ? bytes_number(&p->script, 8) : right, 8);
	}
	put_frame(p, MSG_DONE, body, k.len);
}

static void say_file(struct peer *p, bool whole)
{
	uint8_t how = bytes_one(&p->script), body[2 * BYTES_PATH];
	size_t n = bytes_one(&p->script);
	char path[BYTES_PATH];
	struct err e;

	bytes_path(&p->script, path);
	struct msg_file m = { .type = how & 7 ? MSG_REGULAR : how & 8 ? MSG_FOLDER : MSG_LINK,
			      .place = (how & 0x30) == 0x30 ? MSG_AS_INPUT : MSG_IN_WORKSPACE,
			      .mode = 0100 | how, .size = whole ? n : bytes_number(&p->script, 8),
			      .path = path, .target = how & 15 ? "" : "../victim" };
	ssize_t len = msg_put_file(&m, body, sizeof(body), &e);
	put_frame(p, MSG_FILE, body, (size_t)len);
	if (!whole || m.type != MSG_REGULAR)
		return;
	memset(body, how, n);
	if (n > 0)
		put_frame(p, MSG_DATA, body, n);
	put_frame(p, MSG_END, "", 0);
}

static void say_skipped(struct peer *p)
{
	uint8_t body[BYTES_PATH + 16];
	struct packer k = { .at = body, .cap = sizeof(body) };
	char path[BYTES_PATH];

	pack_number(&k, bytes_one(&p->script) % (MSG_SKIPS + 1), 1);
	bytes_path(&p->script, path);
	pack_bytes(&k, path, strlen(path));
	put_frame(p, MSG_SKIPPED, body, k.len);
}

static void say_gone(struct peer *p)
{
	uint8_t body[BYTES_PATH + 16];
	struct packer k = { .at = body, .cap = sizeof(body) };
	char path[BYTES_PATH];

	bytes_path(&p->script, path);
	pack_bytes(&k, path, strlen(path));
	put_frame(p, MSG_GONE, body, k.len);
}

static void say_any(struct peer *p, unsigned kind)
{
	size_t n = bytes_one(&p->script);
	const uint8_t *at = bytes_some(&p->script, &n);

	if (kind)
		put_frame(p, kind, at, n);
	else
		put(p, at, n);
}

/* One that is whole, of one key. */
static void say_result(struct peer *p)
{
	uint8_t key = bytes_one(&p->script), body[2] = { MSG_RESULT_BEGIN, key >> 7 };
	size_t n = bytes_one(&p->script);
	const uint8_t *at = bytes_some(&p->script, &n);
	uint8_t part[256] = { (uint8_t)(MSG_TEXT + (key & 127) % MSG_EXTRA) };

	put_frame(p, MSG_RESULT, body, 2);
	memcpy(part + 1, at, n);
	put_frame(p, MSG_RESULT, part, n + 1);
	body[0] = MSG_RESULT_END;
	put_frame(p, MSG_RESULT, body, 1);
}

static void say_credit(struct peer *p)
{
	uint64_t more = bytes_number(&p->script, 3);

	p->granted += more;
	put_number(p, MSG_CREDIT_MORE, more, 4);
}

/* True if the turn waits for the user, who may take as long as he likes. */
static bool waits_for_user(const struct turn *t)
{
	return (t->phase == TURN_LOAD && t->inputs->from_stdin) ||
	       (t->phase == TURN_RUN && t->plan->limit[LIMIT_TIMEOUT] == NUM_NONE) ||
	       (t->phase == TURN_DRAIN && (lines_wait(t->r) || t->r->out.state == STREAM_BLOCKED || t->r->err.state == STREAM_BLOCKED));
}

static void pass_time(struct peer *p, int64_t at_us)
{
	/* a guest that is silent for ever costs a time that is known */
	MUST(at_us != CLOCK_NEVER || waits_for_user(p->turn));
	if (at_us != CLOCK_NEVER && at_us > p->time_us)
		p->time_us = at_us;
}

static void interrupt(struct peer *p)
{
	struct signalfd_siginfo si = { .ssi_signo = bytes_one(&p->script) & 1 ? SIGTERM : SIGINT };

	p->signalled = true;
	(void)!write(p->sig, &si, sizeof(si));
}

static void keeper_says(struct peer *p, unsigned what)
{
	uint8_t how = bytes_one(&p->script);

	if (what == KEEPER_ENDED)
		tell(p, KEEPER_ENDED, how & 1 ? p->attempt : p->attempt - 1, false, true, NULL, 0);
	else if (what == KEEPER_FAILED)
		tell(p, KEEPER_FAILED, p->attempt, p->turn->clone && p->turn->phase == TURN_BOOT, true, NULL, 0);
	else if (p->asked_save)
		tell(p, KEEPER_SAVED, p->attempt, false, how & 1, NULL, 0), p->saved = !(how & 1);
	if (what == KEEPER_SAVED)
		p->asked_save = false;
}

static void die(struct peer *p)
{
	tell(p, KEEPER_ENDED, p->attempt, false, true, NULL, 0);
	shut(p);
}

/* It stops to speak, but goes on to listen. (Without a word of the keeper's the
 * turn would wait for one, in true time.) */
static void half_die(struct peer *p)
{
	tell(p, KEEPER_ENDED, p->attempt, false, true, NULL, 0);
	(void)shutdown(p->ctl, SHUT_WR);
}

static void guest_says(struct peer *p, unsigned op)
{
	static const uint8_t text[] = "\0no such thing \x1b[2J\n\xff";

	switch (op) {
	case 0: put_number(p, MSG_HELLO, MSG_VERSION, 4); break;
	case 1: put_frame(p, MSG_STARTED, "", 0); break;
	case 2: say_ended(p); break;
	case 3: say_done(p, false); break;
	case 4: say_done(p, true); break;
	case 5: say_file(p, true); break;
	case 6: say_file(p, false); break;
	case 7: say_any(p, MSG_DATA); break;
	case 8: put_frame(p, MSG_END, "", 0); break;
	case 9: say_skipped(p); break;
	case 10: say_any(p, MSG_NOTE); break;
	case 11: say_credit(p); break;
	case 12: put_frame(p, MSG_FAIL, text, sizeof(text)); break;
	case 13: put_frame(p, MSG_READY, "", 0); break;
	case 14: say_any(p, 0); break;
	case 31: put_frame(p, MSG_SPENT, "", 0); break;
	case 32: say_result(p); break;
	case 33: say_any(p, MSG_RESULT); break;
	case 34: say_gone(p); break;
	default: say_any(p, bytes_one(&p->script) | 1); break;
	}
}

static void play(struct peer *p, unsigned op, int64_t at_us)
{
	switch (op) {
	case 16: case 17: write_stream(p, (int)op - 16); break;
	case 18: case 19: fd_closep(&p->stream[op - 18].from); break;
	case 20: die(p); break;
	case 21: half_die(p); break;
	case 22: pass_time(p, at_us); break;
	case 23: p->time_us += 1000 * (1 + (int64_t)bytes_number(&p->script, 2)); break;
	case 24: interrupt(p); break;
	case 25: keeper_says(p, KEEPER_ENDED); break;
	case 26: keeper_says(p, KEEPER_FAILED); break;
	case 27: keeper_says(p, KEEPER_SAVED); break;
	case 28: p->reader_sleeps = !p->reader_sleeps; break;
	case 29:
		p->reader_left |= p->stream[0].to >= 0;
		fd_closep(&p->stream[0].to);
		break;
	case 30: fd_closep(&p->link); break;
	case 35: attempt_late(p); break;
	default: guest_says(p, op); break;
	}
}

void peer_step(struct peer *p, int64_t at_us)
{
	bool anew = answer_asks(p);

	look(p);
	read_host(p);
	if (!p->reader_sleeps)
		peer_read(p);
	if (anew)
		return;
	if (p->script.left > 0) {
		play(p, bytes_one(&p->script) % OPS, at_us);
		return;
	}
	/* the script is at its end: so is the sandbox, and then only time passes */
	p->reader_sleeps = false;
	MUST(p->idle++ < IDLE_MAX);
	if (p->asked_save)
		keeper_says(p, KEEPER_SAVED);
	else if (p->ctl >= 0)
		die(p);
	else
		pass_time(p, at_us);
}

void peer_end(struct peer *p)
{
	shut(p);
	fd_closep(&p->link);
	fd_closep(&p->sig);
	buf_free(&p->sent);
	buf_free(&p->got);
	for (int i = 0; i < PEER_STREAMS; i++) {
		fd_closep(&p->stream[i].to);
		buf_free(&p->stream[i].written);
		buf_free(&p->stream[i].came);
	}
}
