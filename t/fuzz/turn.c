/* SPDX-License-Identifier: Apache-2.0 */
/* A hostile guest plays a script against the real turn: frames, streams, its end,
 * and the passing of time (peer.h). Whatever it plays, the run ends, with one
 * verdict, which the first status that the guest sent bears out; the bytes that
 * came are the bytes that went; caps and credit hold; nothing is planted, nor left open. */
#include "peer.h"
#include "scratch.h"
#include "target.h"

/* The peer, which is the keeper, sees the turn. */
#include "run/turn.h"
#define turn_take peer_turn_take
static int peer_turn_take(struct turn *t, struct err *e);
#include "run/run.c"
#undef turn_take

#include "state/tree.h"

#include <fcntl.h>
#include <jansson.h>
#include <nettle/base64.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>

#define FILES_MAX 4		/* --max-files */
#define OUTPUT_MAX 300		/* --max-output */
#define CAPTURE_MAX 100		/* bytes of a stream in JSON */
#define SESSION "s"
#define LARGE (400u << 10)	/* more than the first credit */

static struct peer peer;	/* the one that plays: the clock is its */

int64_t clock_now_us(void)
{
	return peer.time_us;
}

/* The turn is about to wait; with this peer it need not. */
int clock_poll_ms(int64_t at_us)
{
	peer_step(&peer, at_us);
	return 0;
}

static int peer_turn_take(struct turn *t, struct err *e)
{
	peer.turn = t;
	return turn_take(t, e);
}

/* What the guest of the last attempt said of the program's end. */
struct said {
	bool started, ended, done, files, spent;
	struct msg_ended end;
	uint64_t bytes[PEER_STREAMS];
};

static struct said what_was_said(const struct buf *sent)
{
	struct said s = { 0 };
	struct frame f;
	struct err e;
	size_t at = 0;
	ssize_t used;

	if (sent->len == 0)
		return s;
	while ((used = frame_next(sent->at + at, sent->len - at, &f, &e)) > 0) {
		struct unpacker u = unpack(&f);

		s.started |= f.kind == MSG_STARTED;
		s.files |= f.kind == MSG_FILE || f.kind == MSG_GONE;
		s.spent |= f.kind == MSG_SPENT;
		if (f.kind == MSG_DONE && s.ended && !s.done) {
			s.bytes[0] = unpack_number(&u, 8);
			s.bytes[1] = unpack_number(&u, 8);
			s.done = !u.bad;
		}
		if (f.kind == MSG_ENDED && !s.ended)
			s.ended = msg_get_ended(&f, &s.end, &e) == 0;
		at += (size_t)used;
	}
	return s;
}

static void check_verdict(const struct result *r, int rc, const struct err *e, const struct said *s, bool oom)
{
	bool normal = rc == 0 && (r->status == RESULT_OK || r->status == RESULT_ERROR ||
				  r->status == RESULT_SIGNAL);

	MUST(rc == 0 || (e->kind != ERR_NONE && *e->msg));
	MUST(rc == 0 || e->kind != ERR_GUEST || strstr(e->msg, "the sandbox sent what it must not: ") == e->msg);
	MUST(!r->started || s->started);
	MUST(!r->ended || (r->started && s->ended));
	if (r->ended)
		MUST(s->end.signaled ? r->signal == (int)s->end.code : r->exit_code == (int)s->end.code && !r->signal);
	if (normal)
		MUST(r->ended && s->done && s->end.by != MSG_BY_MEMORY && r->files.losses == 0);
	if (rc == 0 && r->status == RESULT_MEMORY)
		MUST(oom || s->end.by == MSG_BY_MEMORY);
	if (rc == 0 && r->status == RESULT_TIMEOUT)
		MUST(r->started && (s->spent || peer.time_us - r->started_us >= 60000000));
	if (r->cancel)
		MUST(peer.signalled || peer.reader_left);
}

/* Of the bytes of one stream what a line has. */
static void add_line_bytes(struct buf *got, const json_t *line)
{
	const char *text = json_string_value(json_object_get(line, "text"));
	const char *data = json_string_value(json_object_get(line, "data"));
	size_t n = json_string_length(json_object_get(line, text ? "text" : "data"));
	struct base64_decode_ctx ctx;
	struct err e;

	MUST(!text != !data && n > 0 && buf_room(got, n, SIZE_MAX, &e) == 0);
	if (text) {
		MUST(buf_add(got, text, n, SIZE_MAX, &e) == 0);
		return;
	}
	size_t len = BASE64_DECODE_LENGTH(n);
	base64_decode_init(&ctx);
	MUST(base64_decode_update(&ctx, &len, got->at + got->len, n, data) && base64_decode_final(&ctx));
	got->len += len;
}

/* Each line is an object, the first says start; GOT: the streams' bytes in them, with
 * what waits for the rest of its character. */
static void read_lines(const struct result *r, struct buf *came, struct buf got[PEER_STREAMS])
{
	const struct stream *s[] = { &r->out, &r->err };
	size_t left = r->lines.state == STREAM_BLOCKED ? r->lines.held.len - r->lines.at : 0, results = 0;
	struct err e;

	MUST(left == 0 || buf_add(came, r->lines.held.at + r->lines.at, left, SIZE_MAX, &e) == 0);
	for (size_t at = 0, n; at < came->len; at += n) {
		const uint8_t *end = memchr(came->at + at, '\n', came->len - at);

		MUST(end);
		n = (size_t)(end - (came->at + at)) + 1;
		json_t *line = json_loadb((char *)came->at + at, n, JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL, NULL);
		const char *type = json_string_value(json_object_get(line, "type"));
		MUST(type && (at == 0) == !strcmp(type, "start"));
		results += !strcmp(type, "result");
		if (!strncmp(type, "std", 3))
			add_line_bytes(&got[!strcmp(type, "stderr")], line);
		json_decref(line);
	}
	MUST((came->len > 0) == r->started && r->results.n == 0 && (!results || r->started));
	for (int i = 0; i < PEER_STREAMS; i++)
		MUST(buf_add(&got[i], s[i]->held.at, s[i]->held.len, SIZE_MAX, &e) == 0);
}

static void check_stream(const struct stream *s, const struct peer_stream *p, const struct buf *came,
			 bool normal, uint64_t said)
{
	bool json = s->kind == STREAM_CAPTURE;
	size_t begin = peer.greeted ? p->before_hello : p->written.len, could = p->written.len - begin;

	/* a stream that was dropped half-way counts on */
	MUST(s->bytes <= could && came->len <= s->bytes);
	MUST(came->len == 0 || !memcmp(came->at, p->written.at + begin, came->len));
	if (!normal)
		return;
	/* of a guest that announces less than it wrote, what it announced */
	MUST(s->bytes >= (said == MSG_UNCOUNTED ? p->before_done - begin : said));
	/* who leaves when all is written takes nothing, and nobody hears of it */
	MUST(peer.reader_left || came->len == (json && s->bytes > CAPTURE_MAX ? CAPTURE_MAX : s->bytes));
}

static void check_streams(const struct result *r, const struct said *said, bool normal)
{
	const struct stream *s[] = { &r->out, &r->err };
	struct buf got[PEER_STREAMS] = { { 0 } };

	bool lines = r->lines.to >= 0;

	if (lines && !peer.reader_left)
		read_lines(r, &peer.stream[0].came, got);
	for (int i = 0; i < PEER_STREAMS; i++)
		check_stream(s[i], &peer.stream[i], lines ? &got[i] : s[i]->kind == STREAM_CAPTURE ? &s[i]->held
			     : &peer.stream[i].came, normal && !(lines && peer.reader_left), said->bytes[i]);
	for (int i = 0; i < PEER_STREAMS; i++)
		buf_free(&got[i]);
}

static void check_files(const struct outdir *d)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < d->files; i++)
		MUST(!__builtin_add_overflow(sum, d->file[i].size, &sum));
	MUST(d->files <= FILES_MAX && sum <= OUTPUT_MAX);
}

/* Standard input: some bytes and their end. */
static void make_stdin(void)
{
	int in[2];

	MUST(pipe2(in, O_CLOEXEC) == 0 && write(in[1], "print(input())\nline\n", 20) == 20);
	MUST(dup2(in[0], STDIN_FILENO) == STDIN_FILENO);
	close(in[0]);
	close(in[1]);
}

static void make_stream(struct stream *s, int i, enum plan_format format)
{
	int to[2];

	if (format != FORMAT_TEXT) {
		bool lines = format == FORMAT_NDJSON;

		stream_init(s, "a stream", -1, lines ? STREAM_LINES : STREAM_CAPTURE, lines ? NUM_NONE : CAPTURE_MAX);
		return;
	}
	MUST(pipe2(to, O_CLOEXEC | O_NONBLOCK) == 0);
	(void)fcntl(to[1], F_SETPIPE_SZ, 4096);
	stream_init(s, "a stream", to[1], STREAM_WRITE, NUM_NONE);
	peer.stream[i].to = to[0];
}

struct setting {
	struct live live;
	struct inputs inputs;
	struct input input;
	struct choice choice;
	struct road road, spare;
	struct result result;
	int sig_fd;
};

static void make_setting(struct setting *s, uint8_t how, uint8_t more)
{
	static char text[LARGE + 1], name[] = "backend", program[] = "program";
	bool vm = how & 0x40, oom = how & 0x80;

	if (!*text)
		memset(text, 'x', LARGE);
	s->live = (struct live){ .session = SESSION_NONE, .turn = SESSION_TURN_NONE };
	plan_init(&s->live.plan);
	s->live.plan.format = more & 8 ? FORMAT_NDJSON : how & 1 ? FORMAT_JSON : FORMAT_TEXT;
	s->live.plan.limit[LIMIT_TIMEOUT] = more & 1 ? NUM_NONE : 60000;
	s->live.plan.limit[LIMIT_CPU_TIME] = more & 4 ? 1000 : NUM_NONE;
	s->live.plan.limit[LIMIT_MAX_FILES] = FILES_MAX;
	s->live.plan.limit[LIMIT_MAX_OUTPUT] = OUTPUT_MAX;
	s->live.plan.output_dir = how & 2 ? strdup("out") : NULL;
	s->live.plan.source = how & 8 ? PLAN_STDIN : PLAN_CODE;
	s->input = (struct input){ .type = MSG_REGULAR, .place = MSG_AS_PROGRAM, .path = program, .fd = -1,
				   .mode = 0600, .source = name, .text = text, .size = more & 2 ? LARGE : 20 };
	if (how & 8) {		/* it comes from standard input */
		s->input.size = INT64_MAX;
		s->input.text = NULL;
	}
	s->inputs = (struct inputs){ .at = &s->input, .n = 1, .from_stdin = how & 8 };
	s->choice = (struct choice){ .plan = &s->live.plan, .boot_ms = s->live.plan.boot_ms,
				     .cgroup = CGROUP_NONE,
				     .template_dir = how & 0x10 ? "template" : NULL,
				     .save_dir = how & 0x20 && !(how & 0x10) ? "save" : NULL };
	s->choice.program[vm ? 0 : 1] = name;
	if (oom)
		s->choice.cgroup.oom_fd = memfd_create("events", MFD_CLOEXEC);
	s->choice.confined = true;	/* as far as it can be: a fuzzer goes on after it */
	s->road = s->spare = ROAD_NONE;
	s->road.preload = &s->live.plan.preloads.list[0];
}

/* The folder of all sessions, in memory; made at the first call. */
static void remove_sessions(void);

static const char *sessions(void)
{
	static char path[] = "/dev/shm/pai-fuzz-XXXXXX";
	static bool made;

	if (!made) {
		MUST(mkdtemp(path));
		made = true;
		(void)atexit(remove_sessions);
	}
	return path;
}

static void remove_sessions(void)
{
	(void)rmdir(sessions());	/* each turn has taken its own away */
}

/* The first turn of a session, whose snapshot is there as if a backend had made it. */
static void begin_session(struct setting *s)
{
	struct live *l = &s->live;
	char path[SESSION_PATH + 16];
	struct err e;

	l->on = true;
	snprintf(s->result.session.name, sizeof(s->result.session.name), SESSION);
	MUST(session_open(&l->session, sessions(), SESSION, SESSION_TURN, 0, -1, &e) == 0 &&
	     session_begin(&l->session, &l->turn, &e) == 0);
	snprintf(path, sizeof(path), "%s/pages", l->turn.snapshot);
	AUTO_FD fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	MUST(fd >= 0 && write(fd, path, sizeof(path)) == (ssize_t)sizeof(path));
	for (int i = 0; i < BACKENDS; i++) {
		snprintf(l->here[i].backend, sizeof(l->here[i].backend), "%s", backends[i]->name);
		l->here[i].cpus = 1;
	}
	MUST(outdir_open_mirror(&s->result.files, l->turn.files, OUTPUT_MAX, &e) == 0);
}

/* The turn is there and whole if the result says so, and else nothing is. */
static void end_session(struct setting *s)
{
	struct session look;
	struct err e;

	live_close(&s->live, &s->result);
	bool kept = s->result.session.state == SESSION_KEPT;
	bool there = session_open(&look, sessions(), SESSION, SESSION_CHANGE, 0, -1, &e) == 0;

	MUST(kept == there && (kept || e.kind == ERR_NOT_FOUND));
	if (!kept)
		return;
	MUST(peer.saved && s->result.count > 0 && look.turn == 1 && s->result.session.turn == 1);
	MUST(session_verify(&look, &e) == 0);
	MUST(tree_remove(look.folder, SESSION) == 0);
	session_close(&look);
}

static void begin(struct setting *s, struct bytes *script, uint8_t how, uint8_t more)
{
	int link[2], sig[2];
	struct err e;

	MUST(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, link) == 0);
	MUST(pipe2(sig, O_CLOEXEC | O_NONBLOCK) == 0);
	s->sig_fd = sig[0];
	make_setting(s, how, more);
	s->road.keeper.link = link[0];
	peer_begin(&peer, *script, how & 0x40 ? 0 : 1, link[1], sig[1]);
	result_init(&s->result, &s->live.plan, peer.time_us);
	make_stream(&s->result.out, 0, s->live.plan.format);
	make_stream(&s->result.err, 1, s->live.plan.format);
	if (s->live.plan.format == FORMAT_NDJSON)
		make_stream(&s->result.lines, 0, FORMAT_TEXT);
	make_stdin();
	scratch_plant();
	MUST(outdir_open(&s->result.files, &s->live.plan, &e) == 0);
	if (more & 16)
		begin_session(s);
}

static void end(struct setting *s, bool files)
{
	int to[] = { s->result.out.to, s->result.err.to, s->result.lines.to };

	result_free(&s->result);
	for (int i = 0; i < 3; i++)
		fd_closep(&to[i]);
	fd_closep(&s->choice.cgroup.oom_fd);
	fd_closep(&s->sig_fd);
	peer_end(&peer);
	plan_free(&s->live.plan);
	scratch_check();
	if (files)
		scratch_clean();
}

/* How many descriptors are open, beside standard input. */
static int count_open(void)
{
	struct pollfd p[64];
	int n = 0;

	for (int fd = 1; fd < 64; fd++)
		p[fd] = (struct pollfd){ fd, 0, 0 };
	MUST(poll(p + 1, 63, 0) >= 0);
	for (int fd = 1; fd < 64; fd++)
		n += !(p[fd].revents & POLLNVAL);
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes script = { data, size };
	uint8_t how = bytes_one(&script), more = bytes_one(&script);
	struct setting s;
	struct err e = { 0 };
	int before = count_open();

	(void)signal(SIGPIPE, SIG_IGN);
	(void)unsetenv("HOME");		/* what is known of this host is not to change */
	(void)unsetenv("XDG_CACHE_HOME");
	begin(&s, &script, how, more);
	if (how & 0x80)
		MUST(pwrite(s.choice.cgroup.oom_fd, "oom_kill 1\n", 11, 0) == 11);
	int rc = run_turn(&s.live, &s.inputs, &s.choice, s.sig_fd, how & 4 ? 1 : 0, &s.road, &s.spare, &s.result, &e);
	peer_read(&peer);
	const struct said said = what_was_said(&peer.sent);
	check_verdict(&s.result, rc, &e, &said, how & 0x80);
	if (more & 16)
		end_session(&s);
	bool normal = rc == 0 && s.result.status <= RESULT_ERROR && s.result.warnings.n == 0;
	check_streams(&s.result, &said, normal);
	check_files(&s.result.files);
	end(&s, said.files);
	MUST(count_open() == before);
	return 0;
}
